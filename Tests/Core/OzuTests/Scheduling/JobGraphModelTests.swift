import OzuSchedulerDrills
import OzuTesting
import Testing

@Suite("The scheduler and its naive model")
struct JobGraphModelTests {
  /// As `make drills-scheduler` does with a hundred thousand seeds.
  @Test("agree after every random operation", arguments: Cases.every(3, of: Array(0..<6 as Range<UInt64>)))
  func agree(part: UInt64) throws {
    var total = ModelRun.Coverage()
    for seed in part * 50..<(part + 1) * 50 {
      var run = ModelRun(seed: seed, jobCount: seed % 10 == 0 ? 200...300 : 20...50)
      try run.run()
      total.add(run.coverage)
    }
    // Each kind of event occurs many times; otherwise the comparison would prove little.
    #expect(total.jobs >= 2000)
    #expect(
      [
        total.joins, total.cancelled, total.abandoned, total.successors, total.overdue, total.parked,
        total.alarms,
        total.lent, total.heldBack, total.nested, total.originFull,
      ].allSatisfy { $0 > 50 }, "\(total)")
    #expect([total.circular, total.endless, total.freed].allSatisfy { $0 > 5 }, "\(total)")
  }
}
