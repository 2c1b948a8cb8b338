/// The deadlines of subscriptions, the earliest first: a binary heap with the position of each subscription, so that
/// a subscription that ends early is removed at once.
///
/// - Complexity: O(log count) to add and to remove; O(1) to look.
struct DeadlineHeap {
  private struct Entry {
    let instant: JobInstant
    let subscription: Int
  }

  private var entries: [Entry] = []
  private var places: [Int: Int] = [:]

  var count: Int { entries.count }

  /// The earliest instant.
  var first: JobInstant? { entries.first?.instant }

  /// Adds a subscription that has no deadline yet.
  mutating func insert(_ subscription: Int, at instant: JobInstant) {
    entries.append(Entry(instant: instant, subscription: subscription))
    places[subscription] = entries.count - 1
    rise(entries.count - 1)
  }

  /// Removes a subscription, if it has a deadline.
  mutating func remove(_ subscription: Int) {
    guard let place = places.removeValue(forKey: subscription) else { return }
    let last = entries.removeLast()
    guard place < entries.count else { return }
    entries[place] = last
    places[last.subscription] = place
    rise(place)
    sink(places[last.subscription] ?? place)
  }

  /// Removes and returns the earliest subscription if its deadline has passed.
  mutating func popFirst(until now: JobInstant) -> Int? {
    guard let first = entries.first, first.instant <= now else { return nil }
    remove(first.subscription)
    return first.subscription
  }

  private mutating func rise(_ place: Int) {
    var place = place
    while place > 0, entries[place].instant < entries[(place - 1) / 2].instant {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(_ place: Int) {
    var place = place
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
        if entries[child].instant < entries[least].instant { least = child }
      }
      guard least != place else { return }
      swap(place, least)
      place = least
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    entries.swapAt(a, b)
    places[entries[a].subscription] = a
    places[entries[b].subscription] = b
  }
}
