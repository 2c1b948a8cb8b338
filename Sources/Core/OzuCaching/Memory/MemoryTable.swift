/// One part of a memory cache's dictionary: open addressing with keys and values in the cells.
///
/// A hit reads one cell, which has 32 bytes for a `CacheKey` and an object, and so lies in one cache line. Swift's
/// dictionary has keys, values and a bitmap in three places, and measured 1.5 times as long. Probing is linear, at
/// most four cells of five are in use, and a removal shifts the following cells back, so that lookups do not become
/// slower with time. Growing moves the cells of one part only.
///
/// Cells are raw memory, because the bounds and uniqueness checks of an array cost more than a probe. A cell is
/// initialized exactly while its tag, which is its first field, is not zero. Every position is masked to the table's
/// size before use.
@usableFromInline
struct MemoryTable<Key: Hashable & Sendable, Value: Sendable>: ~Copyable, @unchecked Sendable {
  // Sendable: the memory belongs to this value alone, which cannot be copied; keys and values are Sendable.
  @usableFromInline
  struct Cell {
    /// The hash of the key. It is never zero.
    @usableFromInline let tag: UInt32
    /// From the lowest bit: two bits of hits, whether the entry expires, and the number of its node.
    @usableFromInline var bits: UInt32
    @usableFromInline let key: Key
    @usableFromInline var value: Value

    @inlinable
    init(tag: UInt32, node: Int, expires: Bool, key: Key, value: Value) {
      self.tag = tag
      self.key = key
      self.value = value
      bits = UInt32(truncatingIfNeeded: node) &<< 3 | (expires ? 4 : 0)
    }

    /// The number of the entry's node in `EvictionQueues`.
    @inlinable var node: Int { Int(bits &>> 3) }

    @inlinable var expires: Bool {
      get { bits & 4 != 0 }
      set { bits = bits & ~4 | (newValue ? 4 : 0) }
    }

    /// Hits since the entry entered its queue, at most `AdaptiveS3FIFO.mostHits`.
    @inlinable var hits: UInt32 {
      get { bits & 3 }
      set { bits = bits & ~3 | newValue }
    }
  }

  /// The key and the value of an entry that left.
  @usableFromInline typealias Departed = (key: Key, value: Value)

  // The fields of a hit come first: together with the lock they lie in one cache line.
  @usableFromInline var cells: UnsafeMutablePointer<Cell>
  @usableFromInline var mask: Int
  @usableFromInline var hits = 0
  @usableFromInline var misses = 0
  @usableFromInline var weakHits = 0
  @usableFromInline var count = 0
  /// Keeps the lock of the next part out of this one's cache lines.
  private let padding = (0, 0, 0, 0, 0, 0, 0, 0, 0)

  @usableFromInline
  init() {
    cells = Self.makeCells(8)
    mask = 7
  }

  deinit {
    forEach { $0.deinitialize(count: 1) }
    cells.deallocate()
  }

  private static func makeCells(_ count: Int) -> UnsafeMutablePointer<Cell> {
    let size = count &* MemoryLayout<Cell>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    return memory.bindMemory(to: Cell.self, capacity: count)
  }

  @usableFromInline
  func forEach(_ body: (UnsafeMutablePointer<Cell>) -> Void) {
    for position in 0...mask where cells[position].tag != 0 { body(cells + position) }
  }

  @inlinable @inline(__always)
  func find(_ key: Key, _ tag: UInt32) -> UnsafeMutablePointer<Cell>? {
    var position = Int(tag) & mask
    while true {
      let cell = cells + position
      if cell.pointee.tag == tag, cell.pointee.key == key { return cell }
      if cell.pointee.tag == 0 { return nil }
      position = (position &+ 1) & mask
    }
  }

  /// The cell of a node that is in the table.
  @inlinable @inline(__always)
  func cell(ofNode node: Int, _ tag: UInt32) -> UnsafeMutablePointer<Cell> {
    var position = Int(tag) & mask
    while cells[position].tag != tag || cells[position].node != node { position = (position &+ 1) & mask }
    return cells + position
  }

  /// Adds a key that is not in the table.
  @inlinable
  mutating func insert(_ cell: consuming Cell) {
    if (count &+ 1) &* 5 > (mask &+ 1) &* 4 { grow() }
    count &+= 1
    freeCell(cell.tag).initialize(to: cell)
  }

  @inlinable @inline(__always)
  func freeCell(_ tag: UInt32) -> UnsafeMutablePointer<Cell> {
    var position = Int(tag) & mask
    while cells[position].tag != 0 { position = (position &+ 1) & mask }
    return cells + position
  }

  @usableFromInline
  mutating func grow() {
    let (former, formerMask) = (cells, mask)
    mask = mask &* 2 &+ 1
    cells = Self.makeCells(mask &+ 1)
    for position in 0...formerMask where former[position].tag != 0 {
      freeCell(former[position].tag).moveInitialize(from: former + position, count: 1)
    }
    former.deallocate()
  }

  /// Removes an entry. Other cells may move.
  @inlinable
  mutating func remove(_ cell: UnsafeMutablePointer<Cell>) -> Departed {
    let departed = cell.move()
    count &-= 1
    var hole = cell - cells
    var next = hole
    while true {
      next = (next &+ 1) & mask
      let tag = cells[next].tag
      if tag == 0 { break }
      // A follower may move into the hole unless its home lies cyclically after the hole.
      if (next &- Int(tag)) & mask >= (next &- hole) & mask {
        (cells + hole).moveInitialize(from: cells + next, count: 1)
        hole = next
      }
    }
    UnsafeMutableRawPointer(cells + hole).storeBytes(of: 0, as: UInt32.self)
    return (departed.key, departed.value)
  }
}

/// Keeps removed entries alive until the locks are free, because releasing a value may run any code. The first entry
/// needs no allocation; an insertion rarely removes more.
@usableFromInline
struct DepartedEntries<Key, Value> {
  @usableFromInline var first: (key: Key, value: Value)?
  @usableFromInline var rest: [(key: Key, value: Value)] = []
  /// A value that another one replaced.
  @usableFromInline var replaced: Value?
  /// Other objects that were held for a moment.
  @usableFromInline var objects: [AnyObject] = []

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ entry: (key: Key, value: Value)) {
    if first == nil { first = entry } else { rest.append(entry) }
  }

  @inlinable
  func tell(_ body: (Key, Value) -> Void) {
    if let first { body(first.key, first.value) }
    for (key, value) in rest { body(key, value) }
  }
}
