import Foundation
import OzuCaching
import OzuTesting

/// Two hundred calls of all kinds on a small cache in memory, whose changes are recorded.
struct PowerLossWorkload {
  var durability: Durability
  var seed: UInt64
  var callCount = 200
  var capacity = 48 << 10

  static let keyCount = 24
  static let directory = "/cache"

  static func key(_ number: Int) -> CacheKey { CacheKey("key \(number)") }

  static func partition(of number: Int) -> DiskCache.Partition {
    ["pages", "pictures", "small"][number % 3]
  }

  /// The results of a run.
  struct Result {
    var log: FileSystemLog
    var history: PowerLossHistory
    var evictions = 0
    var compactions = 0
    var relocations = 0
    /// The date of the last call.
    var date: Date
  }

  func configuration(_ files: MemoryFileSystem, now: @escaping @Sendable () -> Date) -> DiskCacheConfiguration
  {
    DiskCacheConfiguration(capacity: capacity, fileSystem: files) {
      $0.partitionCapacities = ["small": capacity / 4]
      $0.durability = durability
      $0.now = now
    }
  }

  func run() throws -> Result {
    var run = try Run(self)
    for _ in 0..<callCount { try run.call() }
    run.note(run.cache.statistics)
    guard let log = run.files.log else { return run.result }
    run.result.log = log
    return run.result
  }

  private struct Run {
    let workload: PowerLossWorkload
    let files: MemoryFileSystem
    let clock = ManualClock()
    var random: SeededGenerator
    var cache: DiskCache
    var result: Result
    var contents: [PowerLossHistory.Content?]
    var version = 0
    var begin = 0

    init(_ workload: PowerLossWorkload) throws {
      self.workload = workload
      files = MemoryFileSystem(recordsChanges: true)
      random = SeededGenerator(seed: workload.seed)
      cache = try DiskCache(
        directory: PowerLossWorkload.directory, configuration: workload.configuration(files, now: clock.date))
      contents = Array(repeating: nil, count: PowerLossWorkload.keyCount)
      result = Result(
        log: files.log!, history: PowerLossHistory(keyCount: PowerLossWorkload.keyCount),
        date: clock.currentDate)
    }

    mutating func call() throws {
      clock.advance(by: .seconds(1))
      result.date = clock.currentDate
      version += 1
      begin = files.changeCount
      let number = Int.random(in: 0..<PowerLossWorkload.keyCount, using: &random)
      let key = PowerLossWorkload.key(number)
      let partition = PowerLossWorkload.partition(of: number)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<38: store(number, key, partition)
      case 38..<54: updateMetadata(number, key, partition)
      case 54..<62:
        if cache.remove(forKey: key, in: partition) { add(.removed, number) }
      case 62..<78: use(number, key, partition)
      case 78..<88:
        try cache.flush()
        result.history.flushes.append((begin, files.changeCount))
      case 88..<91:
        note(cache.statistics)
        cache.close()
        result.history.flushes.append((begin, files.changeCount))
        result.history.closings.append(files.changeCount)
        cache = try DiskCache(
          directory: PowerLossWorkload.directory,
          configuration: workload.configuration(files, now: clock.date))
      case 91..<98: store(number, key, partition, sizes: 100..<11_000)
      case 98: try cache.removeAll(in: "small")
      default: try cache.trim(toByteCount: workload.capacity * 2 / 3)
      }
      findEvicted()
    }

    mutating func note(_ statistics: DiskCacheStatistics) {
      result.evictions += statistics.evictions
      result.compactions += statistics.compactions
      result.relocations += statistics.relocations
    }

    private mutating func add(_ change: PowerLossHistory.Change, _ number: Int) {
      let event = PowerLossHistory.Event(change: change, begin: begin, end: files.changeCount)
      contents[number] = event.content
      result.history.events[number].append(event)
    }

    private mutating func store(
      _ number: Int, _ key: CacheKey, _ partition: DiskCache.Partition, sizes: Range<Int>? = nil
    ) {
      // Some entries are so large that each gets a segment of its own.
      let isLong = Int.random(in: 0..<12, using: &random) == 0
      let content = PowerLossHistory.Content(
        key: number, version: version,
        byteCount: Int.random(in: sizes ?? (isLong ? 7000..<9000 : 50..<2500), using: &random),
        metadataByteCount: [0, 20, 300, 900].randomElement(using: &random)!)
      let isStored = cache.store(content.body, metadata: content.metadata, forKey: key, in: partition)
      add(isStored ? .stored(content) : .removed, number)
    }

    private mutating func updateMetadata(_ number: Int, _ key: CacheKey, _ partition: DiskCache.Partition) {
      guard let former = contents[number] else { return }
      // Some metadata is too long for the room in the record.
      let content = PowerLossHistory.Content(
        former, key: number, version: version,
        metadataByteCount: max(16, former.metadata.count) + [0, 0, 8, 200].randomElement(using: &random)!)
      guard cache.updateMetadata(content.metadata, forKey: key, in: partition) else { return }
      add(.stored(content), number)
      guard let written = files.log?.operations[begin...],
        let last = result.history.events[number].indices.last
      else { return }
      // The change was in place if no write was as long as the whole record.
      result.history.events[number][last].isInPlace = written.allSatisfy {
        if case .write(let bytes, _, _) = $0 {
          bytes.count < content.body.count + content.metadata.count
        } else {
          false
        }
      }
    }

    private mutating func use(_ number: Int, _ key: CacheKey, _ partition: DiskCache.Partition) {
      let isUsed =
        Bool.random(using: &random)
        ? cache.entry(forKey: key, in: partition) != nil : cache.touch(key, in: partition)
      if isUsed {
        result.history.uses[number].append(
          PowerLossHistory.Use(date: clock.currentDate, begin: begin, end: files.changeCount))
      }
    }

    /// Notes entries that are gone without a call that removed them.
    private mutating func findEvicted() {
      for number in contents.indices where contents[number] != nil {
        let isThere = cache.contains(
          PowerLossWorkload.key(number), in: PowerLossWorkload.partition(of: number))
        if !isThere { add(.evicted, number) }
      }
    }
  }
}
