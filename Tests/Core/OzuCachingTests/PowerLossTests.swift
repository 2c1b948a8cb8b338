import OzuTesting
import Testing

@testable import OzuCaching
@testable import OzuDiskDrills

/// The table "What is kept" of the module's documentation, by rows. `make drills-disk` does the same with more seeds and
/// samples. Rows 1 and 2 also have `DiskCacheRecoveryTests.crashEverywhere`, where calls are cut short, and
/// `DiskCacheProcessTests.takeover`, where a real process is killed.
@Suite("Loss of power")
struct PowerLossTests {
  private static let seeds: [UInt64] = [1]

  /// The faults of a report, a few of each kind.
  private func comment(_ report: PowerLossCheck.Report, seed: UInt64) -> Comment {
    let texts = report.faults.prefix(5).map(\.description) + report.failures.prefix(5)
    return "seed \(seed), \(report.states) states: \(texts.joined(separator: "\n"))"
  }

  // Proved to fail with records that are not marked as dead, with the metadata's generation written before its area.
  @Test(
    "rows 1 and 2: when the process dies, everything that was stored, removed and updated is kept",
    arguments: [Durability.buffered, .synced], seeds)
  func processDies(durability: Durability, seed: UInt64) throws {
    let workload = PowerLossWorkload(durability: durability, seed: seed)
    let run = try workload.run()
    // The workload does what it is for.
    #expect(run.evictions > 5 && run.compactions > 2 && run.relocations > 5)
    #expect(run.log.operations.count > 200 && run.history.flushes.count > 10)
    let report = PowerLossCheck(workload: workload, run: run).report(
      prefixes: 0...run.log.operations.count, kinds: [.everything], seed: seed)
    #expect(report.isSound, comment(report, seed: seed))
    #expect(report.served > 1000)
  }

  // Proved to fail with the checksum of bodies unchecked.
  @Test(
    "rows 3 and 4: after a loss of power every cache opens, works on, and serves nothing torn",
    arguments: [Durability.buffered, .synced], seeds)
  func nothingTorn(durability: Durability, seed: UInt64) throws {
    let workload = PowerLossWorkload(durability: durability, seed: seed)
    let run = try workload.run()
    var check = PowerLossCheck(workload: workload, run: run, promise: .whole)
    var report = check.report(
      prefixes: 0...run.log.operations.count, kinds: [.synchronizedOnly, .sample(0)], seed: seed)
    // Torn bodies there were: the checksums have found them.
    #expect(report.damaged > 20)
    check.goesOn = true
    report.add(
      check.report(
        prefixes: stride(from: 0, to: run.log.operations.count, by: 60), samplesPerPrefix: 2, seed: seed))
    #expect(report.isSound, comment(report, seed: seed))
  }

  // Fails with a flush that does not synchronize, and with one that leaves out the directory.
  @Test("rows 3 and 4: an entry that a synced cache flushed is kept when nothing else is", arguments: seeds)
  func flushed(seed: UInt64) throws {
    let workload = PowerLossWorkload(durability: .synced, seed: seed)
    let run = try workload.run()
    let report = PowerLossCheck(workload: workload, run: run).report(
      prefixes: 0...run.log.operations.count, kinds: [.everything, .synchronizedOnly], seed: seed)
    #expect(report.isSound, comment(report, seed: seed))
    #expect(report.served > 1000)
  }

  @Test(
    "rows 3 and 4: an entry that a synced cache flushed is kept, whatever else is kept",
    arguments: seeds)
  func flushedAmongOthers(seed: UInt64) throws {
    let workload = PowerLossWorkload(durability: .synced, seed: seed)
    let run = try workload.run()
    let report = PowerLossCheck(workload: workload, run: run).report(
      prefixes: 0...run.log.operations.count, kinds: [.namesOnly, .sample(0), .sample(1)], seed: seed)
    #expect(report.count(of: .older) == 0, comment(report, seed: seed))
    #expect(report.count(of: .neverStored) == 0, comment(report, seed: seed))
    #expect(report.failures.isEmpty, comment(report, seed: seed))
    #expect(report.isSound, comment(report, seed: seed))
  }

  // Proved to fail with copies that are not synchronized before the original goes.
  @Test("rows 3 and 4: an entry that is being copied is kept when nothing else is, or only names")
  func copies() throws {
    let (missing, states) = try PowerLossCopies.missing([.everything, .synchronizedOnly, .namesOnly])
    #expect(missing.isEmpty && states > 50, "\(missing.joined(separator: "\n"))")
  }

  @Test("rows 3 and 4: an entry that was being copied when the process died is kept after the next opening")
  func copiesOfTheDead() throws {
    let (missing, states) = try PowerLossCopies.missing(
      [.everything, .synchronizedOnly, .namesOnly], hasDied: true)
    #expect(missing.isEmpty && states > 20, "\(missing.joined(separator: "\n"))")
  }

  @Test("rows 3 and 4: an entry that is being copied is kept, whatever else is kept")
  func tornCopies() throws {
    let (missing, states) = try PowerLossCopies.missing(Set((0..<60).map { .sample($0) }))
    #expect(states > 1000)
    #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
  }

  // Proved to fail with a flush that leaves out what was handed over, with offered records that are marked as dead before
  // their copies are durable, and with offers that are removed before.
  @Test(
    "rows 3 and 4: an entry that was offered and flushed is kept, at every step of its adoption"
  )
  func offers() throws {
    let (missing, states) = try PowerLossOffers.missing([
      .everything, .synchronizedOnly, .namesOnly, .sample(0), .sample(1), .sample(2),
    ])
    #expect(states > 300)
    #expect(missing.isEmpty, "\(missing.prefix(5).joined(separator: "\n"))")
  }

  @Test(
    "rows 3 and 4: a buffered cache loses entries and returns older versions, as the table says"
  )
  func bufferedLoses() throws {
    let workload = PowerLossWorkload(durability: .buffered, seed: 1)
    let run = try workload.run()
    // So does a synced cache whose flush does not synchronize: this is how the check would notice.
    let report = PowerLossCheck(workload: workload, run: run, promise: .flushed).report(
      prefixes: stride(from: 0, to: run.log.operations.count, by: 3), samplesPerPrefix: 1, seed: 1)
    #expect(report.count(of: .missing) > 100)
    #expect(report.count(of: .older) > 0)
    #expect(report.count(of: .neverStored) == 0)
    #expect(report.failures.isEmpty)
  }

  @Test("power may be lost again while a cache opens", arguments: [Durability.buffered, .synced])
  func secondLoss(durability: Durability) throws {
    let workload = PowerLossWorkload(durability: durability, seed: 3)
    let run = try workload.run()
    let report = PowerLossCheck(workload: workload, run: run).reportOfRecovery(
      prefixes: stride(from: 9, to: run.log.operations.count, by: 90),
      kinds: [.everything, .synchronizedOnly],
      seed: 3)
    #expect(report.isSound, comment(report, seed: 3))
    #expect(report.states > 30)
  }
}
