/// How jobs come to run: the line, the Swift tasks that take from it, and the gate that holds some back.
extension SharedJobs {
  /// A job in the line that has become more or less urgent takes another place there.
  static func moveInLine(_ job: Job, _ state: inout State) {
    guard job.operation != nil, job.lineLevel != job.level else { return }
    job.lineLevel = job.level
    guard job.isHeld else { return line(job, &state) }
    // Its mark at the former level is passed over. Who is more urgent may pass: it is asked for after the lock is open.
    state.held.append(job, level: job.level)
  }

  /// Puts a job at the end of its level.
  static func line(_ job: Job, _ state: inout State) {
    state.line.append(job, level: job.lineLevel)
    guard !job.isInLine else { return }
    job.isInLine = true
    state.waitingCount += 1
  }

  /// A job does not stand in the line, or only its mark does.
  static func noteOutOfLine(_ job: Job, _ state: inout State) {
    guard job.isInLine else { return }
    job.isInLine = false
    state.waitingCount -= 1
  }

  /// A job that is called off leaves a mark, unless it came last: one that is called off at once is gone.
  static func takeOutOfLine(_ job: Job, _ state: inout State) {
    guard job.isInLine else { return }
    noteOutOfLine(job, &state)
    state.line.removeLast(level: job.lineLevel) { $0 === job }
  }

  static func hold(_ job: Job, _ state: inout State) {
    noteOutOfLine(job, &state)
    job.isHeld = true
    state.heldCount += 1
    state.held.append(job, level: job.lineLevel)
  }

  /// A job that was held back is no longer; its place stays as a mark, until most are marks.
  static func noteLeft(_ job: Job, _ state: inout State) {
    job.isHeld = false
    state.heldCount -= 1
    if state.held.count > 64, state.heldCount * 2 < state.held.count { state.held.removeAll { !$0.isHeld } }
  }

  /// Whether another Swift task is to be made: one for each job that stands in the line is enough, so that those which
  /// are called off at once share one.
  func takeLaunch(_ state: inout State) -> Bool {
    guard state.launchedCount < min(launchWidth, state.waitingCount) else { return false }
    state.launchedCount += 1
    return true
  }

  /// Makes a Swift task for the job whose turn it is when the task begins.
  func launch() {
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
    if state.withLock({ $0.idleCount >= 16 }) {
      // A storm of loads that are called off at once. To wake a thread costs more than such a load, so one is woken
      // for all of a millisecond. Of real time, whatever clock the pipeline has: what a test holds still must not
      // hold loads, and nobody sees a millisecond.
      try? await Task.sleep(for: .milliseconds(1))
    }
    while true {
      switch takeTurn(runner) {
      case .nothing: return
      case .begun(let job, let cell, let operation):
        finish(job, await operation(Handle(jobs: self, job: job, cell: cell)))
        return reconsider()
      case .asked(let job, let subscriber): decide(on: job, subscriber?.wouldOnlyWait ?? false)
      }
    }
  }

  /// What a Swift task does next.
  private enum Turn {
    case nothing
    case begun(Job, PriorityCell, Operation)
    /// The gate is closed for the job, but for those who need not wait behind it.
    case asked(Job, (any JobSubscriber<Key, Value>)?)
  }

  private func takeTurn(_ runner: Runner) -> Turn {
    let open = gate.map { $0.lowestOpenLevel()?.rawValue ?? .max } ?? 0
    // Released outside of the lock.
    var unwanted: [Job] = []
    let (turn, launches) = state.withLock { state -> (Turn, Bool) in
      while let (job, level) = state.line.popFirst() {
        guard !job.isOver, level == job.lineLevel, !job.isHeld, let operation = job.operation else {
          unwanted.append(job)
          continue
        }
        Self.noteOutOfLine(job, &state)
        guard job.hasPassed || level.rawValue >= open else {
          return (.asked(job, job.firstSubscriber), false)
        }
        let cell = PriorityCell(job.level)
        job.operation = nil
        job.cell = cell
        job.runner = runner
        runner.job = job
        state.launchedCount -= 1
        return (.begun(job, cell, operation), takeLaunch(&state))
      }
      state.launchedCount -= 1
      state.idleCount += 1
      return (.nothing, false)
    }
    unwanted = []
    if launches { launch() }
    return turn
  }

  /// Puts a job that would only wait to those who are held back, and any other into the line again, to pass.
  private func decide(on job: Job, _ wouldOnlyWait: Bool) {
    state.withLock { state in
      guard !job.isOver, job.operation != nil, !job.isHeld else { return }
      if wouldOnlyWait {
        Self.hold(job, &state)
      } else {
        job.hasPassed = true
        Self.line(job, &state)
      }
    }
    // The crowd may have gone meanwhile, and with it whoever would have told.
    if wouldOnlyWait { reconsider() }
  }

  /// Lets a job that is held back get in the line again, if the gate is open for it. Called when the crowd behind the
  /// gate may have become smaller, and whenever a job has ended: so as long as any is held back, one that was let
  /// through is still to end, or the gate is closed by others who are.
  func reconsider() {
    guard let open = gate?.lowestOpenLevel() else { return }
    // Released outside of the lock.
    var unwanted: [Job] = []
    let launches = state.withLock { state -> Bool in
      while state.heldCount > 0, let (job, level) = state.held.popFirst(from: open) {
        guard job.isHeld, level == job.lineLevel else {
          unwanted.append(job)
          continue
        }
        job.isHeld = false
        state.heldCount -= 1
        Self.line(job, &state)
        return takeLaunch(&state)
      }
      return false
    }
    unwanted = []
    if launches { launch() }
  }

  private func finish(_ job: Job, _ outcome: Outcome) {
    let (subscribers, news) = state.withLock { state -> ([(any JobSubscriber<Key, Value>)?], JobNews) in
      job.runner = nil
      guard !job.isOver else {
        state.idleCount += 1
        return ([], JobNews())
      }
      state.idleCount = 0
      job.isOver = true
      state.jobs[job.key] = nil
      return (job.takeSubscribers(), job.news)
    }
    for subscriber in subscribers { subscriber?.receive(outcome, after: news) }
  }

  func report(to job: Job, _ note: (_ job: Job, _ number: Int) -> Void) {
    let (listeners, news) = state.withLock { state -> ([any JobSubscriber<Key, Value>], JobNews) in
      guard !job.isOver else { return ([], JobNews()) }
      state.newsCount += 1
      note(job, state.newsCount)
      return (job.listeners, job.news)
    }
    for listener in listeners { listener.receive(news) }
  }
}
