import OzuBase

/// A cache of recently used filter tables: a gallery resizes a hundred pictures of one size in the same way, and
/// the sines of a table cost a tenth of a resize.
///
/// Holds at most `tableLimit` tables and `byteLimit` bytes; the least recently used table is removed first. A table
/// is computed outside of the lock, so two threads may compute the same one; the later one is kept.
final class FilterTableCache: Sendable {
  /// The cache of the process.
  static let shared = FilterTableCache(tableLimit: 32, byteLimit: 1 << 20)

  private struct Entry {
    var table: FilterTable
    var lastUse: Int
  }

  private struct State {
    var entries: [FilterTable.Key: Entry] = [:]
    var byteCount = 0
    var clock = 0
  }

  private let state = Mutex(State())
  private let tableLimit: Int
  private let byteLimit: Int

  init(tableLimit: Int, byteLimit: Int) {
    self.tableLimit = tableLimit
    self.byteLimit = byteLimit
  }

  /// The number of cached tables, and their bytes.
  var contents: (tableCount: Int, byteCount: Int) {
    state.withLock { ($0.entries.count, $0.byteCount) }
  }

  /// The table for a key, from the cache or computed now.
  ///
  /// - Complexity: O(1) for a hit; for a miss, O(`tableLimit`) plus computing the table.
  func table(for key: FilterTable.Key) -> FilterTable {
    let found = state.withLock { state -> FilterTable? in
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      return state.entries[key]?.table
    }
    if let found { return found }
    let table = FilterTable(key)
    if table.byteCount <= byteLimit { insert(table, for: key) }
    return table
  }

  private func insert(_ table: FilterTable, for key: FilterTable.Key) {
    state.withLock { state in
      if let old = state.entries.removeValue(forKey: key) { state.byteCount -= old.table.byteCount }
      while state.entries.count >= tableLimit || state.byteCount + table.byteCount > byteLimit {
        guard let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
        state.entries.removeValue(forKey: oldest.key)
        state.byteCount -= oldest.value.table.byteCount
      }
      state.entries[key] = Entry(table: table, lastUse: state.clock)
      state.byteCount += table.byteCount
    }
  }
}
