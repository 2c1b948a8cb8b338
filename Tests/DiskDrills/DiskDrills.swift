import Foundation
import OzuCaching

/// The drills: each ends with a look at every entry, and none may be served that was not stored.
struct DiskDrills {
  let program: String
  let kills: Int
  private let root = FileManager.default.temporaryDirectory.appending(path: "ozu-drills-\(UUID())").path

  init(program: String, kills: Int) {
    self.program = program
    self.kills = kills
  }

  /// Runs all, prints a line for each, and returns whether all went well.
  func run() throws -> Bool {
    defer { try? FileManager.default.removeItem(atPath: root) }
    var isGood = true
    for drill in [killing, following, fullDisk, vanishingDirectory, twoWriters] {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      if try !drill() { isGood = false }
      try FileManager.default.removeItem(atPath: root)
    }
    return isGood
  }

  private func open(_ directory: String) throws -> DiskCache {
    try DiskCache(
      directory: directory, configuration: DiskCacheConfiguration(capacity: DrillWorker.capacity))
  }

  private func report(_ name: String, _ isGood: Bool, _ text: String) -> Bool {
    print("\(isGood ? "ok    " : "FAILED") \(name): \(text)")
    return isGood
  }

  /// Kills the worker after a random number of flushes and a random moment more.
  private func killing() throws -> Bool {
    let directory = root + "/kills"
    var total = (whole: 0, bad: 0, lost: 0, corrupt: 0)
    for _ in 0..<kills {
      let worker = try DrillProcess(program: program, ["work", directory, "0"])
      var flushed = 0
      func note(_ line: String) {
        if line.hasPrefix("flushed "), let version = Int(line.dropFirst(8)) { flushed = version }
      }
      for _ in 0...Int.random(in: 0..<12) {
        if let line = worker.line() { note(line) }
      }
      usleep(UInt32.random(in: 0..<3000))
      for line in worker.kill() { note(line) }
      let cache = try open(directory)
      let check = DrillCheck(cache, flushed: flushed)
      total.whole += check.whole
      total.bad += check.bad
      total.lost += check.lost
      total.corrupt += cache.statistics.corruptEntries
      // Half of the time the next worker finds what the kill left, not what a good closing wrote.
      if Bool.random() {
        cache.close()
      } else {
        try? FileManager.default.removeItem(atPath: directory + "/index")
      }
    }
    return report(
      "\(kills) times kill -9 during 30 KB stores", total.bad == 0 && total.lost == 0,
      "\(total.whole) entries whole, \(total.bad) bad, \(total.lost) flushed ones lost, \(total.corrupt) found damaged"
    )
  }

  /// Looks at all entries again and again while the worker replaces and moves them.
  private func following() throws -> Bool {
    let directory = root + "/following"
    let worker = try DrillProcess(program: program, ["work", directory, "0"])
    let role = worker.line()
    let cache = try DiskCache(
      directory: directory,
      configuration: DiskCacheConfiguration(capacity: DrillWorker.capacity, refreshInterval: 0))
    var total = (looks: 0, bad: 0, lost: 0)
    var flushed = 0
    while total.looks < 200 {
      // Each look begins one round of the worker after the former one, or later.
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

  /// The directory goes again and again while the worker stores.
  private func vanishingDirectory() throws -> Bool {
    let directory = root + "/vanishing"
    let worker = try DrillProcess(program: program, ["work", directory, "4000"])
    for _ in 0..<20 {
      usleep(5000)
      try? FileManager.default.removeItem(atPath: directory)
    }
    let last = worker.lines().last ?? ""
    let cache = try open(directory)
    let check = DrillCheck(cache, flushed: 0)
    return report(
      "directory removed 20 times under way", worker.status == 0 && check.bad == 0 && check.whole > 0,
      "\(check.whole) whole, \(check.bad) bad; the worker \(last)")
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
