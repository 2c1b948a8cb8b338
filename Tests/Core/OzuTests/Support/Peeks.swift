@testable import Ozu

/// The jobs of a pipeline, for tests that arrange dependencies.
extension ImagePipeline {
  var snapshots: [JobRunner.Graph.Snapshot] { context.runner.look { $0.snapshots } }

  /// The loads that have subscribers.
  var loads: [LoadImage] { snapshots.compactMap { $0.payload as? LoadImage } }
  var loadCount: Int { loads.count }
  /// The number of subscribers of loads.
  var loadSubscriberCount: Int {
    snapshots.reduce(0) { $0 + ($1.payload is LoadImage ? $1.subscriberCount : 0) }
  }

  var fetchCount: Int { snapshots.count { $0.payload is FetchWork } }
  /// The number of subscribers of downloads.
  var fetchSubscriberCount: Int {
    snapshots.reduce(0) { $0 + ($1.payload is FetchWork ? $1.subscriberCount : 0) }
  }

  /// The steps that are queued or wait for another one. A step exists a moment before.
  var stepCount: Int { snapshots.count { $0.payload is StepWork && $0.state != .deciding } }

  func runningCount(_ kind: QueueKind) -> Int {
    context.runner.look { graph in kind.stations.reduce(0) { $0 + graph.runningCount(in: $1) } }
  }

  /// The number of jobs that wait in a queue with at least this priority.
  func waitingCount(_ kind: QueueKind, from level: ImagePriority) -> Int {
    snapshots.count { job in kind.stations.contains { job.state == .queued($0) } && job.level >= level }
  }
}
