/// What an operation of a `JobGraph` asks for. Its owner carries it out when its lock is open, in this order.
package struct JobEffects<Payload, Waiter> {
  package struct Start {
    package let job: SlotID
    package let payload: Payload
    package let station: StationID
    /// The job that it waited for, if it has just done so.
    package let input: Payload?
    /// Whether the thread that has just finished another job goes on with this one.
    package let continues: Bool
    /// How urgent it is now.
    package let level: ImagePriority
  }

  package struct Wake {
    package let job: SlotID
    package let payload: Payload
    /// The job that it waited for and that is over.
    package let input: Payload?
    /// The tag of the deadline that has passed instead.
    package let overdue: Int?
  }

  /// Jobs that have a place now: to be handed to a thread, to the transport, or to a Swift task.
  package var starts: [Start] = []
  /// Running jobs that nobody wants any more: to be told.
  package var cancellations: [Payload] = []
  /// Running jobs that are more or less urgent now: to be told.
  package var levels: [(payload: Payload, level: ImagePriority)] = []
  /// Jobs that waited for another one and decide now how to go on.
  package var wakes: [Wake] = []
  /// Those who waited for the job that is finished.
  package var answers: [Waiter] = []
  /// Those whose deadlines have passed, with the tags, and where the work for them has come to. They are no subscribers
  /// any more.
  package var overdue: [(waiter: Waiter, tag: Int, standing: JobStanding<Payload>)] = []
  /// Whether the last one that prefetching stands back for has left the queues.
  package var becameCalm = false
  /// Those who gave up waiting: released outside of the lock.
  package var left: [Waiter] = []
  /// What the graph has let go, but for a job that its owner has finished and still has: released outside of the lock,
  /// because it may hold what is the app's.
  package var released: [Payload] = []
  /// What jobs that are let go had waited for: over long ago, and released outside of the lock for the same reason.
  var spent: [Payload] = []

  package init() {}

  /// Whether nothing is to be done.
  var isEmpty: Bool {
    starts.isEmpty && cancellations.isEmpty && levels.isEmpty && wakes.isEmpty && answers.isEmpty
      && overdue.isEmpty && !becameCalm && left.isEmpty && released.isEmpty && spent.isEmpty
  }

  /// Lets go of everything but the memory for a few of each.
  mutating func clear() {
    Self.empty(&starts)
    Self.empty(&cancellations)
    Self.empty(&levels)
    Self.empty(&wakes)
    Self.empty(&answers)
    Self.empty(&overdue)
    Self.empty(&left)
    Self.empty(&released)
    Self.empty(&spent)
    becameCalm = false
  }

  private static func empty<Element>(_ list: inout [Element]) {
    if list.count > 16 { list = [] }
    while list.popLast() != nil {}
  }
}

/// Where a job has come to: the job that it waits for in the end, or itself.
package struct JobStanding<Payload> {
  package let payload: Payload
  /// The station that it is in.
  package let station: StationID?
  /// Whether it has a place there.
  package let isRunning: Bool
}

extension JobStanding: Sendable where Payload: Sendable {}
extension JobEffects: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Start: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Wake: Sendable where Payload: Sendable, Waiter: Sendable {}
