import OzuBase

/// Weak references to evicted values of a memory cache that other code still keeps alive.
///
/// The cache calls this while it holds the lock of the key's part, so that both agree. The lock here is taken
/// last.
///
/// References are divided among 256 tables by key. Each table is swept and grown on its own, so that no single
/// eviction pays for all references.
@usableFromInline
final class LiveValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  // Unchecked: weak references are loaded and cleared atomically, and their objects are Sendable.
  private struct Reference: @unchecked Sendable {
    weak var object: AnyObject?
    let deadline: Int64
  }

  private struct Table {
    var references: [Key: Reference] = [:]
    /// The number of references at which the references to dead values are removed.
    var sweepCount = 8
  }

  private let tables = Mutex([Table](repeating: Table(), count: 256))

  private let seed = TableSeed()

  private func number(of key: Key) -> Int { Int(seed.tag(key.hashValue) & 255) }

  /// The number of references, including those to dead values that were not swept yet.
  var count: Int { tables.withLock { $0.reduce(0) { $0 + $1.references.count } } }

  /// Makes the tables; nil unless `Value` is a class type.
  @usableFromInline
  init?() {
    guard Value.self is AnyObject.Type else { return nil }
  }

  /// Records an evicted value.
  ///
  /// - Returns: Objects to release after all locks: sweeping holds them for a moment, and may be their last owner.
  @usableFromInline
  func note(_ value: Value, forKey key: Key, deadline: Int64) -> [AnyObject] {
    let object = value as AnyObject
    let number = number(of: key)
    return tables.withLock { tables in
      tables[number].references[key] = Reference(object: object, deadline: deadline)
      guard tables[number].references.count >= tables[number].sweepCount else { return Held() }
      var held = Held()
      tables[number].references = tables[number].references.filter { _, reference in
        guard let object = reference.object else { return false }
        held.objects.append(object)
        return true
      }
      tables[number].sweepCount = max(8, tables[number].references.count * 2)
      return held
    }.objects
  }

  // Unchecked: the objects are values of the cache, which are Sendable.
  private struct Held: @unchecked Sendable {
    var objects: [AnyObject] = []
  }

  /// The value of a key if it is alive, and the time at which it expires.
  @usableFromInline
  func find(_ key: Key) -> (value: Value, deadline: Int64)? {
    let number = number(of: key)
    return tables.withLock { tables in
      guard let reference = tables[number].references[key], let value = reference.object as? Value else {
        return nil
      }
      return (value, reference.deadline)
    }
  }

  @usableFromInline
  func forget(_ key: Key) {
    let number = number(of: key)
    tables.withLock { tables in
      if !tables[number].references.isEmpty { tables[number].references[key] = nil }
    }
  }

  func forget(where shouldRemove: (Key, Value) -> Bool) {
    let held = tables.withLock { tables in
      var held = Held()
      for number in tables.indices {
        tables[number].references = tables[number].references.filter { key, reference in
          guard let object = reference.object, let value = object as? Value else { return false }
          held.objects.append(object)
          return !shouldRemove(key, value)
        }
      }
      return held
    }
    // Released after the lock: these may be the last references.
    _ = consume held
  }

  func removeAll() {
    let former = tables.withLock { tables in
      let former = tables
      tables = [Table](repeating: Table(), count: 256)
      return former
    }
    // Releasing many references takes time, so it happens after the lock.
    _ = consume former
  }
}
