import OzuBase

/// A storage that lives as long as the process, with a limit in bytes. It removes the least recently used key.
///
/// One lock guards everything.
///
/// - Complexity: O(1) on average.
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

  private struct Use {
    let key: HTTPCacheKey
    let number: Int
  }

  private struct State {
    var slots: [HTTPCacheKey: Slot] = [:]
    var byteCount = 0
    var useCount = 0
    /// The uses of the keys, oldest first. Only the last use of each key counts; the others are removed when they
    /// are many.
    var uses: [Use] = []
    /// The number of uses at the front that were already processed.
    var passedUseCount = 0

    mutating func noteUse(of key: HTTPCacheKey, _ slot: inout Slot) {
      useCount += 1
      slot.lastUse = useCount
      uses.append(Use(key: key, number: useCount))
      guard uses.count > 2 * slots.count + 64 else { return }
      uses = uses[passedUseCount...].filter {
        $0.number == slot.lastUse || slots[$0.key]?.lastUse == $0.number
      }
      passedUseCount = 0
    }

    /// The least recently used key, unless it is the only one.
    mutating func popOldest() -> HTTPCacheKey? {
      while passedUseCount < uses.count - 1 {
        let use = uses[passedUseCount]
        passedUseCount += 1
        if slots[use.key]?.lastUse == use.number { return use.key }
      }
      return nil
    }

    mutating func change(_ key: HTTPCacheKey, _ change: (inout Slot) -> Void) {
      var slot = slots[key] ?? Slot()
      byteCount -= slot.byteCount
      change(&slot)
      noteUse(of: key, &slot)
      byteCount += slot.byteCount
      slots[key] = slot.entries.isEmpty && slot.partial == nil ? nil : slot
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
      guard var slot = state.slots[key] else { return [] }
      state.noteUse(of: key, &slot)
      state.slots[key] = slot
      return slot.entries.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Stores a response, unless it is too large.
  public func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey
  ) async {
    guard entry.body.count <= byteLimit / 2 else { return await removeEntries(for: key) }
    state.withLock { state in
      state.change(key) { slot in
        let (place, emptied) = HTTPVariants.place(
          for: entry.response, replacing: old, among: slot.entries.mapValues(\.response))
        for place in emptied { slot.entries[place] = nil }
        slot.entries[place] = entry
        // Room is made among other keys, so those of one key must fit by themselves.
        if slot.byteCount > byteLimit { (slot.entries, slot.partial) = ([place: entry], nil) }
      }
      makeRoom(&state)
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
      makeRoom(&state)
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

  private func makeRoom(_ state: inout State) {
    // The newest entry stays: room is made for it.
    while state.byteCount > byteLimit, let key = state.popOldest() {
      state.byteCount -= state.slots.removeValue(forKey: key)?.byteCount ?? 0
    }
  }
}
