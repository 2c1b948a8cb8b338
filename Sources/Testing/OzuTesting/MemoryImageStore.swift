import Foundation
import Ozu
import OzuBase

/// A complete store in memory, which fails or waits when a test asks for it.
///
/// ```swift
/// let store = MemoryImageStore()
/// let pipeline = ImagePipeline.testing(client: client) { $0.caching.stores = [store] }
/// store.respond = { call in if call.operation == .write { throw CocoaError(.fileWriteOutOfSpace) } }
/// ```
///
/// Every call except `mayContain` is numbered, recorded and passed to `respond` before it is done, outside every lock: a
/// `respond` that waits delays that call and no other. One lock guards the rest.
public final class MemoryImageStore: ImageStoring {
  /// A call that is about to be done.
  public struct Call: Hashable, Sendable {
    /// The operation of a call.
    public enum Operation: String, Hashable, Sendable {
      /// `read`.
      case read
      /// `peek`.
      case peek
      /// `contains`.
      case contains
      /// `metadata(of:)`.
      case metadata
      /// `updateMetadata(_:of:)`.
      case updateMetadata = "update metadata"
      /// `write(_:for:)`.
      case write
      /// `touch`.
      case touch
      /// `remove`.
      case remove
      /// `removeAll`, of a kind or of all.
      case removeAll = "remove all"
      /// `entries(of:)`.
      case list
      /// `flush`.
      case flush
    }

    /// Its number, from zero, since the store was made.
    public let number: Int
    /// The operation.
    public let operation: Operation
    /// The entry's kind; `nil` for calls about all kinds.
    public let kind: ImageStoreKind?
    /// The entry; `nil` for calls about many.
    public let key: ImageStoreKey?
  }

  struct Slot {
    var key: ImageStoreKey
    var entry: ImageStoreEntry
    /// Grows with each use.
    var use: Int
    var accessDate: Date
  }

  struct State {
    var slots: [ImageStoreKey: Slot] = [:]
    var capacities: [ImageStoreKind: Int] = [:]
    var evictions: [ImageStoreKind: Int] = [:]
    var lastUse = 0
    var calls: [Call] = []
    var respond: @Sendable (Call) throws -> Void = { _ in }
    var hasExactHints = true

    mutating func use(_ key: ImageStoreKey, at date: Date) -> Slot? {
      lastUse += 1
      slots[key]?.use = lastUse
      slots[key]?.accessDate = date
      return slots[key]
    }

    func byteCount(of kind: ImageStoreKind) -> Int {
      slots.reduce(0) { $0 + ($1.key.kind == kind ? $1.value.entry.byteCount : 0) }
    }

    /// Removes the least recently used entries of a kind until it is within its capacity.
    mutating func trim(_ kind: ImageStoreKind) {
      guard let capacity = capacities[kind] else { return }
      while byteCount(of: kind) > capacity,
        let oldest = slots.values.filter({ $0.key.kind == kind }).min(by: { $0.use < $1.use })
      {
        slots[oldest.key] = nil
        evictions[kind, default: 0] += 1
      }
    }
  }

  let state = Mutex(State())
  let now: @Sendable () -> Date

  /// Makes an empty store.
  ///
  /// - Parameter now: the clock for the dates of use.
  public init(now: @escaping @Sendable () -> Date = { Date() }) {
    self.now = now
  }

  /// Called before each call is done. If it throws, the call throws that error and does nothing.
  public var respond: @Sendable (Call) throws -> Void {
    get { state.withLock { $0.respond } }
    set { state.withLock { $0.respond = newValue } }
  }

  /// Whether `mayContain` gives exact answers. If false, it always returns true, as in a store that cannot know. True by
  /// default.
  public var hasExactHints: Bool {
    get { state.withLock { $0.hasExactHints } }
    set { state.withLock { $0.hasExactHints = newValue } }
  }

  /// The calls so far.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// The number of calls of some operations so far.
  public func callCount(_ operations: Call.Operation...) -> Int {
    state.withLock { $0.calls.count { operations.contains($0.operation) } }
  }

  /// The keys of the entries, with their labels, the most recently used first.
  public var keys: [ImageStoreKey] {
    state.withLock { $0.slots.values.sorted { $0.use > $1.use }.map(\.key) }
  }

  /// The entry of a key; not counted as a call.
  public subscript(key: ImageStoreKey) -> ImageStoreEntry? {
    get { state.withLock { $0.slots[key]?.entry } }
    set {
      let date = now()
      state.withLock { state in
        state.slots[key] = newValue.map { Slot(key: key, entry: $0, use: 0, accessDate: date) }
        _ = state.use(key, at: date)
      }
    }
  }

  /// The number of entries of a kind.
  public func count(of kind: ImageStoreKind) -> Int {
    state.withLock { $0.slots.keys.count { $0.kind == kind } }
  }

  func begin(_ operation: Call.Operation, _ key: ImageStoreKey?, kind: ImageStoreKind? = nil) throws {
    let (call, respond) = state.withLock { state in
      let call = Call(number: state.calls.count, operation: operation, kind: key?.kind ?? kind, key: key)
      state.calls.append(call)
      return (call, state.respond)
    }
    try respond(call)
  }
}

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
