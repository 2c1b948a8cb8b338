import Foundation
import Ozu
import OzuTesting

/// How the costs of a disk cache grow with the number of its entries: the usual and the worst store, flush and fetch, a
/// miss, closing and opening, the memory that opening takes, and the bytes of all files. Entries of 100 bytes, in a cache
/// that is never full and in one that has been full for as many stores again. SQLite and LMDB beside it where the build
/// has them.
enum DiskCurveBench {
  static let name = "disk-curve"

  static func run(_ options: BenchOptions) throws -> BenchReport {
    var report = BenchReport(benchmark: name)
    for count in [1_000, 10_000, 100_000, 1_000_000] {
      try measure(count, capacity: 1 << 30, "", options, &report)
      // About six tenths of the entries fit, with their share of the index.
      try measure(count, capacity: max(64 << 10, count * 180), "full, ", options, &report)
      try measurePeers(count, options, &report)
    }
    return report
  }

  private static func add(
    _ name: String, _ metric: String, _ samples: [Double], subject: String = "ozu",
    _ report: inout BenchReport
  ) {
    report.rows.append(
      BenchReport.Row(name: name, subject: subject, metric: metric, samples: samples, digits: 3))
  }

  /// The processor time of each call, in microseconds.
  private static func microseconds(_ count: Int, _ work: (Int) throws -> Void) rethrows -> [Double] {
    var samples: [Double] = []
    samples.reserveCapacity(count)
    for number in 0..<count {
      let start = DecodingContext.systemThreadTime()
      try work(number)
      samples.append((DecodingContext.systemThreadTime() - start).milliseconds * 1000)
    }
    return samples
  }

  /// Usual and worst of single calls.
  private static func add(
    _ name: String, calls: [Double], subject: String = "ozu", _ report: inout BenchReport
  ) {
    let sorted = calls.sorted()
    guard let worst = sorted.last else { return }
    add(name + " (median)", "cpu_us", [sorted[sorted.count / 2]], subject: subject, &report)
    add(name + " (worst)", "cpu_us", [worst], subject: subject, &report)
  }

  private static func measure(
    _ count: Int, capacity: Int, _ kind: String, _ options: BenchOptions, _ report: inout BenchReport
  ) throws {
    let folder = try DiskCacheBench.TemporaryFolder()
    let directory = folder.path("cache")
    let body = Data(count: 100)
    let place = "\(kind)\(count) entries: "
    var cache = try DiskCacheBench.open(directory, capacity: capacity)
    if !kind.isEmpty {
      for number in 0..<count { cache.store(body, forKey: DiskCacheBench.key(1 << 41 + number)) }
    }
    let stores = try microseconds(count) { number in
      guard cache.store(body, forKey: DiskCacheBench.key(number)) else { throw DiskCacheBench.Failed() }
    }
    add(place + "store", calls: stores, &report)
    var flushes: [Double] = []
    for round in 0..<20 {
      for number in 0..<300 {
        _ = cache.touch(DiskCacheBench.key(count - 1 - (round * 300 + number) % count))
      }
      flushes += try microseconds(1) { _ in try cache.flush() }
    }
    add(place + "flush after 300 uses", calls: flushes, &report)
    add(place + "largest share of the capacity", "bytes_per_byte", [try share(directory, capacity)], &report)
    let entryCount = cache.count
    add(place + "close", "cpu_ms", microseconds(1) { _ in cache.close() }.map { $0 / 1000 }, &report)
    let bytes = try share(directory, capacity) * Double(capacity)
    add(place + "files", "bytes_per_entry", [bytes / Double(max(1, entryCount))], &report)
    var openings: [Double] = []
    var memory: [Double] = []
    for _ in 0..<max(1, options.rounds) {
      let peak = try PeakMemory.measureTrimmed {
        openings += try microseconds(1) { _ in cache = try DiskCacheBench.open(directory, capacity: capacity)
        }
      }
      if let peak { memory.append(Double(peak) / Double(max(1, entryCount))) }
      cache.close()
    }
    add(place + "open", "cpu_ms", openings.map { $0 / 1000 }, &report)
    add(place + "memory of opening", "bytes_per_entry", memory, &report)
    cache = try DiskCacheBench.open(directory, capacity: capacity)
    let looks = min(count, 100_000)
    let fetches = microseconds(looks) { number in
      _ = cache.entry(forKey: DiskCacheBench.key(count - 1 - number * 7919 % count))
    }
    add(place + "fetch", calls: fetches, &report)
    let missing = (0..<looks).map { DiskCacheBench.key(1 << 40 + $0) }
    for key in missing { _ = cache.contains(key) }
    let start = DecodingContext.systemThreadTime()
    for key in missing where cache.contains(key) { throw DiskCacheBench.Failed() }
    let time = (DecodingContext.systemThreadTime() - start).milliseconds * 1000 / Double(looks)
    add(place + "miss", "cpu_us", [time], &report)
    cache.close()
    withExtendedLifetime(folder) {}
  }

  /// Bytes of the files in a directory, of a capacity.
  private static func share(_ directory: String, _ capacity: Int) throws -> Double {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    let bytes = try names.reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + name)
      return sum + (attributes[.size] as? Int ?? 0)
    }
    return Double(bytes) / Double(capacity)
  }

  private static func measurePeers(
    _ count: Int, _ options: BenchOptions, _ report: inout BenchReport
  ) throws {
    let folder = try DiskCacheBench.TemporaryFolder()
    let body = Data(count: 100)
    for peer in try DiskCachePeers.open(in: folder.path("")) {
      // Their batches of 64 are what one of their calls is.
      let stores = try microseconds(max(1, count / DiskCachePeers.batch)) { batch in
        let first = batch * DiskCachePeers.batch
        try peer.store(body, under: (first..<first + DiskCachePeers.batch).map(DiskCacheBench.key))
      }
      add("\(count) entries: store of 64", calls: stores, subject: peer.name, &report)
      let looks = min(count, 100_000)
      let fetches = try microseconds(looks) { number in
        _ = try peer.fetch(DiskCacheBench.key(number * 7919 % count))
      }
      add("\(count) entries: fetch", calls: fetches, subject: peer.name, &report)
    }
    withExtendedLifetime(folder) {}
  }
}
