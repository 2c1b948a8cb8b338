/// What is going on, read from the graph itself.
extension JobGraph {
  /// A job as it is at this moment.
  package struct Snapshot {
    package let id: SlotID
    package let key: Key?
    package let payload: Payload
    package let state: State
    /// When it came into its state.
    package let since: Instant
    package let creation: Instant
    package let subscriberCount: Int
    package let level: ImagePriority
    /// How many go before it in the queue it stands in.
    package let position: Int?
  }

  /// The jobs that somebody wants.
  ///
  /// - Complexity: O(jobs), times those that wait where one does.
  package var snapshots: [Snapshot] {
    jobs.indices.compactMap { index in
      if case .abandoned = jobs[index].state { nil } else { snapshot(at: index) }
    }
  }

  /// A job as it is now; `nil` when it is over.
  package func snapshot(of id: SlotID) -> Snapshot? { jobs.contains(id) ? snapshot(at: id.index) : nil }

  private func snapshot(at index: Int) -> Snapshot {
    let job = jobs[index]
    var position: Int?
    if case .queued(let station) = job.state {
      position = stations[station.index].queue.position(of: index, in: links)
    }
    return Snapshot(
      id: jobs.id(at: index), key: job.key, payload: job.payload, state: job.state, since: job.since,
      creation: job.creation, subscriberCount: job.subscriberCount, level: job.level, position: position)
  }
}
