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
  private var places: [Int: Int] = [:]

  var count: Int { entries.count }

  /// The lowest rank, and its slot.
  var first: (rank: Rank, slot: Int)? { entries.first.map { ($0.rank, $0.slot) } }

  /// Adds a slot that has no rank yet.
  mutating func insert(_ slot: Int, at rank: Rank) {
    entries.append(Entry(rank: rank, slot: slot))
    places[slot] = entries.count - 1
    rise(entries.count - 1)
  }

  /// Removes a slot, if it has a rank.
  mutating func remove(_ slot: Int) {
    guard let place = places.removeValue(forKey: slot) else { return }
    let last = entries.removeLast()
    guard place < entries.count else { return }
    entries[place] = last
    places[last.slot] = place
    rise(place)
    sink(places[last.slot] ?? place)
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
