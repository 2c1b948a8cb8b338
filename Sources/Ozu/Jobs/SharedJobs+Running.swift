/// How jobs come to run: the line, the Swift tasks that take from it, and the gate that holds some back.
extension SharedJobs {
  /// Moves a job that has not begun behind the others of its new level.
  static func moveInLine(_ job: Job, _ state: inout State) {
    guard job.operation != nil, job.lineLevel != job.level else { return }
    job.lineLevel = job.level
    // The caller asks the gate again after the lock is open: it may be open for a higher level.
    if job.isHeld { appendToHeld(job, &state) } else { line(job, &state) }
  }

  /// Puts a job at the end of its level, to begin.
  static func line(_ job: Job, _ state: inout State) {
    state.lastTurn += 1
    job.turn = state.lastTurn
    state.line.append(job, turn: job.turn, level: job.lineLevel)
    if !job.isInLine {
      job.isInLine = true
      state.waitingCount += 1
    }
    compactLine(&state)
  }

  /// Notes that a job no longer waits to begin. Its entry is stale, or has been popped.
  static func noteOutOfLine(_ job: Job, _ state: inout State) {
    guard job.isInLine else { return }
    job.isInLine = false
    job.turn = 0
    state.waitingCount -= 1
  }

  /// Removes a job from those that wait to begin. Its entry stays behind, unless it is the last: then a job that is
  /// started and cancelled at once leaves nothing.
  static func removeFromLine(_ job: Job, _ state: inout State) {
    guard job.isInLine else { return }
    let turn = job.turn
    noteOutOfLine(job, &state)
    state.line.removeLast(turn: turn, level: job.lineLevel)
    compactLine(&state)
  }

  static func hold(_ job: Job, _ state: inout State) {
    noteOutOfLine(job, &state)
    job.isHeld = true
    state.heldCount += 1
    appendToHeld(job, &state)
  }

  /// Removes a job from those that the gate holds back.
  static func removeFromHeld(_ job: Job, _ state: inout State) {
    job.isHeld = false
    job.turn = 0
    state.heldCount -= 1
    compactHeld(&state)
  }

  private static func appendToHeld(_ job: Job, _ state: inout State) {
    state.lastTurn += 1
    job.turn = state.lastTurn
    state.held.append(job, turn: job.turn, level: job.lineLevel)
    compactHeld(&state)
  }

  // Compaction releases jobs under the lock: jobs that are over, which hold nothing of the app any more, and jobs
  // that others hold too.

  private static func compactLine(_ state: inout State) {
    state.line.compact(validCount: state.waitingCount) { $0.job.turn == $0.turn }
  }

  private static func compactHeld(_ state: inout State) {
    state.held.compact(validCount: state.heldCount) { $0.job.turn == $0.turn }
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
    while true {
      switch takeTurn(runner) {
      // The job that this was made for may have been let through by the gate and cancelled since.
      case .nothing: return reconsider()
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
      while let entry = state.line.popFirst() {
        let job = entry.job
        guard job.turn == entry.turn, let operation = job.operation else {
          unwanted.append(job)
          continue
        }
        Self.noteOutOfLine(job, &state)
        guard job.hasPassed || job.lineLevel.rawValue >= open else {
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
    // The crowd may have gone before the job was held: then nothing else would let it through.
    if wouldOnlyWait { reconsider() }
  }

  /// Lets one job that is held back through, if the gate is open for it.
  ///
  /// Called when the crowd behind the gate may have become smaller, and when a job ends in any way: finished, cancelled
  /// while it ran, or cancelled after it was let through and before it began. So while jobs are held back, either the
  /// gate is closed for them, or a job that was let through is still to end and lets the next one through then.
  func reconsider() {
    guard let open = gate?.lowestOpenLevel() else { return }
    // Released outside of the lock.
    var unwanted: [Job] = []
    let launches = state.withLock { state -> Bool in
      while state.heldCount > 0, let entry = state.held.popFirst(from: open) {
        let job = entry.job
        guard job.turn == entry.turn else {
          unwanted.append(job)
          continue
        }
        Self.removeFromHeld(job, &state)
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
      guard !job.isOver else { return ([], JobNews()) }
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
