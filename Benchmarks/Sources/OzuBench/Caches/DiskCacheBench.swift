import Foundation
@_spi(Benchmarks) import Ozu
import OzuTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The cost of storing, fetching, missing and opening with the disk cache on this machine, beside system calls that only
/// move the bytes.
enum DiskCacheBench {
  static let name = "disk-cache"
  private static let length = 30_000

  static func run(_ options: BenchOptions) throws -> BenchReport {
    var report = BenchReport(benchmark: name)
    let folder = try TemporaryFolder()
    let count = max(20, options.operations / 100)
    try measureEntries(count, options, folder, &report)
    try DiskOpeningBench.measure(entries: options.operations / 2, options, folder, &report)
    try measureAmplification(folder, &report)
    return report
  }

  static func key(_ number: Int) -> CacheKey {
    var random = SeededGenerator(seed: UInt64(number))
    return CacheKey(high: random.next(), low: random.next())
  }

  static func open(
    _ directory: String, capacity: Int = 8 << 30
  ) throws -> DiskCache {
    try DiskCache(directory: directory, configuration: DiskCacheConfiguration(capacity: capacity))
  }

  private static func measureEntries(
    _ count: Int, _ options: BenchOptions, _ folder: TemporaryFolder, _ report: inout BenchReport
  ) throws {
    let body = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let cache = try open(folder.path("entries"))
    let files = try SystemCalls(folder.path("calls"))
    let peers = try DiskCachePeers.open(in: folder.path(""))
    // Every round stores new keys and appends new bytes: what is measured is a cache that fills.
    var stored = 0
    var written = 0
    var storedByPeers = peers.map { _ in 0 }
    let stores = [
      Rounds.Subject(name: "ozu") {
        for _ in 0..<count {
          if !cache.store(body, forKey: key(stored)) { throw Failed() }
          stored += 1
        }
      },
      Rounds.Subject(name: "yardstick:append") {
        for _ in 0..<count {
          try files.append(body, at: written)
          written += length
        }
      },
      // The least cost of an append with a checksum.
      Rounds.Subject(name: "yardstick:checksum-and-append") {
        for _ in 0..<count {
          try files.appendWithChecksum(body, at: written)
          written += length
        }
      },
      Rounds.Subject(name: "yardstick:file-per-entry") {
        for number in 0..<count { try files.replace(body, name: "\(number)") }
      },
    ]
    let peerStores = peers.enumerated().map { index, peer in
      Rounds.Subject(name: peer.name) {
        try peer.store(body, under: (0..<count).map { key(storedByPeers[index] + $0) })
        storedByPeers[index] += count
      }
    }
    try add("store-30KB", stores + peerStores, count, options, &report)
    var order = (0..<count).map { $0 }
    var random = SeededGenerator(seed: 5)
    order.shuffle(using: &random)
    let keys = order.map(key)
    let fetches = [
      Rounds.Subject(name: "ozu") {
        for key in keys where cache.entry(forKey: key)?.body.count != length { throw Failed() }
      },
      Rounds.Subject(name: "yardstick:pread") {
        for number in order { try files.read(length, at: number * length) }
      },
      // The least cost of a verified read, with this checksum.
      Rounds.Subject(name: "yardstick:pread-and-checksum") {
        for number in order where try files.checksum(length, at: number * length) == 0 { throw Failed() }
      },
      Rounds.Subject(name: "yardstick:open-read-close") {
        for number in order { try files.readFile("\(number)", length) }
      },
    ]
    let peerFetches = peers.map { peer in
      Rounds.Subject(name: peer.name) {
        for key in keys where try peer.fetch(key) != length { throw Failed() }
      }
    }
    try add("fetch-30KB", fetches + peerFetches, count, options, &report)
    let metadata = Data(count: 300)
    for key in keys.prefix(100) { cache.store(body, metadata: metadata, forKey: key, in: "validated") }
    let update = Rounds.Subject(name: "ozu") {
      for number in 0..<count
      where !cache.updateMetadata(metadata, forKey: keys[number % min(100, count)], in: "validated") {
        throw Failed()
      }
    }
    try add("update-metadata", [update], count, options, &report)
    let absent = (0..<count * 20).map { key($0 + 1 << 40) }
    let miss = Rounds.Subject(name: "ozu") {
      for key in absent where cache.entry(forKey: key) != nil { throw Failed() }
    }
    let peerMisses = peers.map { peer in
      Rounds.Subject(name: peer.name) {
        for key in absent where try peer.fetch(key) != nil { throw Failed() }
      }
    }
    try add("miss", [miss] + peerMisses, absent.count, options, &report)
  }

