@testable import Ozu

/// What a pipeline's jobs are, for tests that arrange who waits for whom.
extension ImagePipeline {
  var snapshots: [JobRunner.Graph.Snapshot] { context.runner.look { $0.snapshots } }

  /// The loads that somebody wants.
  var loads: [LoadImage] { snapshots.compactMap { $0.payload as? LoadImage } }
  var loadCount: Int { loads.count }
  /// How many wait for loads.
  var loadSubscriberCount: Int {
    snapshots.reduce(0) { $0 + ($1.payload is LoadImage ? $1.subscriberCount : 0) }
  }

  var fetchCount: Int { snapshots.count { $0.payload is FetchWork } }
  /// How many wait for downloads.
  var fetchSubscriberCount: Int {
    snapshots.reduce(0) { $0 + ($1.payload is FetchWork ? $1.subscriberCount : 0) }
  }

  /// The steps that stand in line or wait for another one. A step is known a moment before.
  var stepCount: Int { snapshots.count { $0.payload is StepWork && $0.state != .deciding } }

  func runningCount(_ kind: ExecutorKind) -> Int {
    context.runner.look { graph in kind.stations.reduce(0) { $0 + graph.runningCount(in: $1) } }
  }

  /// How many wait for an executor and are as urgent as that or more.
  func waitingCount(_ kind: ExecutorKind, from level: ImagePriority) -> Int {
    snapshots.count { job in kind.stations.contains { job.state == .queued($0) } && job.level >= level }
  }
}
