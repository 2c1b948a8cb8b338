import OzuBase
import OzuImaging

/// A kind of work that has its own workers, in practice an image format.
///
/// Workers do not depend on pictures: messages and bodies are bytes.
package struct WorkerKind: Hashable, Sendable {
  /// Unique among kinds; at most `nameByteCount` bytes of UTF-8.
  package let name: String
  /// The format that appears in errors.
  package let type: ImageType
  /// Whether workers may open fonts and the files of fontconfig for reading. Then they may also start threads.
  package var readsFonts: Bool
  package var startsThreads: Bool

  package var mayStartThreads: Bool { startsThreads || readsFonts }

  /// The most threads that a worker has at one time, its first one included. Libraries that start threads are asked for
  /// one.
  package static let mostThreads = 16

  /// The longest name, in bytes of UTF-8.
  package static let nameByteCount = 200

  package init(name: String, type: ImageType, readsFonts: Bool = false, startsThreads: Bool = false) {
    precondition(name.utf8.count <= Self.nameByteCount, "a name of \(name.utf8.count) bytes")
    self.name = name
    self.type = type
    self.readsFonts = readsFonts
    self.startsThreads = startsThreads
  }
}

package struct WorkerRequest: Sendable {
  package var kind: WorkerKind
  /// The message; at most `messageByteCount` bytes.
  package var message: Data
  /// The bytes that the request is about. They are copied to memory that the worker shares.
  package var body: Data
  /// The number of the body. Equal numbers mean equal bytes, which are not copied again to a worker that has them.
  package var bodyNumber: UInt64
  /// The memory that answering may take, including the payload, beside the body and the memory of a fresh worker.
  package var memoryByteCount: Int
  /// The longest payload, in bytes; at most `memoryByteCount`.
  package var outputByteCount: Int
  /// The processor time that answering may take. A worker that takes more is stopped within a tenth of a second.
  package var cpuTime: Duration
  /// The wall time that answering may take, from the moment at which a worker has the request.
  package var deadline: Duration
  /// Receives the processor time of the answer; `nil` by default.
  package var time: WorkerTime?

  /// The longest message in both directions, in bytes.
  package static let messageByteCount = 64 << 10

  package init(
    kind: WorkerKind, message: Data, body: Data, bodyNumber: UInt64, memoryByteCount: Int,
    outputByteCount: Int = .max, cpuTime: Duration, deadline: Duration
  ) {
    self.kind = kind
    self.message = message
    self.body = body
    self.bodyNumber = bodyNumber
    self.memoryByteCount = memoryByteCount
    self.outputByteCount = min(outputByteCount, memoryByteCount)
    self.cpuTime = cpuTime
    self.deadline = deadline
  }
}

/// The processor time that workers have taken for some requests.
package final class WorkerTime: Sendable {
  private let total = Mutex(Duration.zero)

  package init() {}

  /// The time so far.
  package var value: Duration { total.withLock { $0 } }

  package func add(_ time: Duration) { total.withLock { $0 += time } }
}
