extension RenderJobs {
  /// What a step waits for; for the first that has not been done before it. `nil` when nobody wants it.
  func waiting(of recipe: CacheKey) -> PipelineDiagnostics.Waiting? {
    state.withLock { state in
      guard var node = state.nodes.values.first(where: { $0.key.recipe == recipe }) else { return nil }
      while let prefix = node.prefix?.node { node = prefix }
      return node.stage
    }
  }

  /// The steps that are wanted and not done.
  func diagnose(now: ContinuousClock.Instant) -> [PipelineDiagnostics.Job] {
    state.withLock { state in
      state.nodes.values.sorted { $0.submitted < $1.submitted }.map { node in
        PipelineDiagnostics.Job(
          kind: .render, name: node.way.name, waitingFor: node.stage,
          waitingTime: node.since.duration(to: now), age: node.submitted.duration(to: now),
          queuePosition: node.place.flatMap { queue.position(of: $0) },
          subscriberCount: node.subscribers.count, priority: node.priority)
      }
    }
  }
}
