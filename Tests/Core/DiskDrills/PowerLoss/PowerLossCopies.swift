import Foundation
import OzuCaching
import OzuTesting

/// A cache that copies a flushed entry out of a segment that is mostly dead, and loses power meanwhile.
enum PowerLossCopies {
  private static func content(_ number: Int, _ version: Int) -> PowerLossHistory.Content {
    PowerLossHistory.Content(key: number, version: version, byteCount: 2000, metadataByteCount: 0)
  }

  /// The states of some kinds in which the entry is missing, and how many states there were.
  ///
  /// - Parameter hasDied: Whether the process dies before it synchronizes the copy, and the next one opens the cache before power is
  ///   lost.
  static func missing(
    _ kinds: Set<PowerLossState.Kind>, hasDied: Bool = false
  ) throws -> (missing: [String], states: Int) {
    let files = MemoryFileSystem(recordsChanges: true)
    var configuration = DiskCacheConfiguration(capacity: 48 << 10, fileSystem: files)
    configuration.durability = .synced
    let cache = try DiskCache(directory: "/cache", configuration: configuration)
    for number in 0..<5 { cache.store(content(number, 0).body, forKey: PowerLossWorkload.key(number)) }
    try cache.flush()
    let flushed = files.changeCount
    if hasDied { files.respond = { $0.operation == .synchronize ? .fail(EIO) : .proceed } }
    // Their dead records make up most of the first segment, which is rewritten.
    for number in 1..<12 where !hasDied || cache.statistics.relocations == 0 {
      cache.store(content(number, 1).body, forKey: PowerLossWorkload.key(number))
    }
    let relocations = cache.statistics.relocations
    if hasDied {
      files.crash()
      cache.close()
      files.restart(losing: .nothing)
      try DiskCache(directory: "/cache", configuration: configuration).close()
    }
    guard let log = files.log, relocations > 0 else { return (["no entry was copied"], 0) }
    let samples = kinds.reduce(0) { if case .sample(let number) = $1 { max($0, number + 1) } else { $0 } }
    var result: (missing: [String], states: Int) = ([], 0)
    for state in log.states(ofPrefixes: flushed...log.operations.count, samplesPerPrefix: samples, seed: 1)
    where kinds.contains(state.kind) {
      configuration.fileSystem = state.fileSystem()
      let cache = try DiskCache(directory: "/cache", configuration: configuration)
      result.states += 1
      if cache.entry(forKey: PowerLossWorkload.key(0))?.body != content(0, 0).body {
        result.missing.append(state.description)
      }
    }
    return result
  }
}
