/// Decides which waiting request starts next: among the hosts with a free place, the one with the highest priority,
/// then the oldest. A value without clocks or locks; the transport's thread owns it.
///
/// Each origin with waiting or running requests has one queue of tickets per priority.
///
/// - Complexity: `enqueue`, `remove` and `finish` O(1) amortised; `next` O(origins in use).
struct StartQueue<Element> {
  /// Identifies a request while it waits; a smaller number is older.
  typealias Ticket = UInt64

  let maximumActive: Int
  let maximumActivePerOrigin: Int
  private(set) var activeCount = 0

  private var waiting: [Ticket: Element] = [:]
  private var origins: [HTTPOrigin: Origin] = [:]
  /// Origins that carry many requests over one connection. All are forgotten at once when there are too many.
  private var multiplexed: Set<HTTPOrigin> = []

  private struct Origin {
    var activeCount = 0
    var waitingCount = 0
    var queues = [TicketQueue](repeating: TicketQueue(), count: HTTPPriority.allCases.count)

    /// The next ticket of this origin, and the level of its queue, by priority.
    var front: (level: Int, ticket: Ticket)? {
      for level in queues.indices.reversed() {
        if let ticket = queues[level].first { return (level, ticket) }
      }
      return nil
    }

    var isUnused: Bool { activeCount == 0 && waitingCount == 0 }

    mutating func wait(_ ticket: Ticket, _ priority: HTTPPriority, isFirst: Bool) {
      waitingCount += 1
      if isFirst {
        queues[priority.rawValue].insertFirst(ticket)
      } else {
        queues[priority.rawValue].append(ticket)
      }
    }

    mutating func start(from level: Int) {
      queues[level].popFirst()
      waitingCount -= 1
      activeCount += 1
    }
  }

  init(maximumActive: Int, maximumActivePerOrigin: Int) {
    self.maximumActive = max(1, maximumActive)
    self.maximumActivePerOrigin = max(1, maximumActivePerOrigin)
  }

  var waitingCount: Int { waiting.count }

  /// Adds a request at the end of the queue of its origin and priority.
  mutating func enqueue(_ element: Element, ticket: Ticket, origin: HTTPOrigin, priority: HTTPPriority) {
    waiting[ticket] = element
    origins[origin, default: Origin()].wait(ticket, priority, isFirst: false)
  }

  /// Adds a request at the front of the queue of its origin and priority: one that had started and was redirected.
  mutating func enqueueFirst(_ element: Element, ticket: Ticket, origin: HTTPOrigin, priority: HTTPPriority) {
    waiting[ticket] = element
    origins[origin, default: Origin()].wait(ticket, priority, isFirst: true)
  }

  /// Removes a waiting request. Returns false if it does not wait.
  @discardableResult
  mutating func remove(ticket: Ticket, origin: HTTPOrigin, priority: HTTPPriority) -> Bool {
    guard waiting.removeValue(forKey: ticket) != nil else { return false }
    change(origin) { state in
      state.waitingCount -= 1
      state.queues[priority.rawValue].remove(ticket)
    }
    return true
  }

  /// Removes the request that may start now and counts it as active, or returns nil.
  mutating func next() -> Element? {
    guard activeCount < maximumActive, !waiting.isEmpty else { return nil }
    var best: (level: Int, ticket: Ticket, place: Dictionary<HTTPOrigin, Origin>.Index)?
    for place in origins.indices where mayStart(at: origins[place].key, origins[place].value) {
      guard let front = origins.values[place].front else { continue }
      if let best, (best.level, front.ticket) > (front.level, best.ticket) { continue }
      best = (front.level, front.ticket, place)
    }
    guard let best, let element = waiting.removeValue(forKey: best.ticket) else { return nil }
    origins.values[best.place].start(from: best.level)
    activeCount += 1
    return element
  }

  /// Counts a request as active that waited for its turn elsewhere.
  mutating func start(origin: HTTPOrigin) {
    origins[origin, default: Origin()].activeCount += 1
    activeCount += 1
  }

  /// Frees the place of an active request.
  mutating func finish(origin: HTTPOrigin) {
    activeCount -= 1
    change(origin) { $0.activeCount -= 1 }
  }

  /// Records that an origin multiplexes, which removes its limit. The limit on all requests still applies.
  mutating func noteMultiplexing(of origin: HTTPOrigin) {
    if multiplexed.count >= 1024 { multiplexed.removeAll() }
    multiplexed.insert(origin)
  }

  private func mayStart(at origin: HTTPOrigin, _ state: Origin) -> Bool {
    state.waitingCount > 0
      && (state.activeCount < maximumActivePerOrigin || multiplexed.contains(origin))
  }

  // Looks up the origin only once: hashing names is slow, and each request comes here several times.
  private mutating func change(_ origin: HTTPOrigin, _ change: (inout Origin) -> Void) {
    guard let place = origins.index(forKey: origin) else { return }
    change(&origins.values[place])
    if origins.values[place].isUnused { origins.remove(at: place) }
  }
}

/// The tickets of one origin and priority, oldest first.
///
/// A ticket that is removed from the middle becomes a tombstone. Tombstones are dropped when they reach the front,
/// or when there are more of them than other tickets, so that cancelling ten thousand requests does not shift the
/// array ten thousand times. The front is never a tombstone.
struct TicketQueue {
  private var tickets: [UInt64] = []
  private var head = 0
  private var removed: Set<UInt64> = []

  var first: UInt64? {
    head < tickets.count ? tickets[head] : nil
  }

  mutating func append(_ ticket: UInt64) {
    tickets.append(ticket)
  }

  mutating func insertFirst(_ ticket: UInt64) {
    guard head > 0 else { return tickets.insert(ticket, at: 0) }
    head -= 1
    tickets[head] = ticket
  }

  mutating func popFirst() {
    head += 1
    dropRemovedFront()
  }

  mutating func remove(_ ticket: UInt64) {
    removed.insert(ticket)
    dropRemovedFront()
    guard removed.count > 32, removed.count * 2 > tickets.count - head else { return }
    tickets = tickets[head...].filter { !removed.contains($0) }
    head = 0
    removed.removeAll()
  }

  private mutating func dropRemovedFront() {
    while let ticket = first, removed.remove(ticket) != nil { head += 1 }
    if head >= 64, head * 2 >= tickets.count {
      tickets.removeFirst(head)
      head = 0
    }
  }
}
