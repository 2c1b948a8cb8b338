import OzuSynchronization

/// Work that is done once for everybody who wants its result at the same time.
///
/// The first subscriber of a key starts a job, later ones join it. All get one outcome. Who leaves gets none; when the
/// last one has left, the job's own Swift task is cancelled and the key is free again, so that a newcomer starts
/// afresh instead of joining a dying job.
///
/// A job is one Swift task, whoever waits for it: subscribers are objects that sit in its row (`JobSubscriber`). The
/// task is made when the job's turn comes, and only a few are made ahead of those that have begun. So jobs that are
/// started and called off in a storm never cost a task, and what is started late but urgently overtakes.
///
/// One lock guards everything here. It is held to look up and to link, never while anything runs: operations,
/// news and outcomes all happen outside.
///
/// - Complexity: O(1) to join, to leave and to change one's mind, however many others there are; O(listeners) to
///   report; O(subscribers) to finish.
final class SharedJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>
  typealias Operation = @Sendable (Handle) async -> Outcome

  /// What a running job knows of its subscribers.
  struct Handle: Sendable {
    fileprivate let jobs: SharedJobs
    fileprivate let job: Job

    /// The urgency of the most urgent subscriber; it changes as they come, go and change their minds.
    var priority: LivePriority { .changing(job.cell) }

    /// How many wait for the job.
    var subscriberCount: Int { jobs.subscriberCount(of: job) }

    /// Tells all subscribers, those that join later included.
    func report(_ progress: LoadProgress) { jobs.report(to: job) { $0.note(progress, number: $1) } }

    /// Shows all subscribers a part of the picture. Those that join later see the latest.
    func report(preview: Picture) { jobs.report(to: job) { $0.note(preview, number: $1) } }
  }

  private struct State {
    var jobs: [Key: Job] = [:]
    /// Jobs that have not begun.
    var line = StartLine<Job>()
    /// Swift tasks that have been made and have not begun.
    var launchedCount = 0
    var newsCount = 0
  }

  private let state = Mutex(State())
  private let launchWidth: Int

  /// Makes a table without jobs.
  ///
  /// - Parameter launchWidth: how many Swift tasks may be on their way to begin.
  init(launchWidth: Int = 4) {
    self.launchWidth = max(1, launchWidth)
  }

  /// The number of jobs that are running or about to.
  var count: Int { state.withLock { $0.jobs.count } }

  /// The number of those who wait for them.
  var subscriberCount: Int { state.withLock { $0.jobs.values.reduce(0) { $0 + $1.subscriberCount } } }

  private func subscriberCount(of job: Job) -> Int { state.withLock { _ in job.subscriberCount } }

  // MARK: Subscribers

  private enum Admission {
    case refused
    case joined(JobNews?, Job, isMoreUrgent: Bool)
    case waits(launches: Bool)
  }

  /// Waits for the job of a key, which is started unless it is there already.
  ///
  /// The outcome may come before this returns.
  ///
  /// - Parameter operation: makes the work of a new job; called at most once, at once.
  /// - Returns: whether the subscriber will hear an outcome; not if it has left before.
  func join(
    _ key: Key, _ subscriber: some JobSubscriber<Key, Value>, operation: () -> Operation
  ) -> Bool {
    let admission = state.withLock { state -> Admission in
      guard !subscriber.seat.isClosed else { return .refused }
      if let job = state.jobs[key] {
        subscriber.seat.hasJoinedOther = true
        let isMoreUrgent = job.add(subscriber)
        if isMoreUrgent { Self.moveInLine(job, &state) }
        let news = subscriber.seat.isListening && job.news.number > 0 ? job.news : nil
        return .joined(news, job, isMoreUrgent: isMoreUrgent)
      }
      subscriber.seat.hasJoinedOther = false
      let job = Job(key: key, level: subscriber.seat.level, operation: operation())
      _ = job.add(subscriber)
      state.jobs[key] = job
      state.line.append(job, level: job.lineLevel)
      return .waits(launches: takeLaunch(&state))
    }
    switch admission {
    case .refused: return false
    case .joined(let news, let job, let isMoreUrgent):
      if isMoreUrgent { updatePriority(of: job) }
      if let news { subscriber.receive(news) }
    case .waits(let launches):
      if launches { launch() }
    }
    return true
  }

  /// Gives up waiting, for good: whoever has left is not let in again.
  ///
  /// - Returns: whether the subscriber was waiting and will hear nothing, with the last news of its job.
  @discardableResult
  func leave(_ subscriber: some JobSubscriber<Key, Value>) -> JobNews? {
    let (news, job, task, isLessUrgent) = state.withLock {
      state -> (JobNews?, Job?, Task<Void, Never>?, Bool) in
      subscriber.seat.isClosed = true
      guard let job = subscriber.seat.job, !job.isOver else { return (nil, nil, nil, false) }
      let isLessUrgent = job.remove(subscriber)
      guard job.subscriberCount == 0 else {
        if isLessUrgent { Self.moveInLine(job, &state) }
        return (job.news, job, nil, isLessUrgent)
      }
      state.jobs[job.key] = nil
      job.isOver = true
      let task = job.runner?.task
      // Kept until the lock is open: what a closure holds may take any time to release.
      return (job.news, job, task, false)
    }
    task?.cancel()
    if isLessUrgent, let job { updatePriority(of: job) }
    return news
  }

  /// Makes a subscriber more or less urgent, now and for the jobs that it joins later.
  func change(_ subscriber: some JobSubscriber<Key, Value>, to level: ImagePriority) {
    let job = state.withLock { state -> Job? in
      guard subscriber.seat.level != level else { return nil }
      guard let job = subscriber.seat.job, !job.isOver else {
        subscriber.seat.level = level
        return nil
      }
      guard job.change(subscriber, to: level) else { return nil }
      Self.moveInLine(job, &state)
      return job
    }
    if let job { updatePriority(of: job) }
  }

  /// How urgent a subscriber is.
  func level(of subscriber: some JobSubscriber<Key, Value>) -> ImagePriority {
    state.withLock { _ in subscriber.seat.level }
  }

  /// Tells a subscriber news from now on, those that are there at once.
  func listen(_ subscriber: some JobSubscriber<Key, Value>) {
    let news = state.withLock { _ -> JobNews? in
      guard !subscriber.seat.isListening else { return nil }
      subscriber.seat.isListening = true
      guard let job = subscriber.seat.job, !job.isOver else { return nil }
      job.noteListener()
      return job.news.number > 0 ? job.news : nil
    }
    if let news { subscriber.receive(news) }
  }

  /// The latest that a subscriber's job has told; `nil` when it waits for none.
  func news(for subscriber: some JobSubscriber<Key, Value>) -> JobNews? {
    state.withLock { _ in
      guard let job = subscriber.seat.job, !job.isOver else { return nil }
      return job.news
    }
  }

  /// Brings the job's cell in line with its subscribers; called after the lock that they were changed under.
  private func updatePriority(of job: Job) {
    // The cell's lock is taken before that of the jobs here, and nowhere the other way round.
    job.cell.update { state.withLock { _ in job.level } }
  }

  // MARK: Running

  /// A job in the line that has become more or less urgent takes another place there.
  private static func moveInLine(_ job: Job, _ state: inout State) {
    guard job.operation != nil, job.lineLevel != job.level else { return }
    job.lineLevel = job.level
    state.line.append(job, level: job.level)
  }

  private func takeLaunch(_ state: inout State) -> Bool {
    guard state.launchedCount < launchWidth, state.line.count > 0 else { return false }
    state.launchedCount += 1
    return true
  }

  /// Makes a Swift task for the job whose turn it is when the task begins.
  private func launch() {
    let runner = Runner()
    let task = Task.detached { await self.run(runner) }
    let isUnwanted = state.withLock { _ in
      runner.task = task
      return runner.job?.isOver ?? false
    }
    // Everybody left, or the job ended, before the task had a place to be cancelled in.
    if isUnwanted { task.cancel() }
  }

  private func run(_ runner: Runner) async {
    // Released outside of the lock.
    var unwanted: [Job] = []
    let (begun, launches) = state.withLock { state -> ((Job, Operation)?, Bool) in
      state.launchedCount -= 1
      var begun: (Job, Operation)?
      while begun == nil, let (job, level) = state.line.popFirst() {
        guard !job.isOver, level == job.lineLevel, let operation = job.operation else {
          unwanted.append(job)
          continue
        }
        job.operation = nil
        job.runner = runner
        runner.job = job
        begun = (job, operation)
      }
      return (begun, takeLaunch(&state))
    }
    unwanted = []
    if launches { launch() }
    guard let (job, operation) = begun else { return }
    finish(job, await operation(Handle(jobs: self, job: job)))
  }

  private func finish(_ job: Job, _ outcome: Outcome) {
    let (subscribers, news) = state.withLock { state -> ([(any JobSubscriber<Key, Value>)?], JobNews) in
      job.runner = nil
      guard !job.isOver else { return ([], JobNews()) }
      job.isOver = true
      state.jobs[job.key] = nil
      return (job.takeSubscribers(), job.news)
    }
    for subscriber in subscribers { subscriber?.receive(outcome, after: news) }
  }

  private func report(to job: Job, _ note: (_ job: Job, _ number: Int) -> Void) {
    let (listeners, news) = state.withLock { state -> ([any JobSubscriber<Key, Value>], JobNews) in
      guard !job.isOver else { return ([], JobNews()) }
      state.newsCount += 1
      note(job, state.newsCount)
      return (job.listeners, job.news)
    }
    for listener in listeners { listener.receive(news) }
  }
}
