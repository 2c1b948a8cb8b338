/// The actions that an operation of a `JobGraph` requests. Its owner carries them out after it has released its lock,
/// in this order.
package struct JobEffects<Payload, Waiter> {
  package struct Start {
    package let job: SlotID
    package let payload: Payload
    package let station: StationID
    /// The finished job that it waited for; nil if it waited for none.
    package let input: Payload?
    /// Whether the thread that has just finished another job continues with this one.
    package let continues: Bool
    /// The priority at the start.
    package let level: ImagePriority
  }

  package struct Wake {
    package enum Reason {
      /// The job that it waited for is over.
      case finished(Payload)
      /// The deadline with this tag has passed.
      case overdue(Int)
    }

    package let job: SlotID
    package let payload: Payload
    package let reason: Reason
  }

  /// Running jobs that have lost their last subscriber. The owner cancels their work.
  package var cancellations: [Payload] = []
  /// Jobs that have just received a place. The owner starts each on a thread, in the transport, or in a Swift task.
  package var starts: [Start] = []
  /// Jobs that waited for another one and now decide how to continue.
  package var wakes: [Wake] = []
  /// The subscribers of the finished job.
  package var answers: [Waiter] = []
  /// The subscribers whose deadlines have passed, with the tags and the progress of the work. They are no longer
  /// subscribed.
  package var overdue: [(waiter: Waiter, tag: Int, standing: JobStanding<Payload>)] = []
  /// Whether the last job that makes prefetching wait has left the queues (the idle signal).
  package var becameIdle = false
  /// The subscribers that have left. They are in this list so that they are released outside the lock.
  package var left: [Waiter] = []
  /// The work of removed jobs. It is in this list so that it is released outside the lock, because it may hold
  /// objects of the app. The work of a finished job is not in the list: its owner still holds it.
  package var released: [Payload] = []
  /// The finished inputs of removed jobs; released outside the lock for the same reason.
  var spent: [Payload] = []

  package init() {}

  /// Whether there is nothing to do.
  var isEmpty: Bool {
    starts.isEmpty && cancellations.isEmpty && wakes.isEmpty && answers.isEmpty
      && overdue.isEmpty && !becameIdle && left.isEmpty && released.isEmpty && spent.isEmpty
  }

  /// Removes all elements, and keeps the memory of lists of up to 16 elements.
  mutating func clear() {
    Self.empty(&starts)
    Self.empty(&cancellations)
    Self.empty(&wakes)
    Self.empty(&answers)
    Self.empty(&overdue)
    Self.empty(&left)
    Self.empty(&released)
    Self.empty(&spent)
    becameIdle = false
  }

  private static func empty<Element>(_ list: inout [Element]) {
    if list.count > 16 { list = [] }
    while list.popLast() != nil {}
  }
}

/// The progress of a job: the state of the last job in the chain that it waits for, or of the job itself.
package struct JobStanding<Payload> {
  package let payload: Payload
  /// The station in which that job is queued or running.
  package let station: StationID?
  /// Whether that job has a place there.
  package let isRunning: Bool
}

extension JobStanding: Sendable where Payload: Sendable {}
extension JobEffects: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Start: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Wake: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Wake.Reason: Sendable where Payload: Sendable, Waiter: Sendable {}
