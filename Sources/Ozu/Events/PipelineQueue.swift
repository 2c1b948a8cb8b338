/// The queues of a pipeline that a test can hold.
package enum PipelineQueue: String, Sendable, CaseIterable {
  case decode, disk, store
}

extension ImagePipeline {
  /// Holds back what has not begun on a queue, or lets it go.
  package func setSuspended(_ isSuspended: Bool, _ queue: PipelineQueue) {
    parts.queue(queue).isSuspended = isSuspended
  }

  /// How many pieces of work wait on a queue.
  package func queueLength(of queue: PipelineQueue) -> Int { parts.queue(queue).waitingCount }
}

extension PipelineParts {
  fileprivate func queue(_ queue: PipelineQueue) -> WorkQueue {
    switch queue {
    case .decode: decodeQueue
    case .disk: diskQueue
    case .store: backlog.queue
    }
  }
}
