import OzuBase

/// One level of the stores, with the errors that the pipeline remembers: which were reported, and which entries could
/// not be removed.
///
/// An entry whose removal failed is hidden until it is written or removed with success, or until the process ends. If
/// there are thousands of them, all entries of the kind are hidden until all are removed. One lock guards the state; the
/// level and the app are called outside it.
struct StoreLevel: Sendable {
  let store: any ImageStoring
  private let memory = Memory()
  private let onError: @Sendable (ImageStoreError) -> Void

  private final class Memory: Sendable {
    struct State {
      var reported: Set<ImageStoreError.Operation> = []
      var hiddenKeys: Set<ImageStoreKey> = []
      var hiddenKinds: Set<ImageStoreKind> = []
      /// The kinds whose removal is queued, and how often.
      var leavingKinds: [ImageStoreKind: Int] = [:]
      var hidesAll = false

      mutating func hide(_ key: ImageStoreKey) {
        // Without its label, which would only take memory.
        hiddenKeys.insert(ImageStoreKey(key.kind, key.key))
        guard hiddenKeys.count > StoreLevel.hiddenKeyLimit else { return }
        hiddenKinds.insert(key.kind)
        hiddenKeys = hiddenKeys.filter { $0.kind != key.kind }
      }
    }

    let state = Mutex(State())
  }

  static let hiddenKeyLimit = 4096

  init(_ store: any ImageStoring, onError: @escaping @Sendable (ImageStoreError) -> Void) {
    self.store = store
    self.onError = onError
  }

  /// Whether the level may have an entry of a key. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { !hides(key) && store.mayContain(key) }

  /// Whether the level must not be asked for a key, because it may still have an entry that was removed.
  func hides(_ key: ImageStoreKey) -> Bool {
    memory.state.withLock { state in
      state.hidesAll || state.hiddenKeys.contains(key) || state.hiddenKinds.contains(key.kind)
        || state.leavingKinds[key.kind] != nil
    }
  }

  /// Hides the entries of a kind until `endHiding(_:)`, because their removal is queued.
  func beginHiding(_ kind: ImageStoreKind) {
    memory.state.withLock { $0.leavingKinds[kind, default: 0] += 1 }
  }

  func endHiding(_ kind: ImageStoreKind) {
    memory.state.withLock { state in
      let count = state.leavingKinds[kind] ?? 0
      state.leavingKinds[kind] = count > 1 ? count - 1 : nil
    }
  }

  /// Runs an operation of the level.
  ///
  /// - Returns: `nil` if it threw, which is reported.
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

  /// Changes the entry of a key. If that fails, removes it.
  func write<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ work: (any ImageStoring) throws -> Void
  ) {
    guard attempt(.write, work) != nil else { return remove(type, key) }
    memory.state.withLock { _ = $0.hiddenKeys.remove(key) }
  }

  /// Removes the entry of a key.
  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) {
    let isRemoved = attempt(.remove) { try Value.remove(key, from: $0) } != nil
    memory.state.withLock { state in
      if isRemoved { state.hiddenKeys.remove(key) } else { state.hide(key) }
    }
  }

  /// Removes all entries of a kind; `nil` means all kinds. If that fails, they are hidden until it succeeds.
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

  /// Removes the entries for which a closure returns true, from a listing of one kind or of all.
  func removeListed(of kind: ImageStoreKind?, where isMeant: (ImageStoreKey) -> Bool) {
    guard let entries = attempt(.list, { try $0.entries(of: kind) }) else { return }
    for info in entries where isMeant(info.key) { remove(ImageStoreEntry.self, info.key) }
  }

  /// Reports an error, unless one with the same operation was reported before.
  func report(_ operation: ImageStoreError.Operation, _ error: (any Error)?) {
    guard memory.state.withLock({ $0.reported.insert(operation).inserted }) else { return }
    onError(ImageStoreError(level: store.name, operation: operation, underlying: error))
  }
}
