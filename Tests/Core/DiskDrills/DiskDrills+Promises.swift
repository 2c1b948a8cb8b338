import Foundation
import OzuCaching

// Drills in this process, on the system's files, which are watched.
extension DiskDrills {
  private func open(
    _ directory: String, _ files: DrillFileSystem, capacity: Int, _ durability: Durability = .buffered
  ) throws -> DiskCache {
    try DiskCache(
      directory: directory,
      configuration: DiskCacheConfiguration(capacity: capacity, fileSystem: files) {
        $0.durability = durability
      })
  }

  /// Checks that all files together never exceed the capacity, while entries are stored and evicted.
  func capacity() throws -> Bool {
    let directory = root + "/capacity"
    let files = DrillFileSystem()
    let capacity = 8 << 20
    let cache = try open(directory, files, capacity: capacity)
    var rejected = 0
    for round in 0..<60 {
      for step in 0..<40 {
        let number = Int.random(in: 0..<900)
        let isStored = cache.store(
          Data(repeating: UInt8(number & 255), count: Int.random(in: 100..<30_000)),
          forKey: CacheKey("\(number)"))
        if !isStored { rejected += 1 }
        if step % 3 == 0 { _ = cache.entry(forKey: CacheKey("\(Int.random(in: 0..<900))")) }
        if step % 13 == 0 {
          cache.store(Data(repeating: 7, count: 400_000), forKey: CacheKey("long \((round + step) % 5)"))
        }
      }
      if round % 10 == 9 { try cache.flush() }
    }
    let statistics = cache.statistics
    cache.close()
    let largest = files.state.withLock { $0.largestByteCount }
    return report(
      "the capacity after every write", largest <= capacity && rejected == 0 && statistics.evictions > 100,
      "at most \(largest) bytes of \(capacity); \(statistics.evictions) evicted, "
        + "\(statistics.compactions) segments rewritten, \(rejected) stores rejected")
  }

  /// The files that `flush` of a synced cache has not synchronized: there must not be any.
  func flushing() throws -> Bool {
    let files = DrillFileSystem()
    let cache = try open(root + "/flushing", files, capacity: 4 << 20, .synced)
    var left: [String] = []
    for round in 0..<40 {
      for number in 0..<10 {
        cache.store(
          Data(repeating: UInt8(number), count: 9000), metadata: Data([1]),
          forKey: CacheKey("\(round % 7) \(number)"))
      }
      cache.updateMetadata(Data([2]), forKey: CacheKey("\(round % 7) 3"))
      cache.remove(forKey: CacheKey("\((round + 3) % 7) 4"))
      try cache.flush()
      files.state.withLock { state in
        left += state.unsynced
        if state.isDirectoryUnsynced { left.append("the directory") }
      }
    }
    cache.close()
    let count = files.state.withLock { $0.synchronizations }
    return report(
      "flush synchronizes", left.isEmpty && count >= 40,
      "\(count) synchronizations, \(left.count) files left out \(left.prefix(2))")
  }

  /// Stores that fail half way: the older entry must not be served after.
  func failingStores() throws -> Bool {
    let directory = root + "/failing"
    let files = DrillFileSystem()
    let cache = try open(directory, files, capacity: 16 << 20)
    var (failed, old) = (0, 0)
    for number in 0..<200 {
      let key = CacheKey("\(number)")
      cache.store(Data(repeating: 1, count: 5000), forKey: key)
      files.state.withLock { $0.failsWrites = true }
      if !cache.store(Data(repeating: 2, count: 5000), forKey: key) { failed += 1 }
      files.state.withLock { $0.failsWrites = false }
      if cache.entry(forKey: key) != nil { old += 1 }
    }
    cache.close()
    let again = try open(directory, files, capacity: 16 << 20)
    for number in 0..<200 where again.entry(forKey: CacheKey("\(number)")) != nil { old += 1 }
    again.close()
    return report(
      "stores that fail", failed == 200 && old == 0, "\(failed) failed, \(old) older entries served")
  }
}
