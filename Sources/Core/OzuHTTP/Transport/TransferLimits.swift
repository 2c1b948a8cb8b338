/// The time limits of a transfer. The caller passes the current instant.
struct TransferTiming {
  typealias Instant = ContinuousClock.Instant

  let limits: HTTPTimeouts
  private(set) var startedAt: Instant?
  private(set) var firstByteAt: Instant?
  /// The start of the hop, or of its turn to connect.
  private var hopStartedAt: Instant?
  /// The last activity. Nil until the hop has a connection; then the idle limit begins.
  private var lastActivityAt: Instant?
  /// The start of the window, and the bytes of the body since then; nil until the response begins. The bytes of a
  /// slow head do not count.
  private var speedWindow: (start: Instant, byteCount: Int)?
  /// Whether the receiver of the body pauses the transfer: then silence is not the origin's fault.
  private(set) var isPaused = false

  init(limits: HTTPTimeouts) {
    self.limits = limits
  }

  /// Begins a hop. The total limit runs from the first hop.
  mutating func beginHop(at now: Instant) {
    endHop()
    startedAt = startedAt ?? now
    hopStartedAt = now
    firstByteAt = nil
  }

  /// Ends a hop that was redirected. The next one may wait for its turn, and meanwhile only the total limit runs.
  mutating func endHop() {
    hopStartedAt = nil
    lastActivityAt = nil
    speedWindow = nil
    isPaused = false
  }

  /// Whether the hop has a connection.
  var isConnected: Bool { lastActivityAt != nil }

  /// The instant until which the hop must have a connection; nil after it has one. For transports that report the
  /// connection.
  var connectDeadline: Instant? {
    isConnected ? nil : hopStartedAt?.advanced(by: limits.connect.bounded)
  }

  /// Restarts the limit on connecting, for a hop that waited for its turn.
  mutating func restartConnecting(at now: Instant) {
    hopStartedAt = now
  }

  /// Records that the connection was made, or that bytes were sent or received.
  mutating func noteActivity(at now: Instant) {
    lastActivityAt = now
  }

  /// Records bytes of the response.
  mutating func noteResponse(at now: Instant) {
    lastActivityAt = now
    guard firstByteAt == nil else { return }
    firstByteAt = now
    speedWindow = speedWindow ?? (now, 0)
  }

  mutating func beginBody(at now: Instant) {
    speedWindow = (now, 0)
  }

  /// Records bytes of the body.
  mutating func noteBody(byteCount: Int, at now: Instant) {
    noteResponse(at: now)
    speedWindow?.byteCount += byteCount
  }

  /// Stops or restarts the limits on silence and speed.
  mutating func setPaused(_ paused: Bool, at now: Instant) {
    guard paused != isPaused else { return }
    isPaused = paused
    lastActivityAt = now
    if speedWindow != nil { speedWindow = (now, 0) }
  }

  /// The limit that was exceeded, if any, except the limit on connecting: see `connectDeadline`.
  ///
  /// If a window of the minimum speed is over and was fast enough, the next window begins.
  mutating func overduePhase(at now: Instant) -> HTTPTimeoutPhase? {
    guard let startedAt else { return nil }
    if now >= startedAt.advanced(by: limits.total.bounded) { return .total }
    guard !isPaused else { return nil }
    if let lastActivityAt, now >= lastActivityAt.advanced(by: limits.idle.bounded) { return .idle }
    guard let limit = limits.minimumSpeed, let (start, byteCount) = speedWindow,
      now >= start.advanced(by: limit.boundedWindow)
    else { return nil }
    // Measured over the time that has passed, which is longer than the window if the check was late.
    if Double(byteCount) < Double(limit.bytesPerSecond) * (now - start).inSeconds {
      return .speed(bytesPerSecond: limit.bytesPerSecond)
    }
    speedWindow = (now, 0)
    return nil
  }

  /// An instant before which no limit can be exceeded, or nil before the start. A hop without a connection may get
  /// one at any moment, including `now`, and a body may begin or continue.
  func nextCheck(after now: Instant) -> Instant? {
    guard let startedAt else { return nil }
    let idleStart = isPaused ? now : lastActivityAt ?? now
    var check = min(
      startedAt.advanced(by: limits.total.bounded), idleStart.advanced(by: limits.idle.bounded))
    if let limit = limits.minimumSpeed {
      let start = isPaused ? now : speedWindow?.start ?? now
      check = min(check, start.advanced(by: limit.boundedWindow))
    }
    return check
  }
}

extension HTTPMinimumSpeed {
  /// At least the shortest window that is reliable on a busy machine.
  fileprivate var boundedWindow: Duration { max(window.bounded, .milliseconds(10)) }
}

extension Duration {
  /// Milliseconds, rounded down and limited to the range of C interfaces.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 1_000_000 else { return seconds < 0 ? -1_000_000_000 : 1_000_000_000 }
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// The same duration, limited to values that can be added to an instant.
  fileprivate var bounded: Duration {
    min(max(self, .zero), .seconds(1_000_000_000))
  }
}

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
