extension SharedJobs {
  /// A piece of work and those who wait for it. Only touched under the lock of the jobs, but for what never changes.
  ///
  /// Subscribers sit in a row, in the order in which they came. One that leaves leaves its place empty; when most are
  /// empty the row closes up, so that every change takes constant time, on average over the changes.
  final class Job: @unchecked Sendable {
    let key: Key
    /// How urgent it is, for what it waits in; `nil` before it has begun.
    var cell: PriorityCell?
    /// What is to be done; `nil` once it has begun or is no longer wanted.
    var operation: Operation?
    /// What does it; `nil` before it has begun.
    var runner: Runner?
    /// Whether it has ended, or everybody has left.
    var isOver = false
    /// The level of its entry in the queue that it waits in.
    var lineLevel: ImagePriority
    /// The number of its valid entry in that queue; 0 when it has none.
    var turn = 0
    /// Whether it waits to begin.
    var isInLine = false
    /// Whether the gate holds it back.
    var isHeld = false
    /// Whether the gate lets it through whatever its level is.
    var hasPassed = false
    private(set) var level: ImagePriority
    private(set) var news = JobNews()
    private(set) var subscriberCount = 0
    private var seats: [(any JobSubscriber<Key, Value>)?] = []
    private var listenerCount = 0
    /// How many subscribers there are of each urgency.
    private var counts = SIMD8<Int32>()

    init(key: Key, level: ImagePriority, operation: @escaping Operation) {
      self.key = key
      self.level = level
      lineLevel = level
      self.operation = operation
    }

    /// - Returns: whether the job has become more urgent.
    func add(_ subscriber: some JobSubscriber<Key, Value>) -> Bool {
      let seat = subscriber.takeSeat(in: self, number: seats.count)
      seats.append(subscriber)
      subscriberCount += 1
      if seat.isListening { listenerCount += 1 }
      counts[seat.level.rawValue] += 1
      return seat.level > level && updateLevel()
    }

    /// - Returns: whether the job has become less urgent.
    func remove(_ subscriber: some JobSubscriber<Key, Value>) -> Bool {
      let seat = subscriber.seat
      subscriber.seat.job = nil
      seats[seat.number] = nil
      subscriberCount -= 1
      if seat.isListening { listenerCount -= 1 }
      counts[seat.level.rawValue] -= 1
      if seats.count > 16, subscriberCount * 2 < seats.count { closeUp() }
      return counts[seat.level.rawValue] == 0 && updateLevel()
    }

    /// - Returns: whether the job's urgency has changed.
    func change(_ subscriber: some JobSubscriber<Key, Value>, to level: ImagePriority) -> Bool {
      counts[subscriber.seat.level.rawValue] -= 1
      counts[level.rawValue] += 1
      subscriber.seat.level = level
      return updateLevel()
    }

    func noteListener() { listenerCount += 1 }

    func note(_ progress: LoadProgress, number: Int) {
      news.number = number
      news.progress = progress
    }

    func note(_ preview: Picture, number: Int) {
      news.number = number
      news.preview = JobNews.Preview(preview, number: number)
    }

    /// The first of those who wait.
    var firstSubscriber: (any JobSubscriber<Key, Value>)? { seats.first { $0 != nil } ?? nil }

    /// Those who want to hear news.
    var listeners: [any JobSubscriber<Key, Value>] {
      listenerCount == 0 ? [] : seats.compactMap { seat in seat.flatMap { $0.seat.isListening ? $0 : nil } }
    }

    /// Empties the row, for the end.
    func takeSubscribers() -> [(any JobSubscriber<Key, Value>)?] {
      subscriberCount = 0
      listenerCount = 0
      let all = seats
      seats = []
      return all
    }

    private func closeUp() {
      seats.removeAll { $0 == nil }
      for (number, subscriber) in seats.enumerated() { subscriber?.seat.number = number }
    }

    private func updateLevel() -> Bool {
      guard subscriberCount > 0 else { return false }
      var highest = ImagePriority.veryHigh.rawValue
      while highest > 0, counts[highest] == 0 { highest -= 1 }
      guard highest != level.rawValue, let level = ImagePriority(rawValue: highest) else { return false }
      self.level = level
      return true
    }
  }

  /// The Swift task of a job, in a form that both can find: the task may begin before its creator has it in hand.
  /// Only touched under the lock of the jobs.
  final class Runner: @unchecked Sendable {
    var task: Task<Void, Never>?
    var job: Job?
  }
}
