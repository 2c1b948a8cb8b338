extension ModelRun {
  /// How often each kind of event happened in a run.
  package struct Coverage: Sendable {
    package var jobs = 0
    package var joins = 0
    package var cancelled = 0
    package var abandoned = 0
    package var successors = 0
    package var overdue = 0
    package var parked = 0
    /// Alarms of limiters and deadlines.
    package var alarms = 0
    package var lent = 0
    /// Steps after which a job waited only because of back-pressure.
    package var heldBack = 0
    /// Waits in the middle of work, and those that would have been for themselves.
    package var nested = 0
    package var circular = 0
    /// Jobs that never end, and places that they gave back.
    package var endless = 0
    package var freed = 0
    /// Steps after which a job waited only because of its origin.
    package var originFull = 0
    package var mostQueued = 0

    package init() {}

    package mutating func add(_ other: Coverage) {
      jobs += other.jobs
      joins += other.joins
      cancelled += other.cancelled
      abandoned += other.abandoned
      successors += other.successors
      overdue += other.overdue
      parked += other.parked
      alarms += other.alarms
      lent += other.lent
      heldBack += other.heldBack
      nested += other.nested
      circular += other.circular
      endless += other.endless
      freed += other.freed
      originFull += other.originFull
      mostQueued = max(mostQueued, other.mostQueued)
    }
  }
}
