import Foundation
import OzuCaching

/// The drills. Each ends with a look at every entry: the cache may serve no entry that was not stored.
struct DiskDrills {
  let program: String
  let kills: Int
  let root = FileManager.default.temporaryDirectory.appending(path: "ozu-drills-\(UUID())").path

  init(program: String, kills: Int) {
    self.program = program
    self.kills = kills
  }

  /// Runs the drills with these names, or all, prints a line for each, and returns whether all succeeded.
  func run(_ names: some Collection<String>) throws -> Bool {
    defer { try? FileManager.default.removeItem(atPath: root) }
    var isGood = true
    let drills: KeyValuePairs = [
      "killing": killing, "following": following, "full-disk": fullDisk, "vanishing": vanishingDirectory,
      "two-writers": twoWriters, "capacity": capacity, "flushing": flushing, "failing": failingStores,
      "copying": copying, "processes": manyProcesses, "visitors": killedVisitors, "power": losingPower,
      "waiting": waiting,
    ]
    for (name, drill) in drills where names.isEmpty || names.contains(name) {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      if try !drill() { isGood = false }
      try FileManager.default.removeItem(atPath: root)
    }
    return isGood
  }

  func open(_ directory: String) throws -> DiskCache {
    try DiskCache(
      directory: directory, configuration: DiskCacheConfiguration(capacity: DrillWorker.capacity))
  }

  func report(_ name: String, _ isGood: Bool, _ text: String) -> Bool {
    print("\(isGood ? "ok    " : "FAILED") \(name): \(text)")
    // Drills that are stopped have said what they found.
    fflush(nil)
    return isGood
  }

  /// Kills the worker, which tears its writes, after a random number of flushes and a random time.
  private func killing() throws -> Bool {
    let directory = root + "/kills"
    var total = (whole: 0, bad: 0, lost: 0, replaced: 0, unknown: 0, corrupt: 0, uncounted: 0)
    for _ in 0..<kills {
      let worker = try DrillProcess(program: program, ["tear", directory, "0"])
      var flushed = 0
      func note(_ line: String) {
        if line.hasPrefix("flushed "), let version = Int(line.dropFirst(8)) { flushed = version }
      }
      // Half of the lives are long enough for the index to be written.
      for _ in 0...Int.random(in: 0..<(Bool.random() ? 12 : 60)) {
        if let line = worker.line() { note(line) }
      }
      usleep(UInt32.random(in: 0..<3000))
      for line in worker.kill() { note(line) }
      let cache = try open(directory)
      // Bytes that the kill left behind the last whole record are cut off, or counted.
      if try byteCount(directory) != cache.totalByteCount { total.uncounted += 1 }
      let check = DrillCheck(cache, flushed: flushed, isKilled: true)
      total.whole += check.whole
      total.bad += check.bad
      total.lost += check.lost
      total.replaced += check.replaced
      total.unknown += check.unknown
      total.corrupt += cache.statistics.corruptEntries
      // Half of the time the next worker finds the files as the kill left them, not as a normal `close` wrote them.
      if Bool.random() {
        cache.close()
      } else {
        try? FileManager.default.removeItem(atPath: directory + "/index")
      }
    }
    // A kill that tears no record proves nothing about checksums.
    let isTorn = total.corrupt > 0 || kills < 60
    return report(
      "\(kills) times kill -9 during torn stores of 30 KB",
      total.bad == 0 && total.lost == 0 && total.unknown == 0 && total.uncounted == 0 && isTorn,
      "\(total.whole) entries whole, \(total.bad) bad, \(total.lost) flushed ones lost, \(total.replaced) while replaced, "
        + "\(total.unknown) known but absent, \(total.corrupt) found damaged, "
        + "\(total.uncounted) times bytes not counted")
  }