  /// Overwrites at random in a cache that is twice as large as its keys' entries.
  private static func measureAmplification(_ folder: TemporaryFolder, _ report: inout BenchReport) throws {
    let cache = try open(folder.path("churn"), capacity: 64 << 20)
    var random = SeededGenerator(seed: 8)
    let body = Data(count: length)
    var samples: [Double] = []
    for step in 0..<8000 {
      cache.store(body, forKey: key(Int(random.next() % 1000)))
      if step >= 2000, step % 500 == 0 {
        let statistics = cache.statistics
        samples.append(statistics.amplification)
      }
    }
    report.rows.append(
      BenchReport.Row(
        name: "overwrite-space", subject: "ozu", metric: "file_bytes_per_live_byte", samples: samples))
  }

  private static func add(
    _ name: String, _ subjects: [Rounds.Subject], _ count: Int, _ options: BenchOptions,
    _ report: inout BenchReport
  ) throws {
    let samples = try Rounds.cpuMilliseconds(subjects, rounds: options.rounds)
    for (index, subject) in subjects.enumerated() {
      report.rows.append(
        BenchReport.Row(
          name: name, subject: subject.name, metric: "cpu_us_per_operation",
          samples: samples[index].map { $0 * 1e3 / Double(count) }, digits: 3))
    }
  }

  struct Failed: Error {}

  /// A folder that goes with the value.
  final class TemporaryFolder {
    private let root = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID())").path

    init() throws {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }
  }

  /// The system's calls, one by one, on files of their own.
  private final class SystemCalls {
    private let folder: String
    private let file: Int32
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)

    init(_ folder: String) throws {
      self.folder = folder
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      file = Self.openFile(folder + "/log", O_RDWR | O_CREAT)
      if file < 0 { throw Failed() }
    }

    deinit {
      close(file)
      buffer.deallocate()
    }

    private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
      #if canImport(Glibc)
        Glibc.open(path, flags | O_CLOEXEC, 0o600)
      #else
        Darwin.open(path, flags | O_CLOEXEC, 0o600)
      #endif
    }

    func appendWithChecksum(_ data: Data, at offset: Int) throws {
      if data.withUnsafeBytes({ DiskCache.checksum(of: $0, seed: UInt64(offset)) }) == 0 { throw Failed() }
      try append(data, at: offset)
    }

    func append(_ data: Data, at offset: Int) throws {
      let count = data.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
      if count != data.count { throw Failed() }
    }

    func read(_ count: Int, at offset: Int) throws {
      if pread(file, buffer, count, off_t(offset)) != count { throw Failed() }
    }

    func checksum(_ count: Int, at offset: Int) throws -> UInt64 {
      try read(count, at: offset)
      return DiskCache.checksum(of: UnsafeRawBufferPointer(start: buffer, count: count), seed: UInt64(offset))
    }

    /// A new file that takes the name of the old one.
    func replace(_ data: Data, name: String) throws {
      let new = Self.openFile(folder + "/new", O_WRONLY | O_CREAT | O_TRUNC)
      if new < 0 { throw Failed() }
      let count = data.withUnsafeBytes { pwrite(new, $0.baseAddress, $0.count, 0) }
      close(new)
      if count != data.count || rename(folder + "/new", folder + "/" + name) != 0 { throw Failed() }
    }

    func readFile(_ name: String, _ count: Int) throws {
      let file = Self.openFile(folder + "/" + name, O_RDONLY)
      defer { close(file) }
      if file < 0 || pread(file, buffer, count, 0) != count { throw Failed() }
    }
  }
}
