import Foundation
import Ozu

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The cost of opening a disk cache with many entries: after closing, after a crash, and from a cold disk.
enum DiskOpeningBench {
  static func measure(
    entries: Int, _ options: BenchOptions, _ folder: DiskCacheBench.TemporaryFolder,
    _ report: inout BenchReport
  ) throws {
    let directory = folder.path("opening")
    let cache = try DiskCacheBench.open(directory)
    let body = Data(count: 200)
    for number in 0..<entries where !cache.store(body, forKey: DiskCacheBench.key(number)) {
      throw DiskCacheBench.Failed()
    }
    cache.close()
    let first = DiskCacheBench.key(entries / 2)
    var samples: [Double] = []
    for round in 0...options.rounds {
      let start = DecodingContext.systemThreadTime()
      let cache = try DiskCacheBench.open(directory)
      if cache.entry(forKey: first) == nil { throw DiskCacheBench.Failed() }
      let time = (DecodingContext.systemThreadTime() - start).milliseconds
      if round > 0 { samples.append(time) }
      // Closing stores the index again, which is not opening.
      cache.close()
    }
    report.rows.append(
      BenchReport.Row(
        name: "open-\(entries)-and-first-hit", subject: "ozu", metric: "cpu_ms", samples: samples, digits: 3))
    try measureOpeningAfterCrash(entries, options, folder, &report)
    #if os(Linux)
      try measureColdOpening(directory, entries, first, options, &report)
    #endif
    let index = try ["index", "pages"].reduce(0) { sum, name in
      sum + (try FileManager.default.attributesOfItem(atPath: directory + "/" + name)[.size] as? Int ?? 0)
    }
    report.rows.append(
      BenchReport.Row(
        name: "index", subject: "ozu", metric: "bytes_per_entry",
        samples: [Double(index) / Double(max(1, entries))]))
  }

  /// The same where the writer ended without closing: its files are copied while it is open, so the stored index is
  /// older than the segments and what came after must be found in them.
  private static func measureOpeningAfterCrash(
    _ entries: Int, _ options: BenchOptions, _ folder: DiskCacheBench.TemporaryFolder,
    _ report: inout BenchReport
  ) throws {
    let living = folder.path("living")
    let body = Data(count: 200)
    // Segments of a part in 32 of this: of 100,000 entries the last tenth or so came after the stored index.
    let capacity = max(1 << 20, entries * 360)
    let writer = try DiskCacheBench.open(living, capacity: capacity)
    for number in 0..<entries where !writer.store(body, forKey: DiskCacheBench.key(number)) {
      throw DiskCacheBench.Failed()
    }
    try writer.flush()
    let first = DiskCacheBench.key(entries - 1)
    var samples: [Double] = []
    for round in 0...options.rounds {
      let directory = folder.path("crashed-\(round)")
      try FileManager.default.copyItem(atPath: living, toPath: directory)
      let start = DecodingContext.systemThreadTime()
      let cache = try DiskCacheBench.open(directory, capacity: capacity)
      if cache.entry(forKey: first) == nil { throw DiskCacheBench.Failed() }
      let time = (DecodingContext.systemThreadTime() - start).milliseconds
      if round > 0 { samples.append(time) }
      cache.close()
      try FileManager.default.removeItem(atPath: directory)
    }
    writer.close()
    report.rows.append(
      BenchReport.Row(
        name: "open-\(entries)-after-crash-and-first-hit", subject: "ozu", metric: "cpu_ms", samples: samples,
        digits: 3))
  }

  #if os(Linux)
    /// The same from the disk: before each opening the files are written out and dropped from the page cache.
    private static func measureColdOpening(
      _ directory: String, _ entries: Int, _ first: CacheKey, _ options: BenchOptions,
      _ report: inout BenchReport
    ) throws {
      var (cpu, wall): ([Double], [Double]) = ([], [])
      for round in 0...options.rounds {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
          let file = Glibc.open(directory + "/" + name, O_RDONLY | O_CLOEXEC)
          guard file >= 0 else { continue }
          fsync(file)
          posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
          Glibc.close(file)
        }
        let (start, time) = (ContinuousClock.now, DecodingContext.systemThreadTime())
        let cache = try DiskCacheBench.open(directory)
        if cache.entry(forKey: first) == nil { throw DiskCacheBench.Failed() }
        if round > 0 {
          cpu.append((DecodingContext.systemThreadTime() - time).milliseconds)
          wall.append((ContinuousClock.now - start).milliseconds)
        }
        cache.close()
      }
      for (metric, samples) in [("cpu_ms", cpu), ("wall_ms", wall)] {
        report.rows.append(
          BenchReport.Row(
            name: "open-\(entries)-cold-and-first-hit", subject: "ozu", metric: metric, samples: samples,
            digits: 3))
      }
    }
  #endif
}
