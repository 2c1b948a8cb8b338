import OzuBase

/// Keeps the Huffman tables that were used recently. Nearly all cameras and sites use the four tables of the standard, and
/// expanding a table takes as long as decoding a small picture.
///
/// Holds at most `limit` tables, and removes the one that was used the longest ago. A table is made outside of the lock, so
/// two threads may make the same one.
final class HuffmanTableCache: Sendable {
  /// The cache of the process: at most about 1.4 MB.
  static let shared = HuffmanTableCache(limit: 24)

  private struct Key: Hashable {
    var definition: HuffmanTable.Definition
    var kind: HuffmanTable.Kind
  }

  private struct Entry {
    var table: HuffmanTable
    var lastUse: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var clock = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of tables.
  var count: Int { state.withLock { $0.entries.count } }

  /// A table, from the cache or made now; `nil` if the definition is invalid.
  func table(_ definition: HuffmanTable.Definition, kind: HuffmanTable.Kind) -> HuffmanTable? {
    let key = Key(definition: definition, kind: kind)
    let found = state.withLock { state -> HuffmanTable? in
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      return state.entries[key]?.table
    }
    if let found { return found }
    guard let table = HuffmanTable(definition, kind: kind) else { return nil }
    state.withLock { state in
      if state.entries.count >= limit,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      state.entries[key] = Entry(table: table, lastUse: state.clock)
    }
    return table
  }
}
