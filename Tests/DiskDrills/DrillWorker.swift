import Foundation
import OzuCaching

/// The process that is killed, starved and fooled: it stores entries, round and round over the keys, and tells on
/// standard output what it is and what it flushed.
enum DrillWorker {
  static let capacity = 64 << 20
  static let storesPerFlush = 16

  /// Stores `count` entries, or, for zero, until it is killed.
  static func run(directory: String, count: Int) throws {
    let cache = try DiskCache(
      directory: directory, configuration: DiskCacheConfiguration(capacity: capacity, refreshInterval: 0))
    say(cache.statistics.isWriter ? "writer" : "reader")
    var version = 0
    // Versions go on rising from one process to the next.
    for number in 0..<DrillEntry.keyCount {
      let entry = DrillEntry(number: number, version: 0)
      if let body = cache.fetch(entry.key)?.body, let found = DrillEntry(body, number: number) {
        version = max(version, found.version)
      }
    }
    var done = 0
    while count == 0 || done < count {
      version += 1
      done += 1
      let entry = DrillEntry(number: version % DrillEntry.keyCount, version: version)
      cache.store(entry.body, forKey: entry.key, label: "\(version)")
      if done % storesPerFlush == 0, (try? cache.flush()) != nil, cache.statistics.isWriter {
        say("flushed \(version)")
      }
    }
    let statistics = cache.statistics
    say("ended stores \(statistics.stores) dropped \(statistics.dropped) errors \(statistics.errors)")
    cache.close()
  }

  /// A line at once, whoever listens.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
