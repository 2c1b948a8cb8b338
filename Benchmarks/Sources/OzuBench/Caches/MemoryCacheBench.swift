import Foundation
import Ozu
import OzuTesting
import Synchronization

/// The cost of one operation of the memory cache (a hit, a miss, a store, a replacement, a store that evicts), beside the
/// cost of a lock and a dictionary alone.
enum MemoryCacheBench {
  static let name = "memory-cache"

  /// A small object, so that the cache is measured and not the copying of values.
  final class Box: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  /// A key whose hash is its own bits, the best that a dictionary can be given.
  struct IdentityKey: Hashable {
    let high: UInt64
    let low: UInt64
    func hash(into hasher: inout Hasher) { hasher.combine(low) }
    func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: low) }
  }

  /// A lock around a dictionary.
  final class Table: Sendable {
    private let entries = Mutex<[IdentityKey: Box]>([:])

    func value(forKey key: CacheKey) -> Box? {
      entries.withLock { $0[IdentityKey(high: key.high, low: key.low)] }
    }

    func set(_ box: Box, forKey key: CacheKey) {
      entries.withLock { $0[IdentityKey(high: key.high, low: key.low)] = box }
    }
  }

  private final class ObjectKey: NSObject {
    let key: CacheKey
    init(_ key: CacheKey) { self.key = key }
    override var hash: Int { key.hashValue }
    override func isEqual(_ other: Any?) -> Bool { (other as? ObjectKey)?.key == key }
  }

  static func run(_ options: BenchOptions) throws -> BenchReport {
    var report = BenchReport(benchmark: name)
    for count in options.isSmoke ? [1000] : [1000, 100_000, 1_000_000] {
      try measure(count, options, &report)
    }
    try measurePictures(options, &report)
    try measureYardsticks(options, &report)
    InsertionTailBench.measure(
      count: min(100_000, options.operations), evictions: options.operations * 2, &report)
    return report
  }

  private static func keys(_ count: Int, seed: UInt64) -> [CacheKey] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in CacheKey(high: random.next(), low: random.next()) }
  }

  private static func cache(cost: Int) -> MemoryCache<CacheKey, Box> {
    MemoryCache(MemoryCacheConfiguration(costLimit: cost, maximumEntryFraction: 1))
  }

  private static func measure(_ count: Int, _ options: BenchOptions, _ report: inout BenchReport) throws {
    let keys = keys(count, seed: 1)
    var random = SeededGenerator(seed: 2)
    let order = (0..<options.operations).map { _ in keys[Int(random.next() % UInt64(count))] }
    let absent = self.keys(options.operations, seed: 3)
    let roomy = cache(cost: .max)
    let full = cache(cost: count * 1000)
    let table = Table()
    for (number, key) in keys.enumerated() {
      let box = Box(number)
      roomy.store(box, forKey: key, cost: 1000)
      full.store(box, forKey: key, cost: 1000)
      table.set(box, forKey: key)
    }
    let box = Box(1)
    let dictionary = "yardstick:mutex-and-identity-dictionary"
    // A cache that grows from nothing; several one after the other if there are fewer keys than operations.
    let growing = keys.prefix(options.operations)
    let repetitions = max(1, options.operations / growing.count)
    var cases: [(name: String, subjects: [Rounds.Subject])] = [
      (
        "hit",
        [
          Rounds.Subject(name: "ozu") { for key in order { try check(roomy.value(forKey: key)) } },
          Rounds.Subject(name: dictionary) { for key in order { try check(table.value(forKey: key)) } },
        ]
      ),
      (
        "miss",
        [
          Rounds.Subject(name: "ozu") {
            for key in absent where roomy.value(forKey: key) != nil { throw Missed() }
          },
          Rounds.Subject(name: dictionary) {
            for key in absent where table.value(forKey: key) != nil { throw Missed() }
          },
        ]
      ),
      (
        "store",
        [
          Rounds.Subject(name: "ozu") {
            for _ in 0..<repetitions {
              let cache = cache(cost: .max)
              for key in growing { cache.store(box, forKey: key, cost: 1000) }
            }
          },
          Rounds.Subject(name: dictionary) {
            for _ in 0..<repetitions {
              let table = Table()
              for key in growing { table.set(box, forKey: key) }
            }
          },
        ]
      ),
      (
        "replace",
        [
          Rounds.Subject(name: "ozu") { for key in order { roomy.store(box, forKey: key, cost: 1000) } },
          Rounds.Subject(name: dictionary) { for key in order { table.set(box, forKey: key) } },
        ]
      ),
      (
        "insert-and-evict",
        [Rounds.Subject(name: "ozu") { for key in absent { full.store(box, forKey: key, cost: 1000) } }]
      ),
    ]
    // Its insertion looks at every entry: filling it with more would take minutes.
    if count <= 1000 { addFoundation(keys, order: order, absent: absent, to: &cases) }
    for (name, subjects) in cases { try add("\(name)-\(count)", subjects, options, &report) }
    HitThreadsBench.measure(count, keys, options, &report)
  }

  /// Adds `NSCache` to the cases.
  private static func addFoundation(
    _ keys: [CacheKey], order: [CacheKey], absent: [CacheKey],
    to cases: inout [(name: String, subjects: [Rounds.Subject])]
  ) {
    let objects = NSCache<ObjectKey, Box>()
    objects.countLimit = keys.count
    let objectKeys = Dictionary(uniqueKeysWithValues: keys.map { ($0, ObjectKey($0)) })
    for key in objectKeys.values { objects.setObject(Box(0), forKey: key) }
    let present = order.compactMap { objectKeys[$0] }
    let others = absent.map(ObjectKey.init)
    let box = Box(1)
    func store(_ keys: [ObjectKey]) { for key in keys { objects.setObject(box, forKey: key) } }
    let works: [String: () throws -> Void] = [
      "hit": { for key in present { try check(objects.object(forKey: key)) } },
      "miss": { for key in others where objects.object(forKey: key) != nil { throw Missed() } },
      "replace": { store(present) }, "insert-and-evict": { store(others) },
    ]
    for index in cases.indices {
      if let work = works[cases[index].name] {
        cases[index].subjects.append(Rounds.Subject(name: "Foundation NSCache", work: work))
      }
    }
  }

  /// Hits as a pipeline makes them: the key is a request's and the value a picture.
  private static func measurePictures(_ options: BenchOptions, _ report: inout BenchReport) throws {
    let cache = MemoryCache<ImageKey, Picture>(MemoryCacheConfiguration(costLimit: 1 << 30))
    let picture = Picture(
      Bitmap(size: PixelSize(width: 8, height: 8)) { _, _ in Pixel(red: 1, green: 2, blue: 3) })
    let requests = (0..<1000).compactMap { index in
      URL(string: "https://example.com/albums/holiday/photographs/\(index)/large.jpg").map {
        ImageRequest(url: $0, resize: Resize(PixelSize(width: 320, height: 240)))
      }
    }
    for request in requests { cache.store(picture, forKey: request.key, cost: picture.byteCount) }
    let hit = Rounds.Subject(name: "ozu") {
      for index in 0..<options.operations {
        if cache.value(forKey: requests[index % requests.count].key) == nil { throw Missed() }
      }
    }
    try add("picture-hit-1000", [hit], options, &report)
  }

  private static func measureYardsticks(_ options: BenchOptions, _ report: inout BenchReport) throws {
    let number = Mutex(0)
    let lock = Rounds.Subject(name: "yardstick:mutex") {
      for _ in 0..<options.operations { number.withLock { $0 &+= 1 } }
    }
    try add("lock-and-unlock", [lock], options, &report)
    let source = [UInt8](repeating: 1, count: 30_000)
    // Allocated and freed here, and written by the copies alone.
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 30_000, alignment: 16)
    defer { target.deallocate() }
    let copy = Rounds.Subject(name: "yardstick:memcpy") {
      for _ in 0..<options.operations { source.withUnsafeBytes { target.copyMemory(from: $0) } }
    }
    try add("copy-30KB", [copy], options, &report)
  }

  private struct Missed: Error {}

  private static func check(_ box: Box?) throws {
    if box == nil { throw Missed() }
  }

  private static func add(
    _ name: String, _ subjects: [Rounds.Subject], _ options: BenchOptions, _ report: inout BenchReport
  ) throws {
    let samples = try Rounds.cpuMilliseconds(subjects, rounds: options.rounds)
    for (index, subject) in subjects.enumerated() {
      report.rows.append(
        BenchReport.Row(
          name: name, subject: subject.name, metric: "cpu_ns_per_operation",
          samples: samples[index].map { $0 * 1e6 / Double(options.operations) }))
    }
  }
}
