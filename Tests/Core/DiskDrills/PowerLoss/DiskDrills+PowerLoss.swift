import OzuCaching

// Disks in memory that lose power.
extension DiskDrills {
  /// Loses power while a flushed entry is copied.
  func copying() throws -> Bool {
    let (missing, states) = try PowerLossCopies.missing([.everything, .synchronizedOnly, .namesOnly])
    return report(
      "loss of power while an entry is copied", missing.isEmpty && states > 50,
      "\(states) disks, \(missing.count) without the entry \(missing.prefix(3))")
  }

  /// Loses power after each operation of workloads of two hundred calls. There is one workload for each twenty kills.
  func losingPower() throws -> Bool {
    var isGood = true
    for durability in [Durability.buffered, .synced] {
      var total = PowerLossCheck.Report()
      let count = max(1, kills / 20)
      for seed in 1...UInt64(count) {
        let workload = PowerLossWorkload(durability: durability, seed: seed)
        let run = try workload.run()
        var check = PowerLossCheck(workload: workload, run: run)
        total.add(check.report(prefixes: 0...run.log.operations.count, samplesPerPrefix: 4, seed: seed))
        let some = stride(from: Int(seed) % 40, to: run.log.operations.count, by: 40)
        total.add(check.reportOfRecovery(prefixes: some, kinds: PowerLossCheck.kinds(1), seed: seed))
        check.goesOn = true
        total.add(check.report(prefixes: some, samplesPerPrefix: 4, seed: seed))
      }
      let faults = total.faults.prefix(3).map(\.description) + total.failures.prefix(3)
      let isSound = report(
        "loss of power in a \(durability) cache, \(count) workloads",
        total.isSound && total.served > 1000 && total.damaged > 0,
        "\(total.states) disks, \(total.served) entries whole, \(total.damaged) found damaged; "
          + "\(total.faults.count) wrong, \(total.failures.count) caches fail \(faults)"
      )
      isGood = isGood && isSound
    }
    return isGood
  }
}
