import Foundation
import OzuCaching

/// The process that is killed, or that lacks room on the disk: it stores entries under all keys again and again, and prints
/// whether it is the writer, and the last version of each flush.
enum DrillWorker {
  static let capacity = 64 << 20
  static let storesPerFlush = 16

  /// Keys that are stored and removed all the time.
  static let shortLivedCount = 32

  /// Small entries that are never fetched. With them, the index has so many pages that it is written in several steps,
  /// between which other entries are stored.
  private static let stayingCount = 4000

  static func shortLivedKey(_ number: Int) -> CacheKey { CacheKey("short-lived \(number % shortLivedCount)") }

  /// Stores `count` entries, or, for zero, until it is killed.
  static func run(directory: String, count: Int, tearsWrites: Bool) throws {
    let cache = try open(directory, tearsWrites: tearsWrites)
    say(cache.statistics.isWriter ? "writer" : "reader")
    var version = 0
    // Versions continue from those that the former process stored.
    for number in 0..<DrillEntry.keyCount {
      let entry = DrillEntry(number: number, version: 0)
      if let body = cache.entry(forKey: entry.key)?.body, let found = DrillEntry(body, number: number) {
        version = max(version, found.version)
      }
    }
    if tearsWrites {
      for number in 0..<stayingCount where !cache.contains(CacheKey("staying \(number)")) {
        cache.store(Data(), forKey: CacheKey("staying \(number)"))
      }
    }
    var done = 0
    while count == 0 || done < count {
      version += 1
      done += 1
      let entry = DrillEntry(number: version % DrillEntry.keyCount, version: version)
      cache.store(entry.body, forKey: entry.key, label: "\(version)")
      cache.store(Data("\(version)".utf8), forKey: shortLivedKey(version))
      cache.remove(forKey: shortLivedKey(version + shortLivedCount / 2))
      if done % storesPerFlush == 0, (try? cache.flush()) != nil, cache.statistics.isWriter {
        say("flushed \(version)")
      }
    }
    let statistics = cache.statistics
    say("ended stores \(statistics.stores) dropped \(statistics.dropped) errors \(statistics.errors)")
    cache.close()
  }

  /// Opens the cache. `DiskCache.init` throws when the directory is removed meanwhile: then it is tried again.
  private static func open(_ directory: String, tearsWrites: Bool) throws -> DiskCache {
    let configuration = DiskCacheConfiguration(
      capacity: capacity,
      fileSystem: tearsWrites ? DrillFileSystem(tearsWrites: true) : SystemFileSystem()
    ) { $0.refreshInterval = 0 }
    for _ in 0..<10 {
      if let cache = try? DiskCache(directory: directory, configuration: configuration) { return cache }
    }
    return try DiskCache(directory: directory, configuration: configuration)
  }

  /// Writes a line at once, without a buffer: a line that was said is not lost when the process is killed.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
