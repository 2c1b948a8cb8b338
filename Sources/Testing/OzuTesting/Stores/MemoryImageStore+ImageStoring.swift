import Foundation
import Ozu
import OzuBase

extension MemoryImageStore {
  /// Whether the store has an entry; always true without hints.
  public func mayContain(_ key: ImageStoreKey) -> Bool {
    state.withLock { !$0.hasExactHints || $0.slots[key] != nil }
  }

  /// The entry of a key. Counts as a use.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    try begin(.read, key)
    let date = now()
    return state.withLock { $0.use(key, at: date)?.entry }
  }

  /// The entry of a key. Does not count as a use.
  public func peek(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    try begin(.peek, key)
    return self[key]
  }

  /// Whether a key has an entry.
  public func contains(_ key: ImageStoreKey) throws -> Bool {
    try begin(.contains, key)
    return self[key] != nil
  }

  /// The metadata of a key's entry.
  public func metadata(of key: ImageStoreKey) throws -> Data? {
    try begin(.metadata, key)
    return self[key]?.metadata
  }

  /// Replaces the metadata of an entry.
  public func updateMetadata(_ metadata: Data, of key: ImageStoreKey) throws -> Bool {
    try begin(.updateMetadata, key)
    return state.withLock { state in
      state.slots[key]?.entry.metadata = metadata
      return state.slots[key] != nil
    }
  }

  /// Stores an entry, and removes the least recently used ones if its kind is over its capacity.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    try begin(.write, key)
    self[key] = entry
    state.withLock { $0.trim(key.kind) }
  }

  /// Marks an entry as used now.
  public func touch(_ key: ImageStoreKey) throws -> Bool {
    try begin(.touch, key)
    let date = now()
    return state.withLock { $0.use(key, at: date) != nil }
  }

  /// Removes an entry.
  public func remove(_ key: ImageStoreKey) throws {
    try begin(.remove, key)
    self[key] = nil
  }

  /// Removes all entries of a kind.
  public func removeAll(of kind: ImageStoreKind) throws {
    try begin(.removeAll, nil, kind: kind)
    state.withLock { state in state.slots = state.slots.filter { $0.key.kind != kind } }
  }

  /// Removes all entries.
  public func removeAll() throws {
    try begin(.removeAll, nil)
    state.withLock { $0.slots = [:] }
  }

  /// The entries of a kind or of all kinds, the most recently used first.
  public func entries(of kind: ImageStoreKind?) throws -> any Sequence<ImageStoreInfo> & Sendable {
    try begin(.list, nil, kind: kind)
    return state.withLock { state in
      state.slots.values.filter { kind == nil || $0.key.kind == kind }.sorted { $0.use > $1.use }
        .map { ImageStoreInfo(key: $0.key, accessDate: $0.accessDate) }
    }
  }

  /// Sets the capacity of a kind in bytes, and removes its least recently used entries.
  public func setCapacity(_ byteCount: Int, of kind: ImageStoreKind) {
    state.withLock { state in
      state.capacities[kind] = byteCount
      state.trim(kind)
    }
  }

  /// The bytes that the entries of a kind take.
  public func byteCount(of kind: ImageStoreKind) -> Int { state.withLock { $0.byteCount(of: kind) } }

  /// The number of entries of each kind that were removed for a capacity.
  public var evictionCounts: [ImageStoreKind: Int] { state.withLock { $0.evictions } }

  /// Does nothing except call `respond`.
  public func flush() throws { try begin(.flush, nil) }
}
