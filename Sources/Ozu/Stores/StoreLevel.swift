import OzuSynchronization

/// One level with what the pipeline remembers of its troubles: which were reported, and what could not be removed.
///
/// An entry whose removal failed is hidden for the life of the process, until it is written or removed with success.
/// Where there are thousands of them, the later ones stay hidden in any case (`HiddenKeys`).
/// One lock guards the memory; the level and the app are called outside of it.
struct StoreLevel: Sendable {
  let store: any ImageStoring
  private let memory = Memory()
  private let onError: @Sendable (ImageStoreError) -> Void

  private final class Memory: Sendable {
    struct State {
      var reported: Set<ImageStoreError.Operation> = []
      var hiddenKeys = HiddenKeys()
      var hiddenKinds: Set<ImageStoreKind> = []
      var hidesAll = false
    }

    let state = Mutex(State())
  }

  init(_ store: any ImageStoring, onError: @escaping @Sendable (ImageStoreError) -> Void) {
    self.store = store
    self.onError = onError
  }

  /// Whether the level may have something under a key. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { !hides(key) && store.mayContain(key) }

  /// Whether the level must not be asked for a key, because it may have what was removed.
  func hides(_ key: ImageStoreKey) -> Bool {
    memory.state.withLock { $0.hidesAll || $0.hiddenKeys.contains(key) || $0.hiddenKinds.contains(key.kind) }
  }

  /// Has the level do something.
  ///
  /// - Returns: `nil` when it threw, which is reported.
  @discardableResult
  func attempt<Value>(
    _ operation: ImageStoreError.Operation, _ work: (any ImageStoring) throws -> Value
  ) -> Value? {
    do {
      return try work(store)
    } catch {
      report(operation, error)
      return nil
    }
  }

  /// Has what a key has changed; when that fails, removed.
  func write<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ work: (any ImageStoring) throws -> Void
  ) {
    guard attempt(.write, work) != nil else { return remove(type, key) }
    memory.state.withLock { $0.hiddenKeys.remove(key) }
  }

  /// Has what a key has removed.
  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) {
    let isRemoved = attempt(.remove) { try Value.remove(key, from: $0) } != nil
    memory.state.withLock { state in
      if isRemoved { state.hiddenKeys.remove(key) } else { state.hiddenKeys.insert(key) }
    }
  }

  /// Has all entries of a kind removed, or all there are. When that fails, they are hidden until it succeeds.
  func removeAll(of kind: ImageStoreKind?) {
    guard let kind else {
      let areRemoved = attempt(.remove) { try $0.removeAll() } != nil
      memory.state.withLock { state in
        if areRemoved { state = Memory.State(reported: state.reported) } else { state.hidesAll = true }
      }
      return
    }
    let areRemoved = attempt(.remove) { try $0.removeAll(of: kind) } != nil
    memory.state.withLock { state in
      if areRemoved { state.hiddenKinds.remove(kind) } else { state.hiddenKinds.insert(kind) }
    }
  }

  /// Has those entries removed that a listing of the level shows: of a kind, or of all.
  func removeListed(of kind: ImageStoreKind?, where isMeant: (ImageStoreKey) -> Bool) {
    guard let entries = attempt(.list, { try $0.entries(of: kind) }) else { return }
    for info in entries where isMeant(info.key) { remove(ImageStoreEntry.self, info.key) }
  }

  /// Reports a trouble, unless one with the same operation was reported before.
  func report(_ operation: ImageStoreError.Operation, _ error: (any Error)?) {
    guard memory.state.withLock({ $0.reported.insert(operation).inserted }) else { return }
    onError(ImageStoreError(level: store.name, operation: operation, underlying: error))
  }
}
