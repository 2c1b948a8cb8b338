import Foundation
import OzuCaching

// Many processes that load the same things.
extension DiskDrills {
  /// Compares eight processes that load from one folder at once with one process that makes as many loads: each process must
  /// find the entries that the others have stored.
  func manyProcesses() throws -> Bool {
    let loads = 2000
    let together = try visits(of: 8, loads: loads, in: root + "/together")
    let alone = try visits(of: 1, loads: 8 * loads, in: root + "/alone")
    return report(
      "eight processes that load \(loads) each, and one that loads as many",
      together.bad + alone.bad + alone.dropped == 0 && together.loads == alone.loads
        && together.dropped * 10 < together.loads - together.hits && together.hitRate >= alone.hitRate * 0.95,
      String(
        format: "%.1f %% found, %.1f %% by one alone; %d bad, %d of %d stores dropped",
        together.hitRate * 100, alone.hitRate * 100, together.bad, together.dropped,
        together.loads - together.hits))
  }

  private func visits(of count: Int, loads: Int, in directory: String) throws -> DrillVisitor.Visits {
    let visitors = try (0..<count).map {
      try DrillProcess(program: program, ["visit", directory, "\(loads)", "\($0 + 1)"])
    }
    var sum = DrillVisitor.Visits()
    for visitor in visitors {
      for line in visitor.lines() {
        if let visits = DrillVisitor.Visits(line) { sum += visits }
      }
    }
    return sum
  }

  /// Kills processes that offer entries and processes that adopt them, at any moment: no bad entry may be served, and the
  /// offers of the killed processes must be removed.
  func killedVisitors() throws -> Bool {
    let directory = root + "/killed"
    var visitors = try (0..<4).map { try DrillProcess(program: program, ["visit", directory, "0", "\($0)"]) }
    for round in 0..<max(20, kills / 2) {
      usleep(UInt32.random(in: 10_000..<80_000))
      let victim = Int.random(in: 0..<4)
      _ = visitors[victim].kill()
      visitors[victim] = try DrillProcess(program: program, ["visit", directory, "0", "\(round + 10)"])
    }
    for visitor in visitors { _ = visitor.kill() }
    let cache = try DiskCache(
      directory: directory, configuration: DiskCacheConfiguration(capacity: DrillVisitor.capacity))
    let keys = (0..<DrillVisitor.keyCount).map { (number: $0, key: CacheKey("visit \($0)")) }
    var (whole, bad) = (0, 0)
    for (number, key) in keys {
      guard let body = cache.entry(forKey: key)?.body else { continue }
      if body == DrillVisitor.body(number) { whole += 1 } else { bad += 1 }
    }
    // The second look removes the offers of the killed processes.
    try cache.flush()
    let offers = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(".offer")
    }
    return report(
      "processes that hand over entries are killed", bad == 0 && whole > 100 && offers.count == 1,
      "\(whole) entries whole, \(bad) bad, \(offers.count) offers left")
  }
}
