/// The index of a slot in a `SlotMap` and the generation of its element. An identifier that is kept too long matches
/// nothing, never another element.
package struct SlotID: Hashable, Sendable {
  let index: Int
  let generation: UInt32
}

/// Elements in numbered slots that are reused: a slot map. An element can be in one linked list (`SlotList`).
///
/// The slots are in memory that the map owns, not in an array, so that a field is read and changed in place: an array
/// checks before each change whether its storage is shared.
///
/// - Complexity: amortised O(1) for everything; the memory is that of the largest number of elements so far.
struct SlotMap<Element>: ~Copyable {
  fileprivate struct Slot {
    /// Odd while the slot is taken.
    var generation: UInt32 = 0
    /// The neighbours in a list. In a free slot, `next` is the next free one.
    var previous = -1
    var next = -1
  }

  // Both have room for `capacity`. The first `slotCount` slots are initialised, and the elements of those that are
  // taken. Each access checks that its index is one of these.
  fileprivate var slots = UnsafeMutablePointer<Slot>.allocate(capacity: 0)
  private var elements = UnsafeMutablePointer<Element>.allocate(capacity: 0)
  private var capacity = 0
  private var slotCount = 0
  private var firstFree = -1
  /// The number of elements.
  private(set) var count = 0

  init() {}

  deinit {
    for index in indices { (elements + index).deinitialize(count: 1) }
    elements.deallocate()
    slots.deallocate()
  }

  /// The indices of the slots that are taken.
  ///
  /// - Complexity: O(slots).
  var indices: [Int] { (0..<slotCount).filter { isTaken($0) } }

  mutating func insert(_ element: consuming Element) -> Int {
    var index = firstFree
    if index >= 0 {
      firstFree = slots[index].next
    } else {
      index = slotCount
      if index == capacity { grow() }
      (slots + index).initialize(to: Slot())
      slotCount += 1
    }
    slots[index].generation &+= 1
    (elements + index).initialize(to: element)
    count += 1
    return index
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    check(index)
    slots[index].generation &+= 1
    slots[index].next = firstFree
    firstFree = index
    count -= 1
    return (elements + index).move()
  }

  /// Whether the element of an identifier is still in the map.
  func contains(_ id: SlotID) -> Bool { isTaken(id.index) && slots[id.index].generation == id.generation }

  /// The identifier of the element that is in a slot now.
  func id(at index: Int) -> SlotID { SlotID(index: index, generation: slots[checked(index)].generation) }

  /// The element in a slot that is taken.
  subscript(index: Int) -> Element {
    _read { yield elements[checked(index)] }
    _modify { yield &elements[checked(index)] }
  }

  /// The next element in the list; -1 at the end.
  func next(after index: Int) -> Int { slots[checked(index)].next }

  private func isTaken(_ index: Int) -> Bool {
    index >= 0 && index < slotCount && slots[index].generation & 1 == 1
  }

  fileprivate func check(_ index: Int) { precondition(isTaken(index), "nothing is in slot \(index)") }

  private func checked(_ index: Int) -> Int {
    check(index)
    return index
  }

  private mutating func grow() {
    let larger = max(16, 2 * capacity)
    let (newSlots, newElements) = (
      UnsafeMutablePointer<Slot>.allocate(capacity: larger),
      UnsafeMutablePointer<Element>.allocate(capacity: larger)
    )
    newSlots.moveInitialize(from: slots, count: slotCount)
    // Every slot is taken: the map grows only when none is free.
    newElements.moveInitialize(from: elements, count: slotCount)
    slots.deallocate()
    elements.deallocate()
    (slots, elements, capacity) = (newSlots, newElements, larger)
  }
}

// The map is the only owner of the memory, and its operations are exclusive: the compiler checks the access to a
// noncopyable value.
extension SlotMap: @unchecked Sendable where Element: Sendable {}

/// A linked list of elements of a `SlotMap`. Each element is in one list at most.
///
/// - Complexity: O(1) for everything.
struct SlotList: Sendable {
  private(set) var first = -1
  private(set) var last = -1

  mutating func append<Element>(_ index: Int, in map: inout SlotMap<Element>) {
    map.check(index)
    (map.slots[index].previous, map.slots[index].next) = (last, -1)
    if last < 0 { first = index } else { map.slots[last].next = index }
    last = index
  }

  mutating func remove<Element>(_ index: Int, in map: inout SlotMap<Element>) {
    map.check(index)
    let (previous, next) = (map.slots[index].previous, map.slots[index].next)
    if previous < 0 { first = next } else { map.slots[previous].next = next }
    if next < 0 { last = previous } else { map.slots[next].previous = previous }
  }
}

/// Slots of a `SlotMap` by rank, the lowest first: subscriptions by their deadlines, origins by the job that they
/// start next. A binary heap with the position of each slot, so that one that leaves early is removed at once.
///
/// - Complexity: O(log count) to add and to remove; O(1) to look.
struct SlotHeap<Rank: Comparable & Sendable>: Sendable {
  private struct Entry {
    let rank: Rank
    let slot: Int
  }

  private var entries: [Entry] = []
  /// The place of each slot in `entries`; -1 for none.
  private var places: [Int] = []

  var count: Int { entries.count }

  /// The lowest rank, and its slot.
  var first: (rank: Rank, slot: Int)? { entries.first.map { ($0.rank, $0.slot) } }

  /// Adds a slot that has no rank yet.
  mutating func insert(_ slot: Int, at rank: Rank) {
    entries.append(Entry(rank: rank, slot: slot))
    while places.count <= slot { places.append(-1) }
    places[slot] = entries.count - 1
    rise(entries.count - 1)
  }

  /// Removes a slot, if it has a rank.
  mutating func remove(_ slot: Int) {
    guard slot < places.count, places[slot] >= 0 else { return }
    let place = places[slot]
    places[slot] = -1
    let last = entries.removeLast()
    guard place < entries.count else { return }
    entries[place] = last
    places[last.slot] = place
    rise(place)
    sink(places[last.slot])
  }

  /// Removes and returns the slot of the lowest rank, if that is not above a bound.
  mutating func popFirst(until bound: Rank) -> Int? {
    guard let first = entries.first, first.rank <= bound else { return nil }
    remove(first.slot)
    return first.slot
  }

  private mutating func rise(_ place: Int) {
    var place = place
    while place > 0, entries[place].rank < entries[(place - 1) / 2].rank {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(_ place: Int) {
    var place = place
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
        if entries[child].rank < entries[least].rank { least = child }
      }
      guard least != place else { return }
      swap(place, least)
      place = least
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    entries.swapAt(a, b)
    places[entries[a].slot] = a
    places[entries[b].slot] = b
  }
}
