import CListener
import OzuBase
import OzuHTTP

/// The work of a listener's thread: accepts and reads requests, passes them to the service, writes answers, and
/// enforces limits.
///
/// Events are level-triggered: a socket is reported as long as it is ready, so nothing must be remembered between
/// two turns. Connections have numbers that are never reused, so an answer or an event for a closed connection has
/// no effect.
final class ListenerWork {
  static let listenerNumber: UInt64 = 0
  static let wakerNumber: UInt64 = 1
  static let lingering = Duration.seconds(2)
  /// The most requests of a connection that are answered without a task before other connections get their turn.
  static let largestImmediateCount = 16
  /// The time between two checks of the deadlines.
  static let tick = Duration.milliseconds(500)

  let loop: ListenerLoop
  let listener: ListeningSocket
  let waker: Int32
  let epoll: Int32
  var connections: [UInt64: ListenerConnection] = [:]
  var waiting = WaitingOrder()
  /// The bytes of all bodies that are being received.
  var awaitedByteCount = 0
  var lastNumber: UInt64 = 1
  var isAccepting = true
  /// Whether accepting is paused, because of the limit or of the system.
  var isPaused = false
  /// The time when unanswered requests are cancelled; `nil` before draining begins.
  var drainEnd: ContinuousClock.Instant?
  var nextLook: ContinuousClock.Instant
  var space = [UInt8](repeating: 0, count: 16 << 10)

  var configuration: ServiceListener.Configuration { loop.configuration }

  init(_ loop: ListenerLoop, listener: ListeningSocket, waker: Int32) {
    self.loop = loop
    self.listener = listener
    self.waker = waker
    nextLook = loop.configuration.now()
    epoll = ozu_listener_epoll()
    loop.service.connectionCounts?.addLimit(loop.configuration.maximumConnectionCount)
    // Without epoll, or if it has no room, no event is reported, and `isDone` ends the thread.
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 1, 1, 0)
    _ = ozu_listener_watch(epoll, waker, Self.wakerNumber, 1, 1, 0)
  }

  var isDone: Bool { epoll < 0 || drainEnd != nil && connections.isEmpty }

  func close() {
    for connection in Array(connections.values) { end(connection) }
    stopAccepting()
    if epoll >= 0 { _ = Glibc.close(epoll) }
    loop.service.connectionCounts?.addLimit(-configuration.maximumConnectionCount)
  }

  func take(_ command: ListenerLoop.Command) {
    switch command {
    case .tick: nextLook = configuration.now()
    case .answer(let number, let response):
      guard let connection = connections[number], case .answering(_, let head) = connection.state else {
        return
      }
      respond(connection, response, to: head)
    case .drain(let limit): drain(within: limit)
    }
  }

  func wait(mayRest: Bool) {
    guard !isDone else { return }
    var milliseconds: Int32 = 0
    if mayRest { milliseconds = connections.isEmpty && drainEnd == nil && !isPaused ? -1 : 500 }
    withUnsafeTemporaryAllocation(of: ozu_listener_event.self, capacity: 64) { events in
      // The call has written this number of events.
      let count = ozu_listener_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
      for event in events[..<max(0, Int(count))] { handle(event) }
    }
  }

  private func handle(_ event: ozu_listener_event) {
    switch event.number {
    case Self.listenerNumber: accept()
    case Self.wakerNumber: LoopWaker.clear(waker)
    default:
      guard let connection = connections[event.number] else { return }
      switch connection.state {
      case .reading, .receiving, .lingering: read(connection)
      // The client has closed the connection or its sending side; both mean that it has left.
      case .answering: if event.isHungUp != 0 { end(connection) }
      case .writing: write(connection)
      }
    }
  }

  /// Closes connections whose deadline has passed.
  func expire() {
    let now = configuration.now()
    if let drainEnd, now >= drainEnd {
      for connection in Array(connections.values) { end(connection) }
    }
    guard now >= nextLook else { return }
    nextLook = now + Self.tick
    for connection in Array(connections.values) {
      guard let deadline = connection.deadline, now >= deadline else { continue }
      end(connection)
    }
    if isPaused { resumeAccepting() }
  }

  private func drain(within limit: Duration) {
    let end = configuration.now() + limit
    guard drainEnd == nil else {
      drainEnd = min(drainEnd ?? end, end)
      return
    }
    // Connections that the system has already accepted are answered too.
    for _ in 0..<64 { accept() }
    stopAccepting()
    drainEnd = end
    for connection in Array(connections.values) where connection.isIdle { endIfIdle(connection) }
  }

  /// Ends a connection that waits for a request, while draining.
  func endIfIdle(_ connection: ListenerConnection) {
    // A request may have arrived whose event was not handled yet.
    read(connection)
    if connections[connection.number] != nil, connection.isIdle { end(connection) }
  }
}

