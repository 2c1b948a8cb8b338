import OzuBase

/// A storage that lives as long as the process, with a limit in bytes. It removes the least recently used key.
///
/// One lock guards everything.
///
/// - Complexity: O(1); O(keys) for each key that is removed to make room.
public final class InMemoryHTTPCacheStorage: HTTPCacheStorage {
  private struct Slot {
    var entries: [Int: HTTPCacheEntry] = [:]
    var partial: HTTPPartialBody?
    var lastUse = 0

    var byteCount: Int {
      let beginning = partial.map { $0.body.count + $0.response.headers.byteCount } ?? 0
      return entries.values.reduce(beginning) {
        $0 + $1.body.count + max(1024, $1.response.headers.byteCount)
      }
    }
  }

  private struct State {
    var slots: [HTTPCacheKey: Slot] = [:]
    var byteCount = 0
    var useCount = 0

    mutating func change(_ key: HTTPCacheKey, _ change: (inout Slot) -> Void) {
      var slot = slots[key] ?? Slot()
      byteCount -= slot.byteCount
      change(&slot)
      useCount += 1
      slot.lastUse = useCount
      byteCount += slot.byteCount
      slots[key] = slot.entries.isEmpty && slot.partial == nil ? nil : slot
    }

    /// Removes the least recently used keys. The newest stays: room is made for it.
    mutating func makeRoom(byteLimit: Int) {
      while byteCount > byteLimit, slots.count > 1,
        let oldest = slots.indices.min(by: { slots[$0].value.lastUse < slots[$1].value.lastUse })
      {
        byteCount -= slots.remove(at: oldest).value.byteCount
      }
    }
  }

  private let state = Mutex(State())
  private let byteLimit: Int

  /// Makes an empty storage.
  ///
  /// - Parameter byteLimit: the most bytes of bodies and heads; a head counts as 1 KB at least. Default: 64 MB.
  public init(byteLimit: Int = 64 << 20) {
    self.byteLimit = byteLimit
  }

  /// The number of bytes in use.
  public var byteCount: Int { state.withLock { $0.byteCount } }

  /// The variants stored under a key.
  public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    state.withLock { state in
      state.useCount += 1
      state.slots[key]?.lastUse = state.useCount
      return state.slots[key]?.entries.sorted { $0.key < $1.key }.map(\.value) ?? []
    }
  }

  /// Stores a response, unless it is too large, or the one in its place was asked for later.
  public func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey
  ) async {
    guard entry.body.count <= byteLimit / 2 else { return await removeEntries(for: key) }
    state.withLock { state in
      state.change(key) { slot in
        let (place, emptied) = HTTPVariants.place(
          for: entry.response, replacing: old, among: slot.entries.mapValues(\.response))
        if HTTPVariants.isOutdated(entry.response, by: slot.entries[place]?.response) { return }
        for place in emptied { slot.entries[place] = nil }
        slot.entries[place] = entry
        // Room is made among other keys, so those of one key must fit by themselves.
        if slot.byteCount > byteLimit { (slot.entries, slot.partial) = ([place: entry], nil) }
      }
      state.makeRoom(byteLimit: byteLimit)
    }
  }

  /// Removes every variant.
  public func removeEntries(for key: HTTPCacheKey) async {
    state.withLock { state in state.change(key) { $0.entries = [:] } }
  }

  /// The beginning of a body whose transfer broke off.
  public func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    state.withLock { $0.slots[key]?.partial }
  }

  /// Stores the beginning of a body; `nil` removes it.
  public func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    let kept = partial.flatMap { $0.body.count <= byteLimit / 2 ? $0 : nil }
    state.withLock { state in
      state.change(key) { slot in
        slot.partial = kept
        if slot.byteCount > byteLimit { slot.partial = nil }
      }
      state.makeRoom(byteLimit: byteLimit)
    }
  }

  /// Removes the variants and the beginnings of bodies of some keys.
  ///
  /// - Complexity: O(keys).
  package func removeAll(where isMeant: (HTTPCacheKey) -> Bool) {
    state.withLock { state in
      for key in state.slots.keys where isMeant(key) {
        state.byteCount -= state.slots.removeValue(forKey: key)?.byteCount ?? 0
      }
    }
  }
}
