import OzuBase

/// Keeps uploaded files in memory for a limited time, under keys that cannot be guessed; never on a disk.
///
/// It has a limit in bytes: the least recently used file is removed for a new one. One lock guards the list, which
/// has few entries. The bytes of removed files are released outside the lock.
final class UploadStore: Sendable {
  private struct Entry {
    let key: String
    let data: Data
    var lastUse: ContinuousClock.Instant
  }

  static let maximumCount = 64

  private let byteBudget: Int
  private let lifetime: Duration
  /// The most recently used file is last.
  private let entries = Mutex<[Entry]>([])

  /// - Parameters:
  ///   - byteBudget: the most bytes of all files together.
  ///   - lifetime: the time that a file is kept after its last use.
  init(byteBudget: Int, lifetime: Duration) {
    self.byteBudget = byteBudget
    self.lifetime = lifetime
  }

  var byteCount: Int { entries.withLock { $0.reduce(0) { $0 + $1.data.count } } }

  /// Stores a file. Returns its key; `nil` if the file is larger than the budget.
  func add(_ data: Data, at now: ContinuousClock.Instant) -> String? {
    guard data.count <= byteBudget else { return nil }
    let key = PlaygroundToken.random(byteCount: 16)
    let removed = entries.withLock { entries -> [Entry] in
      var total = entries.reduce(data.count) { $0 + $1.data.count }
      var count = 0
      while total > byteBudget || entries.count - count >= Self.maximumCount {
        total -= entries[count].data.count
        count += 1
      }
      let removed = Array(entries.prefix(count))
      entries.removeFirst(count)
      entries.append(Entry(key: key, data: data, lastUse: now))
      return removed
    }
    _ = consume removed
    return key
  }

  /// The file for a key, if it is still there.
  func data(for key: String, at now: ContinuousClock.Instant) -> Data? {
    expire(at: now)
    return entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
      var entry = entries.remove(at: index)
      entry.lastUse = now
      entries.append(entry)
      return entry.data
    }
  }

  /// Removes files whose lifetime has ended.
  func expire(at now: ContinuousClock.Instant) {
    let removed = entries.withLock { entries -> [Entry] in
      let count = entries.firstIndex { $0.lastUse + lifetime > now } ?? entries.count
      guard count > 0 else { return [] }
      let removed = Array(entries.prefix(count))
      entries.removeFirst(count)
      return removed
    }
    _ = consume removed
  }
}
