/// A change of the entries of a level, with the facts that a queue needs. The first level makes it at once, a further one queues it.
struct StoreChange: Sendable {
  /// `nil` for many keys.
  let key: ImageStoreKey?
  /// Whether reads must not see the old entry until the change is made.
  var changesEntries = true
  /// The memory that the change holds while it waits.
  var byteCount = 0
  /// Whether a full queue may drop the change.
  var mayBeDropped = false
  /// The removal of the old entry after that, because it is out of date.
  var removal: (@Sendable (StoreLevel) -> Void)?
  let make: @Sendable (StoreLevel) -> Void

  /// Changes the entry of a key. If that fails, the entry is removed.
  static func write<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, byteCount: Int,
    _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) -> StoreChange {
    StoreChange(
      key: key, byteCount: byteCount, mayBeDropped: true, removal: { $0.remove(type, key) },
      make: { $0.write(type, key, work) })
  }

  /// Writes a value that a lower level has.
  static func promote(
    _ key: ImageStoreKey, byteCount: Int, _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) -> StoreChange {
    StoreChange(key: key, byteCount: byteCount, mayBeDropped: true) { $0.attempt(.write, work) }
  }

  /// Marks an entry as used.
  static func touch(_ key: ImageStoreKey) -> StoreChange {
    StoreChange(key: nil, changesEntries: false, mayBeDropped: true) { level in
      level.attempt(.write) { _ = try $0.touch(key) }
    }
  }

  static func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) -> StoreChange {
    StoreChange(key: key) { $0.remove(type, key) }
  }

  /// Removes all entries of a kind; `nil` means all kinds.
  static func removeAll(of kind: ImageStoreKind?) -> StoreChange {
    StoreChange(key: nil) { $0.removeAll(of: kind) }
  }

  /// Removes the entries for which a closure returns true, from a listing of one kind or of all.
  static func removeListed(
    of kind: ImageStoreKind?, where isMeant: @escaping @Sendable (ImageStoreKey) -> Bool
  ) -> StoreChange {
    StoreChange(key: nil) { $0.removeListed(of: kind, where: isMeant) }
  }
}
