import Foundation
import OzuSynchronization

/// Keeps uploaded files in memory for a while, under keys that nobody can guess; never on a disk.
///
/// Bounded by bytes: the one that was used longest ago makes room for a new one. One lock guards the list, which has few entries;
/// the bytes of what leaves are released outside of it.
final class UploadShelf: Sendable {
  private struct Entry {
    let key: String
    let data: Data
    var lastUse: ContinuousClock.Instant
  }

  static let maximumCount = 64

  private let byteBudget: Int
  private let lifetime: Duration
  /// The one used last stands last.
  private let entries = Mutex<[Entry]>([])

  /// - Parameters:
  ///   - byteBudget: what all files may have together.
  ///   - lifetime: how long a file is kept after its last use.
  init(byteBudget: Int, lifetime: Duration) {
    self.byteBudget = byteBudget
    self.lifetime = lifetime
  }

  var byteCount: Int { entries.withLock { $0.reduce(0) { $0 + $1.data.count } } }

  /// Keeps a file. Returns its key; `nil` for one that is larger than the budget.
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

  /// A file that is still there.
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

  /// Removes what nobody has used for too long.
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
