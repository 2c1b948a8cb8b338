import Foundation
import OzuCaching

/// The calls of a workload to a cache. Each has the counts of operations in the file system's log before and after it.
struct PowerLossHistory {
  /// The bytes of an entry at some time. Versions rise through the whole workload, also with each change of metadata.
  struct Content: Equatable {
    let body: Data
    let metadata: Data

    init(key: Int, version: Int, byteCount: Int, metadataByteCount: Int) {
      body = Self.bytes(key: key, version: version, count: byteCount)
      metadata =
        metadataByteCount == 0 ? Data() : Self.bytes(key: key, version: version, count: metadataByteCount)
    }

    /// The same body with other metadata.
    init(_ former: Content, key: Int, version: Int, metadataByteCount: Int) {
      body = former.body
      metadata = Self.bytes(key: key, version: version, count: metadataByteCount)
    }

    /// Bytes without a pattern that follow from a key and a version.
    private static func bytes(key: Int, version: Int, count: Int) -> Data {
      var words = ContiguousArray<UInt64>(repeating: 0, count: count / 8 + 1)
      var state = UInt64(key) << 32 | UInt64(version)
      for index in words.indices {
        words[index] = state
        state = (state &+ 1) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      }
      return words.withUnsafeBytes { Data($0[..<count]) }
    }
  }

  enum Change {
    case stored(Content)
    case removed
    /// It was there before a call and is not there after it.
    case evicted
  }

  struct Event {
    var change: Change
    /// The operations before the call began, and when it returned.
    var begin: Int
    var end: Int
    /// Whether the metadata changed within the record.
    var isInPlace = false

    var content: Content? {
      if case .stored(let content) = change { content } else { nil }
    }
  }

  struct Use {
    var date: Date
    var begin: Int
    var end: Int
  }

  var events: [[Event]]
  var uses: [[Use]]
  /// The calls that succeeded of `flush` and of `close`.
  var flushes: [(begin: Int, end: Int)] = []
  /// The operations after each `close`.
  var closings: [Int] = []

  init(keyCount: Int) {
    events = Array(repeating: [], count: keyCount)
    uses = Array(repeating: [], count: keyCount)
  }

  /// The promises that a cache may keep after a loss of power, from the weakest to the strongest.
  enum Promise {
    /// No entry is torn, and no key has bytes that were not stored under it.
    case whole
    /// Flushed entries are there too, unless a later call changed or removed them.
    case flushed
    /// Stored entries are there too, with dates of use that are at least as late as those at the last closing.
    case stored
  }

  /// The fault of an entry that a cache serves, or does not serve, after a loss of power; nil without a fault.
  ///
  /// - Parameters:
  ///   - entry: The entry of the key; nil if the cache has no entry for it.
  ///   - operationCount: The number of operations that had begun when the power was lost.
  func fault(
    of key: Int, entry: DiskCache.Entry?, after operationCount: Int, promise: Promise
  ) -> PowerLossFault? {
    let begun = events[key].filter { $0.begin < operationCount }
    var rank = -1
    if let entry {
      let found = begun.lastIndex {
        $0.content.map { $0.metadata == entry.metadata && $0.body == entry.body } ?? false
      }
      guard let found else { return .neverStored }
      rank = found
    }
    if promise == .whole { return nil }
    let acknowledged =
      promise == .stored ? operationCount : flushes.last { $0.end <= operationCount }?.begin ?? -1
    guard let last = begun.lastIndex(where: { $0.end <= acknowledged }) else { return nil }
    // An eviction leaves it open whether the entry is there, not which version.
    let version = begun[...last].lastIndex { if case .evicted = $0.change { false } else { true } } ?? -1
    if entry != nil, rank < version || begun[rank].content == nil { return .older }
    // Metadata changes by two small writes: between them the entry has the former.
    let isChanged = begun[(last + 1)...].contains { promise != .stored || !$0.isInPlace }
    guard !isChanged, begun[last].content != nil else { return nil }
    guard let entry else { return .missing }
    return promise == .stored && hasWrongDate(entry, of: key, after: operationCount) ? .wrongDate : nil
  }

  /// Whether the entry's date of use belongs to no use and no store, or is earlier than the date known at the last closing.
  private func hasWrongDate(_ entry: DiskCache.Entry, of key: Int, after operationCount: Int) -> Bool {
    let closing = closings.last { $0 <= operationCount } ?? -1
    let known = uses[key].last { $0.end <= closing }?.date ?? .distantPast
    let dates = uses[key].filter { $0.begin < operationCount }.map(\.date) + [entry.storedDate]
    return !dates.contains(entry.accessDate) || (entry.storedDate <= known && entry.accessDate < known)
  }
}

/// A fault of an entry after a loss of power.
enum PowerLossFault: String {
  case neverStored = "has bytes that were never stored together"
  case older = "has a version older than that which was flushed"
  case missing = "is missing"
  case wrongDate = "has a wrong date of use"
}
