/// Remembers the tags of about the last `capacity` entries that left a queue, at eight bytes each.
///
/// A cell holds a tag and the time of its departure, counted in departures; it is forgotten when `capacity`
/// others have left since. Buckets of four replace their oldest. A rare false answer only changes an
/// eviction decision.
@usableFromInline
struct GhostSet: Sendable {
  private var cells: ContiguousArray<UInt64>
  /// Departures so far; starts at one so that an empty cell is never current.
  private var clock: UInt32 = 1
  @usableFromInline private(set) var capacity: Int

  @usableFromInline
  init(capacity: Int = 64) {
    self.capacity = capacity
    var size = 8
    while size < capacity &* 2 { size &*= 2 }
    cells = ContiguousArray(repeating: 0, count: size)
  }

  private func bucket(_ tag: UInt32) -> Int {
    // The table of entries uses the low bits of the tag; a multiplication spreads them anew.
    let mixed = UInt64(tag) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (cells.count &- 1) & ~3
  }

  private func isCurrent(_ cell: UInt64) -> Bool {
    cell != 0 && Int(clock &- UInt32(truncatingIfNeeded: cell)) <= capacity
  }

  @usableFromInline
  mutating func insert(_ tag: UInt32) {
    let start = bucket(tag)
    var oldest = start
    var age: UInt32 = 0
    for position in start..<start &+ 4 {
      let cell = cells[position]
      if !isCurrent(cell) || UInt32(truncatingIfNeeded: cell >> 32) == tag {
        oldest = position
        break
      }
      let cellAge = clock &- UInt32(truncatingIfNeeded: cell)
      if cellAge >= age { (oldest, age) = (position, cellAge) }
    }
    cells[oldest] = UInt64(tag) << 32 | UInt64(clock)
    clock &+= 1
  }

  /// Whether the tag left recently; it is forgotten by asking.
  @usableFromInline
  mutating func remove(_ tag: UInt32) -> Bool {
    let start = bucket(tag)
    for position in start..<start &+ 4 where UInt32(truncatingIfNeeded: cells[position] >> 32) == tag {
      let wasCurrent = isCurrent(cells[position])
      cells[position] = 0
      return wasCurrent
    }
    return false
  }

  /// Remembers more departures from now on, and no fewer of those so far.
  @usableFromInline
  mutating func grow(toCapacity wanted: Int) {
    guard wanted > capacity else { return }
    var larger = GhostSet(capacity: wanted)
    let current = cells.filter { isCurrent($0) }.sorted {
      clock &- UInt32(truncatingIfNeeded: $0) > clock &- UInt32(truncatingIfNeeded: $1)
    }
    for cell in current { larger.insert(UInt32(truncatingIfNeeded: cell >> 32)) }
    self = larger
  }
}
