import OzuBase
import OzuTesting

@testable import Ozu

/// The work and the subscribers of these tests.
extension JobRunnerTests {
  /// Work that follows a plan, and records its calls.
  // Its plan is behind a lock, the rest is constant.
  final class Work: JobWork, @unchecked Sendable {
    let name: Int
    let log: Log
    private let plan: Mutex<[JobStep]>

    init(_ name: Int, _ log: Log, _ plan: [JobStep]) {
      self.name = name
      self.log = log
      self.plan = Mutex(plan)
    }

    private func step() -> JobStep {
      plan.withLock { $0.isEmpty ? .finish(succeeded: true) : $0.removeFirst() }
    }

    override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
      switch event {
      case .slot(let input):
        log.note(name, job, after: input)
        defer { log.leave(job.station) }
        return step()
      case .overdue: log.events.withLock { $0.append("resume \(name) overdue") }
      case .begin, .finished, .circular: log.events.withLock { $0.append("resume \(name)") }
      }
      return step()
    }

    override func perform(_ job: RunningJob) async -> JobStep {
      log.note(name, job)
      defer { log.leave(job.station) }
      try? await log.gate.pass()
      return Task.isCancelled ? .finish(succeeded: false) : step()
    }
  }

  /// The recorded events, and the number of running jobs in each station.
  final class Log: Sendable {
    let events = Mutex<[String]>([])
    let counts = Mutex<[StationID: (running: Int, most: Int)]>([:])
    let gate = Gate()

    func note(_ name: Int, _ job: RunningJob, after input: JobWork? = nil) {
      let input = (input as? Work).map { " after \($0.name)" } ?? ""
      events.withLock { $0.append("run \(name) in \(job.station?.index ?? -1)\(input)") }
      guard let station = job.station else { return }
      counts.withLock { counts in
        let before = counts[station] ?? (0, 0)
        counts[station] = (before.running + 1, max(before.most, before.running + 1))
      }
    }

    func leave(_ station: StationID?) {
      guard let station else { return }
      counts.withLock { $0[station]?.running -= 1 }
    }

    var all: [String] { events.withLock { $0 } }
  }

  final class Waiter: JobWaiter {
    let ends = Atomic(0)
    let overdue = Atomic(0)
    let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

    func jobEnded(_ work: JobWork) {
      ends.add(1, ordering: .relaxed)
      onEnd()
    }

    func jobOverdue(_ standing: JobStanding<JobWork>) {
      overdue.add(1, ordering: .relaxed)
    }

    var endCount: Int { ends.load(ordering: .relaxed) }
    var overdueCount: Int { overdue.load(ordering: .relaxed) }
  }

  static func stations(_ width: Int = 2) -> [Station] {
    StationID.allCases.map { Station(width: width, isForeground: $0.index < 3) }
  }

  /// Work that pauses in the middle, without its place.
  // Its members are constant, or behind locks.
  final class Resting: JobWork, @unchecked Sendable {
    let (begun, rest, again) = (Gate(), Gate(), Gate())
    let events = Mutex<[String]>([])

    override func perform(_ job: RunningJob) async -> JobStep {
      try? await begun.pass()
      let isWanted = await job.runner.pause(job, of: self) {
        (try? await rest.pass()) != nil
      }
      events.withLock { $0.append(isWanted ? "on" : "off") }
      if isWanted { try? await again.pass() }
      return .finish(succeeded: isWanted)
    }

    override func didLeaveGraph() { cancellation.raise() }
  }
}
