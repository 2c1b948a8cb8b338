#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request to a worker.
package struct WorkerRequest: Sendable {
  /// The kind of worker to ask.
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
