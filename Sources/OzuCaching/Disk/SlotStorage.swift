/// The slots of a segment index in one run of raw memory, which may be a stored index mapped from its file.
///
/// The owner, which cannot be copied, calls `deallocate()` last. Every access is checked against the count.
struct SlotStorage: @unchecked Sendable {
  // Sendable: one owner has the one value, under its lock.
  typealias Slot = SegmentIndex.Slot

  private(set) var base: UnsafeMutablePointer<Slot>
  private(set) var count = 0
  private var capacity: Int
  /// Whose memory it is, unless it is allocated here.
  private var owner: FileBytes?

  init() {
    capacity = 16
    base = .allocate(capacity: capacity)
  }

  /// The slots that lie in bytes of a file.
  init(count: Int, at offset: Int, of owner: FileBytes) {
    self.count = count
    self.owner = owner
    capacity = count
    base = (owner.bytes.baseAddress! + offset).bindMemory(to: Slot.self, capacity: count)
  }

  func deallocate() {
    if owner == nil { base.deallocate() }
  }

  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> Slot {
    get {
      precondition(index >= 0 && index < count)
      return base[index]
    }
    nonmutating _modify {
      precondition(index >= 0 && index < count)
      yield &base[index]
    }
  }

  mutating func append(_ slot: Slot) {
    if count == capacity {
      // Untouched pages of large allocations take no memory, so doubling wastes addresses only.
      capacity = max(16, capacity * 2)
      let larger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
      larger.update(from: base, count: count)
      deallocate()
      base = larger
      owner = nil
    }
    (base + count).initialize(to: slot)
    count += 1
  }
}
