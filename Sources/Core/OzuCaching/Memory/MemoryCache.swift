import OzuBase

/// A cache in memory with a limit in bytes and a limit on the number of entries. One long scan does not flush it.
///
/// ```swift
/// let pictures = MemoryCache<CacheKey, Picture>(MemoryCacheConfiguration(costLimit: 64 << 20))
/// pictures.store(picture, forKey: key, cost: picture.byteCount)
/// if let hit = pictures.value(forKey: key) { show(hit) }
/// ```
///
/// A hit takes the lock of one of sixteen parts of a dictionary (`MemoryTable`) for a few dozen instructions, raises
/// two counters and relinks nothing. The order of eviction, an adaptive S3-FIFO, is one for the whole cache
/// (`EvictionQueues`, `AdaptiveS3FIFO`) and has a lock of its own, which hits do not take: so they never wait for an
/// insertion that evicts many entries, and a cache of few large entries evicts the right ones.
///
/// The order of locks is: the queues, one part, the references to evicted values. Entries come and go under the lock
/// of the queues, so that the limits hold at every moment with any number of threads. Values are released outside the
/// locks, so their deinitializers may use the cache.
///
/// - Complexity: O(1) for every operation on one entry; one insertion moves at most sixteen entries besides
///   those that leave.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Table = MemoryTable<Key, Value>

  /// The parts of the dictionary, each behind its own lock.
  // Unsafe for the compiler only: allocated by `init`, freed by `deinit`, never changed between, and each part is
  // reached through its lock. An array of objects would count references at every hit.
  @usableFromInline nonisolated(unsafe) let tables: UnsafeMutablePointer<Mutex<Table>>
  @usableFromInline let queues: Mutex<EvictionQueues>
  /// The seed under which keys are hashed.
  @usableFromInline let seed = TableSeed()
  @usableFromInline let live: LiveValues<Key, Value>?
  @usableFromInline let configuration: MemoryCacheConfiguration
  @usableFromInline let onEviction: (@Sendable (Key, Value) -> Void)?
  @usableFromInline let epoch: ContinuousClock.Instant
  private let observation = Mutex<MemoryPressureObservation?>(nil)

  /// Makes a cache with these limits. Negative limits count as zero.
  ///
  /// - Parameter onEviction: Called for each entry that was evicted to make room, after it left, on the thread
  ///     that caused it. It may use the cache. It is not called for entries that were removed, replaced or expired.
  ///     Default: `nil`.
  public init(
    _ configuration: MemoryCacheConfiguration = MemoryCacheConfiguration(),
    onEviction: (@Sendable (Key, Value) -> Void)? = nil
  ) {
    self.configuration = configuration
    self.onEviction = onEviction
    epoch = configuration.now()
    queues = Mutex(EvictionQueues(costLimit: configuration.costLimit, countLimit: configuration.countLimit))
    let size = Self.partCount * MemoryLayout<Mutex<Table>>.stride
    tables = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64).bindMemory(
      to: Mutex<Table>.self, capacity: Self.partCount)
    for number in 0..<Self.partCount { (tables + number).initialize(to: Mutex(Table())) }
    live = configuration.findsEvictedAlive ? LiveValues() : nil
    let observation = configuration.pressure?.observe { [weak self] in self?.respond(to: $0) }
    self.observation.withLock { $0 = observation }
  }

  deinit {
    tables.deinitialize(count: Self.partCount)
    tables.deallocate()
  }

  // MARK: Lookups

  /// The value of a key, or nil if there is none or it expired.
  @inlinable @inline(__always)
  public func value(forKey key: Key) -> Value? {
    withValue(forKey: key) { $0 }
  }

  /// Reads a part of the value of a key without retaining the value; `nil` if there is none or it expired. Counts as
  /// a use, as `value(forKey:)` does.
  ///
  /// - Parameter read: Called under a lock: it must be short and must not use the cache.
  @inlinable @inline(__always)
  public func withValue<Result: Sendable>(forKey key: Key, _ read: (Value) -> Result) -> Result? {
    let tag = tag(of: key)
    var isSettled = true
    let found = withTable(of: tag) { table -> Result? in
      guard let cell = table.find(key, tag) else {
        if live == nil { table.misses &+= 1 } else { isSettled = false }
        return nil
      }
      if cell.pointee.expires {
        isSettled = false
        return nil
      }
      table.hits &+= 1
      // After a few hits of an entry, further hits write nothing to its cell.
      if cell.pointee.hits < AdaptiveS3FIFO.mostHits { cell.pointee.bits &+= 1 }
      return read(cell.pointee.value)
    }
    return isSettled ? found : withValidValue(forKey: key, tag, read)
  }

  /// As `withValue`, also for entries with a lifetime and for evicted values that are alive. Removes an expired entry.
  @inlinable @inline(never)
  func withValidValue<Result: Sendable>(
    forKey key: Key, _ tag: UInt32, _ read: (Value) -> Result
  ) -> Result? {
    // Declared before the locks are taken: both are released after unlocking.
    var (held, expired): (Value?, Table.Departed?)
    defer { withExtendedLifetime((held, expired)) {} }
    return queues.withLock { queues in
      withTable(of: tag) { table in
        if let cell = table.find(key, tag) {
          if isValid(queues.deadline(of: cell.pointee.node)) {
            table.hits &+= 1
            if cell.pointee.hits < AdaptiveS3FIFO.mostHits { cell.pointee.bits &+= 1 }
            return read(cell.pointee.value)
          }
          queues.remove(cell.pointee.node)
          queues.statistics.expirations &+= 1
          expired = table.remove(cell)
        } else if let found = live?.find(key) {
          held = found.value
          if isValid(found.deadline) {
            table.weakHits &+= 1
            return read(found.value)
          }
        }
        table.misses &+= 1
        return nil
      }
    }
  }

  /// Whether a key has a value that has not expired. Does not count as a use.
  @inlinable
  public func contains(_ key: Key) -> Bool {
    let tag = tag(of: key)
    // Declared before the locks are taken: it is released after unlocking.
    var held: Value?
    defer { withExtendedLifetime(held) {} }
    return queues.withLock { queues in
      withTable(of: tag) { table in
        if let cell = table.find(key, tag) { return isValid(queues.deadline(of: cell.pointee.node)) }
        guard let found = live?.find(key) else { return false }
        held = found.value
        return isValid(found.deadline)
      }
    }
  }

  // MARK: Changes

  /// Stores a value, replaces the former value of the key, and evicts other entries to keep the limits.
  ///
  /// A value that costs more than `maximumEntryFraction` of the limit is refused. The key then has no value,
  /// because the former value would be out of date.
  ///
  /// - Parameters:
  ///   - cost: The size of the value in bytes. Negative costs count as zero.
  ///   - lifetime: How long the value may be used; nil means the configuration's lifetime.
  /// - Returns: Whether the value was stored.
  @inlinable
  @discardableResult
  public func store(_ value: Value, forKey key: Key, cost: Int, lifetime: Duration? = nil) -> Bool {
    store(value, forKey: key, cost: cost, lifetime: lifetime) { true }
  }

  /// The same if `isAllowed` returns true. It is asked under the lock that every removal takes: of a removal that first makes it
  /// return false, no later call finds the value.
  @inlinable
  @discardableResult
  package func store(
    _ value: Value, forKey key: Key, cost: Int, lifetime: Duration? = nil, if isAllowed: () -> Bool
  ) -> Bool {
    let cost = max(0, cost)
    let deadline = (lifetime ?? configuration.lifetime).map { Self.nanoseconds(elapsed(), plus: $0) } ?? .max
    let tag = tag(of: key)
    // Declared before the locks are taken: its content is released after unlocking.
    var departed = DepartedEntries<Key, Value>()
    let isStored = queues.withLock { queues in
      guard isAllowed() else { return false }
      guard cost <= queues.costLimit, queues.countLimit > 0,
        Double(cost) <= Double(queues.costLimit) * configuration.maximumEntryFraction
      else {
        queues.statistics.refusals &+= 1
        departed.replaced = remove(key, tag, &queues)?.value
        return false
      }
      let new = queues.makeNode(tag, cost: cost, deadline: deadline)
      let former = withTable(of: tag) { table -> Int? in
        live?.forget(key)
        guard let cell = table.find(key, tag) else {
          table.insert(Table.Cell(tag: tag, node: new, expires: deadline != .max, key: key, value: value))
          return nil
        }
        departed.replaced = cell.pointee.value
        cell.pointee.value = value
        cell.pointee.expires = deadline != .max
        return cell.pointee.node
      }
      if let former {
        queues.discard(new)
        if queues.replace(former, cost: cost, deadline: deadline) { return true }
      }
      // The entry is in no queue meanwhile, so it is not evicted for itself.
      var steps = 16
      while let measure = queues.lacksRoom(for: cost) {
        if !evict(&queues, for: measure, steps: &steps, into: &departed) { break }
      }
      if let former { queues.resume(former) } else { queues.admit(new) }
      return true
    }
    if let onEviction { departed.tell(onEviction) }
    return isStored
  }

  /// Removes the value of a key and returns it.
  @inlinable
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    queues.withLock { remove(key, tag(of: key), &$0) }?.value
  }

  @inlinable
  func remove(_ key: Key, _ tag: UInt32, _ queues: inout EvictionQueues) -> Table.Departed? {
    withTable(of: tag) { table in
      live?.forget(key)
      guard let cell = table.find(key, tag) else { return nil }
      queues.remove(cell.pointee.node)
      return table.remove(cell)
    }
  }

  /// Removes the values for which the closure returns true. The closure runs under a lock of the cache: it must be
  /// short and must not use the cache.
  ///
  /// - Complexity: O(entries).
  public func removeValues(where shouldRemove: (Key, Value) -> Bool) {
    for number in 0..<Self.partCount {
      let removed = queues.withLock { queues in
        withTable(number) { table -> [Table.Departed] in
          var found: [(tag: UInt32, node: Int)] = []
          table.forEach { cell in
            if shouldRemove(cell.pointee.key, cell.pointee.value) {
              found.append((cell.pointee.tag, cell.pointee.node))
            }
          }
          return found.map { tag, node in
            queues.remove(node)
            return table.remove(table.cell(ofNode: node, tag))
          }
        }
      }
      // Released here, after the locks: releasing the last reference to a value may run any code.
      _ = consume removed
    }
    live?.forget(where: shouldRemove)
  }

  /// Removes every value.
  public func removeAll() {
    for number in 0..<Self.partCount {
      let taken = queues.withLock { queues in
        withTable(number) { table in
          var taken = Table()
          (taken.hits, taken.misses, taken.weakHits) = (table.hits, table.misses, table.weakHits)
          swap(&taken, &table)
          taken.forEach { queues.remove($0.pointee.node) }
          return taken
        }
      }
      _ = consume taken
    }
    queues.withLock { $0.releaseIfEmpty() }
    live?.removeAll()
  }

  // MARK: Parts

  @usableFromInline static var partCount: Int { 16 }

  /// The hash of a key in this cache, never zero. Keys that are already hashes, such as `CacheKey`, return their bits
  /// as `hashValue`.
  @inlinable @inline(__always)
  func tag(of key: Key) -> UInt32 {
    seed.tag(key.hashValue) | 1 &<< 31
  }

  /// Runs a closure with exclusive access to the part of a tag. The tables use the low bits of the tag, and the highest
  /// is always set, so the part comes from the four below it.
  @inlinable @inline(__always)
  func withTable<Result: ~Copyable & Sendable>(of tag: UInt32, _ body: (inout Table) -> Result) -> Result {
    withTable(Int(tag &>> 27) & (Self.partCount &- 1), body)
  }

  @inlinable @inline(__always)
  func withTable<Result: ~Copyable & Sendable>(_ number: Int, _ body: (inout Table) -> Result) -> Result {
    (tables + number).pointee.withLock { body(&$0) }
  }
}
