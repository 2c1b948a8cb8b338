import Foundation
import OzuCaching
import OzuTesting

/// A cache that hands over entries and flushes them, another that adopts them, and a loss of power at any moment.
enum PowerLossOffers {
  private static func content(_ number: Int, _ version: Int) -> PowerLossHistory.Content {
    PowerLossHistory.Content(key: number, version: version, byteCount: 900, metadataByteCount: 0)
  }

  /// The flushed entries that are missing or wrong in the states of some kinds, and the number of states.
  static func missing(_ kinds: Set<PowerLossState.Kind>) throws -> (missing: [String], states: Int) {
    let files = MemoryFileSystem(recordsChanges: true)
    let clock = ManualClock()
    var configuration = DiskCacheConfiguration(capacity: 2 << 20, fileSystem: files)
    (configuration.durability, configuration.refreshInterval) = (.synced, 0)
    configuration.now = clock.date
    let writer = try DiskCache(directory: "/cache", configuration: configuration)
    var other = try DiskCache(directory: "/cache", configuration: configuration)
    // After each flush: the number of changes to the files so far, and the flushed version of each key.
    var flushes: [(changeCount: Int, versions: [Int: Int])] = []
    var versions: [Int: Int] = [:]
    func store(_ number: Int, _ version: Int, in cache: DiskCache) {
      clock.advance(by: .milliseconds(1))
      if cache.store(content(number, version).body, forKey: PowerLossWorkload.key(number)) {
        versions[number] = version
      }
    }
    for round in 0..<6 {
      // Each round has keys of its own, so that no flushed entry is replaced later.
      for number in 0..<4 { store(round * 10 + number, 0, in: other) }
      store(round * 10 + 5, 0, in: writer)
      for number in 0..<2 { store(round * 10 + number + 2, 1, in: other) }
      try other.flush()
      if round % 2 == 1 { try writer.flush() }
      // The offers of the other cache can be removed after it has closed.
      if round == 2 {
        other.close()
        other = try DiskCache(directory: "/cache", configuration: configuration)
      }
      // Only the writer's own flush makes its entries durable.
      flushes.append((files.changeCount, versions.filter { round % 2 == 1 || $0.key % 10 != 5 }))
    }
    for number in 60..<64 { store(number, 0, in: other) }
    try other.flush()
    flushes.append((files.changeCount, versions))
    // The offers are too large now, and are removed with the records that have just been adopted.
    writer.setCapacity(1_500_000)
    guard let log = files.log, writer.statistics.adopted > 10 else { return (["nothing was adopted"], 0) }
    let samples = kinds.reduce(0) { if case .sample(let number) = $1 { max($0, number + 1) } else { $0 } }
    var result: (missing: [String], states: Int) = ([], 0)
    for state in log.states(ofPrefixes: 0...log.operations.count, samplesPerPrefix: samples, seed: 1)
    where kinds.contains(state.kind) {
      configuration.fileSystem = state.fileSystem()
      let cache = try DiskCache(directory: "/cache", configuration: configuration)
      result.states += 1
      let flushed = flushes.last { $0.changeCount <= state.operationCount }?.versions ?? [:]
      for (number, version) in flushed
      where cache.entry(forKey: PowerLossWorkload.key(number))?.body != content(number, version).body {
        result.missing.append("\(number) in \(state.description)")
      }
    }
    return result
  }
}