/// Connections that wait for a request, in the order in which they began to.
///
/// A connection that waits no more keeps its entry, which is dropped when it comes to the front or when more than half of the
/// entries are such ones. So no operation looks through all connections.
///
/// - Complexity: O(1) amortised for every operation.
struct WaitingOrder {
  struct Entry: Hashable {
    let number: UInt64
    let since: ContinuousClock.Instant
  }

  private var entries: [Entry] = []
  /// The entries before it are dropped.
  private var start = 0
  /// The number of entries from which on the next one drops those of connections that wait no more.
  private var limit = 64

  var count: Int { entries.count - start }

  /// Adds a connection that has begun to wait.
  ///
  /// - Parameter isCurrent: whether the connection of an entry waits since then.
  mutating func append(_ entry: Entry, isCurrent: (Entry) -> Bool) {
    if entries.count >= limit {
      entries = entries[start...].filter(isCurrent)
      start = 0
      limit = max(64, 2 * entries.count)
    }
    entries.append(entry)
  }

  /// The first entry whose connection still waits.
  mutating func oldest(isCurrent: (Entry) -> Bool) -> Entry? {
    while start < entries.count, !isCurrent(entries[start]) { start += 1 }
    return start < entries.count ? entries[start] : nil
  }
}

/// Accepts connections, watches their sockets, and ends them.
extension ListenerWork {
  func accept() {
    // The limit keeps many new connections from delaying the others.
    for _ in 0..<64 {
      let isFull = connections.count >= configuration.maximumConnectionCount
      if isFull, oldestWaiting == nil { return pauseAccepting() }
      let descriptor = ozu_listener_accept(listener.descriptor)
      guard descriptor >= 0 else {
        let isExhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        if isExhausted, !makeRoom() { pauseAccepting() }
        return
      }
      // A waiting connection is closed only after a new one was accepted.
      if isFull { _ = makeRoom() }
      let socket = LoopSocket(descriptor: descriptor)
      socket.setOptions()
      lastNumber += 1
      let connection = ListenerConnection(
        number: lastNumber, socket: socket, remoteAddress: socket.remoteAddress,
        uploads: configuration.uploads, counts: loop.service.connectionCounts, since: configuration.now())
      guard ozu_listener_watch(epoll, descriptor, lastNumber, 1, 1, 0) == 0 else {
        socket.close()
        continue
      }
      connections[lastNumber] = connection
      awaitRequest(connection, within: configuration.headLimit)
      loop.connectionCount.store(connections.count, ordering: .relaxed)
    }
  }

  /// Closes the connection that has waited longest for its request. Returns whether there was one.
  func makeRoom() -> Bool {
    guard let oldest = oldestWaiting else { return false }
    end(oldest)
    return true
  }

  private var oldestWaiting: ListenerConnection? {
    waiting.oldest { connections[$0.number]?.waitsSince == $0.since }.flatMap { connections[$0.number] }
  }

  func awaitRequest(_ connection: ListenerConnection, within limit: Duration) {
    let now = configuration.now()
    connection.state = .reading(since: now, deadline: now + limit)
    waiting.append(WaitingOrder.Entry(number: connection.number, since: now)) {
      connections[$0.number]?.waitsSince == $0.since
    }
  }

  func pauseAccepting() {
    isPaused = true
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 0, 0, 0)
  }

  func resumeAccepting() {
    guard isAccepting else { return }
    isPaused = false
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 0, 1, 0)
  }

  func stopAccepting() {
    guard isAccepting else { return }
    isAccepting = false
    _ = ozu_listener_forget(epoll, listener.descriptor)
    listener.close()
  }

  func end(_ connection: ListenerConnection) {
    if case .answering(let task, _) = connection.state { task.cancel() }
    awaitedByteCount -= connection.awaitedByteCount
    connections[connection.number] = nil
    connection.close()
    loop.connectionCount.store(connections.count, ordering: .relaxed)
    if isPaused { resumeAccepting() }
  }

  func watch(_ connection: ListenerConnection, reading: Bool, writing: Bool) {
    guard connection.interest != (reading, writing) else { return }
    connection.interest = (reading, writing)
    _ = ozu_listener_watch(
      epoll, connection.socket.descriptor, connection.number, 0, reading ? 1 : 0, writing ? 1 : 0)
  }
}
