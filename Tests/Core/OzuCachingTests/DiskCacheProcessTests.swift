import Foundation
import OzuTesting
import Testing

@testable import OzuCaching
@testable import OzuDiskDrills

/// Real processes on one directory: the worker of the drills.
@Suite("Processes on one directory")
struct DiskCacheProcessTests {
  /// The worker that was built with these tests.
  private static var program: String { get throws { try builtProgram("OzuDiskDrills").path } }

  /// Runs `body` with a directory that is removed after.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "ozu-processes-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  @Test(
    "a process reads the entries that another one flushed, and becomes the writer when that one is killed",
    arguments: [1, 3, 9])
  func takeover(flushes: Int) throws {
    try withDirectory { directory in
      let worker = try DrillProcess(program: Self.program, ["work", directory, "0"])
      #expect(worker.line() == "writer")
      var flushed = 0
      for _ in 0..<flushes {
        if let line = worker.line() { flushed = Int(line.dropFirst(8)) ?? 0 }
      }
      let cache = try DiskCache(
        directory: directory,
        configuration: DiskCacheConfiguration(capacity: 64 << 20) { $0.refreshInterval = 0 })
      #expect(!cache.statistics.isWriter)
      #expect(DrillCheck(cache, flushed: flushed).isSound)
      #expect(cache.store(Data([1]), forKey: CacheKey("mine")))
      #expect(cache.statistics.offered == 1)
      for line in worker.kill() { flushed = Int(line.dropFirst(8)) ?? flushed }
      #expect(cache.store(Data([2]), forKey: CacheKey("yours")))
      #expect(cache.entry(forKey: CacheKey("mine"))?.body == Data([1]))
      #expect(cache.statistics.isWriter)
      #expect(DrillCheck(cache, flushed: flushed).isSound)
    }
  }

  @Test("of two processes that store, one writes, and both end without an error")
  func twoWriters() throws {
    try withDirectory { directory in
      let first = try DrillProcess(program: Self.program, ["work", directory, "300"])
      #expect(first.line() == "writer")
      let second = try DrillProcess(program: Self.program, ["work", directory, "300"])
      _ = first.lines()
      _ = second.lines()
      #expect(first.status == 0)
      #expect(second.status == 0)
      let cache = try DiskCache(
        directory: directory, configuration: DiskCacheConfiguration(capacity: 64 << 20))
      let check = DrillCheck(cache, flushed: 0)
      #expect(check.bad == 0)
      #expect(check.whole == DrillEntry.keyCount)
    }
  }
}
