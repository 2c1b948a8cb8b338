import OzuSynchronization

/// Work that is done once for everybody who wants its result at the same time.
///
/// The first subscriber of a key starts a job, later ones join it. All get one outcome. Who leaves gets none; when the
/// last one has left, the job's own Swift task is cancelled and the key is free again, so that a newcomer starts
/// afresh instead of joining a dying job.
///
/// A job is one Swift task, whoever waits for it: subscribers are objects that sit in its row (`JobSubscriber`). The
/// task is made when the job's turn comes, and only a few are made ahead of those that have begun. So jobs that are
/// started and called off in a storm never cost a task, and what is started late but urgently overtakes. Those that
/// could only wait elsewhere are held back in a line of their own, where there is a gate (`StartGate`).
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
    let jobs: SharedJobs
    let job: Job
    let cell: PriorityCell

    /// The urgency of the most urgent subscriber; it changes as they come, go and change their minds.
    var priority: LivePriority { .changing(cell) }

    /// How many wait for the job.
    var subscriberCount: Int { jobs.subscriberCount(of: job) }

    /// Tells all subscribers, those that join later included.
    func report(_ progress: LoadProgress) { jobs.report(to: job) { $0.note(progress, number: $1) } }

    /// Shows all subscribers a part of the picture. Those that join later see the latest.
    func report(preview: Picture) { jobs.report(to: job) { $0.note(preview, number: $1) } }
  }

  struct State {
    var jobs: [Key: Job] = [:]
    /// Jobs that wait for a Swift task to begin in, and stale entries.
    var line = StartLine<Job>()
    /// The number of jobs in it.
    var waitingCount = 0
    /// Jobs that the gate holds back, and stale entries.
    var held = StartLine<Job>()
    /// The number of jobs in it.
    var heldCount = 0
    /// The number of the latest entry of either queue.
    var lastTurn = 0
    /// Swift tasks that have been made and have not begun.
    var launchedCount = 0
    var newsCount = 0
  }

  let state = Mutex(State())
  let launchWidth: Int
  let gate: StartGate?

  /// Makes a table without jobs.
  ///
  /// - Parameters:
  ///   - launchWidth: how many Swift tasks may be on their way to begin.
  ///   - gate: holds jobs back; none by default.
  init(launchWidth: Int = 2, gate: StartGate? = nil) {
    self.launchWidth = max(1, launchWidth)
    self.gate = gate
  }

  /// The number of jobs that are running or about to.
  var count: Int { state.withLock { $0.jobs.count } }

  /// The number of those who wait for them.
  var subscriberCount: Int { state.withLock { $0.jobs.values.reduce(0) { $0 + $1.subscriberCount } } }

  /// How many jobs the gate holds back.
  var heldCount: Int { state.withLock { $0.heldCount } }

  /// The jobs that the gate holds back: the first of those who wait for each, how many they are, and how urgent it is.
  var heldJobs: [(first: any JobSubscriber<Key, Value>, subscriberCount: Int, level: ImagePriority)] {
    state.withLock { state in
      state.jobs.values.compactMap { job in
        guard job.isHeld, let first = job.firstSubscriber else { return nil }
        return (first, job.subscriberCount, job.level)
      }
    }
  }

  /// Whether the gate holds back the job of a key.
  func isHeld(_ key: Key) -> Bool { state.withLock { $0.jobs[key]?.isHeld ?? false } }

  /// Whether there is a job of a key.
  func contains(_ key: Key) -> Bool { state.withLock { $0.jobs[key] != nil } }

  private func subscriberCount(of job: Job) -> Int { state.withLock { _ in job.subscriberCount } }

  // MARK: Subscribers

  private enum Admission {
    case refused
    case joined
    /// With what has to be told, to it or to others.
    case joinedWith(JobNews?, Job, isMoreUrgent: Bool)
    case waits(launches: Bool)
    case isHeld
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
    // Asked for here, not by a Swift task that is made for it.
    let isHeld = gate != nil && !isOpen(for: subscriber) && subscriber.wouldOnlyWait
    let admission = state.withLock { state -> Admission in
      guard !subscriber.seat.isClosed else { return .refused }
      if let job = state.jobs[key] {
        subscriber.seat.hasJoinedOther = true
        let isMoreUrgent = job.add(subscriber)
        if isMoreUrgent { Self.moveInLine(job, &state) }
        let hasNews = job.news.number > 0 && subscriber.seat.isListening
        guard hasNews || isMoreUrgent else { return .joined }
        return .joinedWith(hasNews ? job.news : nil, job, isMoreUrgent: isMoreUrgent)
      }
      subscriber.seat.hasJoinedOther = false
      let job = Job(key: key, level: subscriber.seat.level, operation: operation())
      _ = job.add(subscriber)
      state.jobs[key] = job
      if isHeld {
        Self.hold(job, &state)
        return .isHeld
      }
      Self.line(job, &state)
      return .waits(launches: takeLaunch(&state))
    }
    switch admission {
    case .refused: return false
    case .joined: break
    case .joinedWith(let news, let job, let isMoreUrgent):
      if isMoreUrgent { updatePriority(of: job) }
      if let news { subscriber.receive(news) }
    case .waits(let launches):
      if launches { launch() }
    case .isHeld: reconsider()
    }
    return true
  }

  private func isOpen(for subscriber: some JobSubscriber<Key, Value>) -> Bool {
    guard let open = gate?.lowestOpenLevel() else { return false }
    // Mostly it is open for all, and nobody's level is asked for.
    return open == .veryLow || level(of: subscriber) >= open
  }

  /// Gives up waiting, for good: whoever has left is not let in again.
  ///
  /// - Returns: whether the subscriber was waiting and will hear nothing, with the last news of its job.
  @discardableResult
  func leave(_ subscriber: some JobSubscriber<Key, Value>) -> JobNews? {
    // Kept until the lock is open: what a closure holds may take any time to release.
    var operation: Operation?
    defer { withExtendedLifetime(operation) {} }
    let (news, job, task, isLessUrgent, leavesPlace) = state.withLock {
      state -> (JobNews?, Job?, Task<Void, Never>?, Bool, Bool) in
      subscriber.seat.isClosed = true
      guard let job = subscriber.seat.job, !job.isOver else { return (nil, nil, nil, false, false) }
      let isLessUrgent = job.remove(subscriber)
      guard job.subscriberCount == 0 else {
        if isLessUrgent { Self.moveInLine(job, &state) }
        return (job.news, job, nil, isLessUrgent, false)
      }
      state.jobs[job.key] = nil
      job.isOver = true
      swap(&operation, &job.operation)
      // The gate may have let the job through in place of another, which now takes its turn.
      let leavesPlace = operation != nil && !job.isHeld && state.heldCount > 0
      if job.isHeld { Self.removeFromHeld(job, &state) } else { Self.removeFromLine(job, &state) }
      return (job.news, job, job.runner?.task, false, leavesPlace)
    }
    task?.cancel()
    if isLessUrgent, let job { updatePriority(of: job) }
    if leavesPlace { reconsider() }
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

  /// Whether the job of a subscriber was there before the subscriber joined it.
  func hasJoinedOther(_ subscriber: some JobSubscriber<Key, Value>) -> Bool {
    state.withLock { _ in subscriber.seat.hasJoinedOther }
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
    // The cell's lock is taken before that of the jobs here, and nowhere the other way round. A job gets its cell when
    // it begins, with its level at that moment, so one without a cell needs no update.
    state.withLock({ _ in job.cell })?.update { state.withLock { _ in job.level } }
    reconsider()
  }
}