  /// The bytes of all segments and offers, and of both files of the index.
  private func byteCount(_ directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(".segment") || $0.hasSuffix(".offer") || $0 == "index" || $0 == "pages"
    }.reduce(0) {
      $0 + (try FileManager.default.attributesOfItem(atPath: directory + "/" + $1)[.size] as? Int ?? 0)
    }
  }

  /// Looks at all entries again and again while the worker replaces and moves them.
  private func following() throws -> Bool {
    let directory = root + "/following"
    let worker = try DrillProcess(program: program, ["work", directory, "0"])
    let role = worker.line()
    let cache = try DiskCache(
      directory: directory,
      configuration: DiskCacheConfiguration(capacity: DrillWorker.capacity) { $0.refreshInterval = 0 })
    var total = (looks: 0, bad: 0, lost: 0)
    var flushed = 0
    while total.looks < min(max(kills, 20), 200) {
      // Each look begins at least one round of the worker after the former one.
      for _ in 0..<DrillEntry.keyCount / DrillWorker.storesPerFlush {
        if let line = worker.line(), let version = Int(line.dropFirst(8)) { flushed = version }
      }
      let check = DrillCheck(cache, flushed: flushed)
      total.looks += 1
      total.bad += check.bad
      total.lost += check.lost
    }
    _ = worker.kill()
    return report(
      "reading while another process writes",
      role == "writer" && flushed > 0 && total.bad == 0 && total.lost == 0,
      "\(total.looks) looks up to version \(flushed), \(total.bad) bad, \(total.lost) flushed ones missed")
  }

  /// A disk of four megabytes, which only root can make.
  private func fullDisk() throws -> Bool {
    let name = "full disk"
    let directory = root + "/small"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    guard geteuid() == 0, try tool("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", directory) else {
      print("skipped \(name): mounting a small tmpfs is not permitted here")
      return true
    }
    defer { _ = try? tool("umount", directory) }
    let worker = try DrillProcess(program: program, ["work", directory + "/cache", "600"])
    let last = worker.lines().last ?? ""
    let cache = try open(directory + "/cache")
    let check = DrillCheck(cache, flushed: 0)
    cache.close()
    return report(
      name, worker.status == 0 && check.bad == 0 && check.whole > 0 && !last.hasSuffix("errors 0"),
      "\(check.whole) whole, \(check.bad) bad; the worker \(last)")
  }

  /// Removes the directory again and again while the worker stores.
  private func vanishingDirectory() throws -> Bool {
    let directory = root + "/vanishing"
    let worker = try DrillProcess(program: program, ["work", directory, "4000"])
    for _ in 0..<20 {
      // However slow the worker is, it begins before the first removal and stores between two of them.
      for _ in 0..<3 { _ = worker.line() }
      usleep(UInt32.random(in: 0..<2000))
      try? FileManager.default.removeItem(atPath: directory)
    }
    let last = worker.lines().last ?? ""
    let cache = try open(directory)
    let check = DrillCheck(cache, flushed: 0)
    return report(
      "directory removed 20 times under way", worker.status == 0 && check.bad == 0 && check.whole > 0,
      "\(check.whole) whole, \(check.bad) bad; the worker, status \(worker.status): \(last)")
  }

  /// Two workers on one directory: one writes at a time, and both end well.
  private func twoWriters() throws -> Bool {
    let directory = root + "/two"
    let first = try DrillProcess(program: program, ["work", directory, "3000"])
    let second = try DrillProcess(program: program, ["work", directory, "3000"])
    let roles = [first.line() ?? "", second.line() ?? ""]
    let ends = [first.lines().last ?? "", second.lines().last ?? ""]
    let check = DrillCheck(try open(directory), flushed: 0)
    return report(
      "two writers",
      first.status == 0 && second.status == 0 && roles.sorted() == ["reader", "writer"] && check.bad == 0
        && check.whole > 0,
      "roles \(roles); \(check.whole) whole, \(check.bad) bad; \(ends)")
  }

  private func tool(_ arguments: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
