/// What a running job has told so far: replaced as it goes on, so that a latecomer hears where things stand.
struct JobNews: Sendable {
  /// Counts what was told by all jobs of a table. Two threads may carry news at once; the higher number is the later,
  /// also for a subscriber that has gone from one job to the next. 0 before there are any.
  var number = 0
  /// How much of the download has arrived.
  var progress: LoadProgress?
  /// The latest part of the picture that can be shown.
  var preview: Preview?

  /// A part of the picture, an object: most jobs have none, and each of thousands who wait is told of it.
  final class Preview: Sendable {
    /// The number it was told under.
    let number: Int
    let picture: Picture

    init(_ picture: Picture, number: Int) {
      self.number = number
      self.picture = picture
    }
  }
}

/// Somebody who waits for a job: an object that the table of jobs links to directly, so that waiting takes no Swift
/// task and no continuation of its own.
///
/// Both functions are called outside of the lock of the jobs, by whoever runs the job.
protocol JobSubscriber<Key, Value>: AnyObject, Sendable {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  /// Where it sits. Only the jobs touch it, under their lock.
  var seat: SharedJobs<Key, Value>.Seat { get set }

  /// Whether its job, if it began now, could do no more than wait for a turn elsewhere. Asked of the first of those who
  /// wait for a job, outside of all locks, and only when there is a crowd there.
  var wouldOnlyWait: Bool { get }

  /// There is something new; called only if the seat listens. News may come out of order and twice: their numbers
  /// tell.
  func receive(_ news: JobNews)

  /// The end, which comes once for each time it joined, unless it has left before.
  func receive(_ outcome: Result<Value, ImageError>, after news: JobNews)
}

extension JobSubscriber {
  /// Sits down in a job.
  func takeSeat(
    in job: SharedJobs<Key, Value>.Job, number: Int
  ) -> (level: ImagePriority, isListening: Bool) {
    func sit(_ seat: inout SharedJobs<Key, Value>.Seat) -> (level: ImagePriority, isListening: Bool) {
      seat.job = job
      seat.number = number
      return (seat.level, seat.isListening)
    }
    return sit(&seat)
  }
}

extension SharedJobs {
  /// The place of a subscriber in a job, so that both find each other in constant time.
  struct Seat {
    /// The job that is waited for, or was.
    var job: Job?
    /// Which of the job's places it is.
    var number = 0
    /// How urgent the subscriber is.
    var level: ImagePriority
    /// Whether it wants to hear news.
    var isListening: Bool
    /// Whether it has left for good: it may leave before it has joined.
    var isClosed = false
    /// Whether the job was there before.
    var hasJoinedOther = false

    init(level: ImagePriority, isListening: Bool = false) {
      self.level = level
      self.isListening = isListening
    }
  }
}
