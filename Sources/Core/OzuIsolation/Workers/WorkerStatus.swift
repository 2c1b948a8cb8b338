/// The restrictions of workers, and how many there were.
package struct WorkerStatus: Hashable, Sendable {
  /// The restrictions, as reported by the first worker, and what any worker is missing; nil before.
  package var confinement: WorkerConfinement?
  /// How many workers there are now.
  package var workerCount = 0
  /// How many workers have been started.
  package var startedWorkerCount = 0
  /// How many zygotes have been started.
  package var startedZygoteCount = 0
  /// How many requests were answered.
  package var answerCount = 0
  /// How many requests ended with `ImageDecodingError.decoderFailed`.
  package var failureCount = 0
  /// How many bodies had to be copied to a worker.
  package var copiedBodyCount = 0

  package init() {}
}
