import OzuSynchronization

/// A storage that lasts as long as the process, bounded in bytes; the least recently used key gives way.
///
/// One lock guards everything.
///
/// - Complexity: O(1) on average. Where something has to give way, an eighth of the limit does at once, so that the keys
///   are not sorted for each response.
public final class InMemoryHTTPCacheStorage: HTTPCacheStorage {
  private struct Slot {
    var entries: [Int: HTTPCacheEntry] = [:]
    var partial: HTTPPartialBody?
    var lastUse = 0

    var byteCount: Int {
      entries.values.reduce(partial?.body.count ?? 0) { $0 + $1.body.count + 1024 }
    }
  }

  private struct State {
    var slots: [HTTPCacheKey: Slot] = [:]
    var byteCount = 0
    var uses = 0

    mutating func change(_ key: HTTPCacheKey, _ change: (inout Slot) -> Void) {
      var slot = slots[key] ?? Slot()
      byteCount -= slot.byteCount
      change(&slot)
      uses += 1
      slot.lastUse = uses
      byteCount += slot.byteCount
      slots[key] = slot.entries.isEmpty && slot.partial == nil ? nil : slot
    }
  }

  private let state = Mutex(State())
  private let byteLimit: Int

  /// Makes an empty storage.
  ///
  /// - Parameter byteLimit: how many bytes bodies may take, with 1 KB for each response's head. 64 MB.
  public init(byteLimit: Int = 64 << 20) {
    self.byteLimit = byteLimit
  }

  /// How many bytes are taken.
  public var byteCount: Int { state.withLock { $0.byteCount } }

  /// The variants stored under a key.
  public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    state.withLock { state in
      guard let slot = state.slots[key] else { return [] }
      state.uses += 1
      state.slots[key]?.lastUse = state.uses
      return slot.entries.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Stores a response, unless it is too large to stay.
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

  /// Keeps the beginning of a body; `nil` removes it.
  public func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    let kept = partial.flatMap { $0.body.count <= byteLimit / 2 ? $0 : nil }
    state.withLock { state in
      state.change(key) { $0.partial = kept }
      makeRoom(&state)
    }
  }

  private func makeRoom(_ state: inout State) {
    guard state.byteCount > byteLimit else { return }
    let byAge = state.slots.sorted { $0.value.lastUse < $1.value.lastUse }
    // The newest is what room is made for.
    for (key, slot) in byAge.dropLast() {
      guard state.byteCount > byteLimit - byteLimit / 8 else { return }
      state.byteCount -= slot.byteCount
      state.slots[key] = nil
    }
  }
}
