#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A question to a worker.
package struct WorkerRequest: Sendable {
  /// What kind of worker is asked.
  package var kind: WorkerKind
  /// The question; at most `messageByteCount` bytes.
  package var message: Data
  /// The bytes that the question is about. Copied into memory that the worker sees.
  package var body: Data
  /// Names the body: the same number stands for the same bytes, which are not copied again into a worker that has them.
  package var bodyNumber: UInt64
  /// What answering may take of memory, beside the body and what a fresh worker has, the payload included.
  package var memoryByteCount: Int
  /// The processor time that answering may take. A worker that takes more is stopped within a tenth of a second.
  package var cpuTime: Duration
  /// How long it may take by the clock, from the moment that a worker has the question.
  package var deadline: Duration

  /// The longest message in both directions, in bytes.
  package static let messageByteCount = 64 << 10

  package init(
    kind: WorkerKind, message: Data, body: Data, bodyNumber: UInt64, memoryByteCount: Int, cpuTime: Duration,
    deadline: Duration
  ) {
    self.kind = kind
    self.message = message
    self.body = body
    self.bodyNumber = bodyNumber
    self.memoryByteCount = memoryByteCount
    self.cpuTime = cpuTime
    self.deadline = deadline
  }
}
