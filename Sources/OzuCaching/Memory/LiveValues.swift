import OzuSynchronization

/// The evicted values of a memory cache that somebody else still keeps alive, by weak references.
///
/// The cache calls this under the lock of the key's shard, so that what is noted, forgotten and found agrees
/// with the shard. The lock here is taken last.
@usableFromInline
final class LiveValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  // Unchecked: weak references are loaded and cleared atomically, and what they refer to is Sendable.
  private struct Reference: @unchecked Sendable {
    weak var object: AnyObject?
    let deadline: Int64
  }

  private struct State {
    var references: [Key: Reference] = [:]
    /// The number of references at which those to dead values are swept out.
    var sweepCount = 64
  }

  private let state = Mutex(State())

  /// Nil unless values are objects.
  @usableFromInline
  init?() {
    guard Value.self is AnyObject.Type else { return nil }
  }

  /// Notes an evicted value.
  ///
  /// - Returns: Objects to be let go after all locks: sweeping holds them for a moment, and may be the last to do so.
  @usableFromInline
  func note(_ value: Value, forKey key: Key, deadline: Int64) -> [AnyObject] {
    let object = value as AnyObject
    return state.withLock { state in
      state.references[key] = Reference(object: object, deadline: deadline)
      guard state.references.count >= state.sweepCount else { return Held() }
      var held = Held()
      state.references = state.references.filter { _, reference in
        guard let object = reference.object else { return false }
        held.objects.append(object)
        return true
      }
      state.sweepCount = max(64, state.references.count * 2)
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
    state.withLock { state in
      guard let reference = state.references[key], let value = reference.object as? Value else { return nil }
      return (value, reference.deadline)
    }
  }

  @usableFromInline
  func forget(_ key: Key) {
    state.withLock { state in
      if !state.references.isEmpty { state.references[key] = nil }
    }
  }

  /// Forgets the values of which a closure says so.
  func forget(where isToGo: (Key, Value) -> Bool) {
    let held = state.withLock { state in
      var held = Held()
      state.references = state.references.filter { key, reference in
        guard let object = reference.object, let value = object as? Value else { return false }
        held.objects.append(object)
        return !isToGo(key, value)
      }
      return held
    }
    // Let go after the lock: this may be the last to hold them.
    _ = consume held
  }

  func removeAll() {
    state.withLock { $0 = State() }
  }
}
