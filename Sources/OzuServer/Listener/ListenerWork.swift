import CListener
import Foundation
import Glibc
import OzuHTTP

/// The work of a listener's thread: accepts and reads requests, passes them to the service, writes answers, and
/// enforces limits.
///
/// Events are level-triggered: a socket is reported as long as it is ready, so nothing must be remembered between
/// two turns. Connections have numbers that are never reused, so an answer or an event for a closed connection has
/// no effect.
final class ListenerWork {
  private static let listenerNumber: UInt64 = 0
  private static let wakerNumber: UInt64 = 1
  private static let lingering = Duration.seconds(2)
  /// The most requests of a connection that are answered without a task before other connections get their turn.
  private static let largestImmediateCount = 16
  /// The time between two checks of the deadlines.
  private static let tick = Duration.milliseconds(500)

  private let loop: ListenerLoop
  private let listener: ListeningSocket
  private let waker: Int32
  private let epoll: Int32
  private var connections: [UInt64: ListenerConnection] = [:]
  private var lastNumber: UInt64 = 1
  private var isAccepting = true
  /// Whether accepting is paused, because of the limit or of the system.
  private var isPaused = false
  /// The time when unanswered requests are cancelled; `nil` before draining begins.
  private var drainEnd: ContinuousClock.Instant?
  private var nextLook: ContinuousClock.Instant
  private var space = [UInt8](repeating: 0, count: 16 << 10)

  private var configuration: ServiceListener.Configuration { loop.configuration }

  init(_ loop: ListenerLoop, listener: ListeningSocket, waker: Int32) {
    self.loop = loop
    self.listener = listener
    self.waker = waker
    nextLook = loop.configuration.now()
    epoll = ozu_listener_epoll()
    // Without epoll, or if it has no room, no event is reported, and `isDone` ends the thread.
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 1, 1, 0)
    _ = ozu_listener_watch(epoll, waker, Self.wakerNumber, 1, 1, 0)
  }

  /// Whether the thread is to end.
  var isDone: Bool { epoll < 0 || drainEnd != nil && connections.isEmpty }

  func close() {
    for connection in Array(connections.values) { end(connection) }
    stopAccepting()
    if epoll >= 0 { _ = Glibc.close(epoll) }
  }

  // MARK: Turns

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

  // MARK: Connections

  private func accept() {
    // The limit keeps many new connections from delaying the others.
    for _ in 0..<64 {
      let isFull = connections.count >= configuration.maximumConnectionCount
      if isFull, !connections.values.contains(where: \.isReading) { return pauseAccepting() }
      let descriptor = ozu_listener_accept(listener.descriptor)
      guard descriptor >= 0 else {
        let isExhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        if isExhausted, !makeRoom() { pauseAccepting() }
        return
      }
      // A waiting connection is closed only after a new one was accepted.
      if isFull { _ = makeRoom() }
      let socket = ListenerSocket(descriptor: descriptor)
      socket.setOptions()
      lastNumber += 1
      let connection = ListenerConnection(
        number: lastNumber, socket: socket, remoteAddress: socket.remoteAddress,
        uploads: configuration.uploads, reading(within: configuration.headLimit))
      guard ozu_listener_watch(epoll, descriptor, lastNumber, 1, 1, 0) == 0 else {
        socket.close()
        continue
      }
      connections[lastNumber] = connection
      loop.connectionCount.store(connections.count, ordering: .relaxed)
    }
  }

  /// Closes the connection that has waited longest for its request. Returns whether there was one.
  private func makeRoom() -> Bool {
    var oldest: (connection: ListenerConnection, since: ContinuousClock.Instant)?
    for connection in connections.values {
      guard let since = connection.waitsSince, oldest.map({ since < $0.since }) ?? true else { continue }
      oldest = (connection, since)
    }
    guard let oldest else { return false }
    end(oldest.connection)
    return true
  }

  private func reading(within limit: Duration) -> ListenerConnection.State {
    let now = configuration.now()
    return .reading(since: now, deadline: now + limit)
  }

  private func pauseAccepting() {
    isPaused = true
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 0, 0, 0)
  }

  private func resumeAccepting() {
    guard isAccepting else { return }
    isPaused = false
    _ = ozu_listener_watch(epoll, listener.descriptor, Self.listenerNumber, 0, 1, 0)
  }

  private func stopAccepting() {
    guard isAccepting else { return }
    isAccepting = false
    _ = ozu_listener_forget(epoll, listener.descriptor)
    listener.close()
  }

  private func end(_ connection: ListenerConnection) {
    if case .answering(let task, _) = connection.state { task.cancel() }
    connections[connection.number] = nil
    connection.socket.close()
    loop.connectionCount.store(connections.count, ordering: .relaxed)
    if isPaused { resumeAccepting() }
  }

  private func watch(_ connection: ListenerConnection, reading: Bool, writing: Bool) {
    guard connection.interest != (reading, writing) else { return }
    connection.interest = (reading, writing)
    _ = ozu_listener_watch(
      epoll, connection.socket.descriptor, connection.number, 0, reading ? 1 : 0, writing ? 1 : 0)
  }

  // MARK: Requests

  private func read(_ connection: ListenerConnection) {
    let outcome = space.withUnsafeMutableBytes { connection.socket.receive($0) }
    switch outcome {
    case .wouldBlock: break
    case .failed, .done(0): end(connection)
    case .done(let count):
      if case .receiving(let head, _) = connection.state {
        connection.input += space[..<count]
        return takeBody(connection, head)
      }
      connection.immediateCount = 0
      // After the end of a connection its input is ignored.
      guard connection.isReading else { return }
      let wasIdle = connection.isIdle
      connection.input += space[..<count]
      if wasIdle { connection.state = reading(within: configuration.headLimit) }
      readHead(connection)
    }
  }

  /// Parses the received bytes up to the end of a head.
  private func readHead(_ connection: ListenerConnection) {
    do throws(HeadRefusal) {
      guard let head = try connection.parser.take(&connection.input) else { return }
      connection.input = ArraySlice(Array(connection.input))
      connection.keepsAlive = head.keepsAlive && drainEnd == nil
      guard let uploads = configuration.uploads, head.bodyByteCount > 0 else {
        return answer(connection, head, body: Data())
      }
      receive(connection, head, by: uploads)
    } catch {
      connection.keepsAlive = false
      var response = ServiceFailure(status: error.status, reason: error.reason).response
      if error.status == 405 { response.headers["Allow"] = "GET, HEAD" }
      respond(connection, response, to: nil)
    }
  }

  private func answer(_ connection: ListenerConnection, _ head: RequestHead, body: Data) {
    var request = ServiceRequest(
      method: head.method, target: head.target, headers: head.headers,
      remoteAddress: connection.remoteAddress)
    request.body = body
    // Many requests of one client must not delay the others, and must not let the stack grow.
    if connection.immediateCount < Self.largestImmediateCount,
      let response = loop.service.immediateResponse(to: request)
    {
      connection.immediateCount += 1
      return respond(connection, response, to: head)
    }
    // Reading is paused until the answer is ready; the client waits.
    watch(connection, reading: false, writing: false)
    let task = Task { [loop, number = connection.number, request] in
      let response = await loop.service.respond(to: request)
      loop.submit(.answer(connection: number, response))
    }
    connection.state = .answering(task, head)
  }

  /// Receives the body of an upload if its head is accepted. Without the token, no byte of it is stored.
  private func receive(_ connection: ListenerConnection, _ head: RequestHead, by uploads: UploadRule) {
    let request = ServiceRequest(
      method: head.method, target: head.target, headers: head.headers,
      remoteAddress: connection.remoteAddress)
    let awaited = connections.values.reduce(0) { $0 + $1.awaitedByteCount }
    if let refusal = uploads.refusal(of: request, head.bodyByteCount, beside: awaited) {
      connection.keepsAlive = false
      connection.input = []
      return respond(connection, refusal, to: head)
    }
    connection.state = .receiving(head, deadline: configuration.now() + uploads.limit)
    takeBody(connection, head)
  }

  private func takeBody(_ connection: ListenerConnection, _ head: RequestHead) {
    guard connection.input.count >= head.bodyByteCount else { return }
    let body = Data(connection.input.prefix(head.bodyByteCount))
    connection.input = ArraySlice(Array(connection.input.dropFirst(head.bodyByteCount)))
    answer(connection, head, body: body)
  }

  private func respond(_ connection: ListenerConnection, _ response: ServiceResponse, to head: RequestHead?) {
    if drainEnd != nil { connection.keepsAlive = false }
    connection.setOutput(response, for: head, date: configuration.currentDate())
    connection.state = .writing(deadline: configuration.now() + configuration.writeLimit)
    write(connection)
  }

  private func write(_ connection: ListenerConnection) {
    guard let (isDone, hasMoved) = connection.send() else { return end(connection) }
    guard isDone else {
      if hasMoved { connection.state = .writing(deadline: configuration.now() + configuration.writeLimit) }
      return watch(connection, reading: false, writing: true)
    }
    watch(connection, reading: true, writing: false)
    guard connection.keepsAlive else {
      connection.socket.endWriting()
      connection.state = .lingering(deadline: configuration.now() + Self.lingering)
      return
    }
    let hasMore = !connection.input.isEmpty
    let limit = hasMore ? configuration.headLimit : configuration.idleLimit
    connection.state = reading(within: limit)
    // Handles the next pipelined request.
    if hasMore { readHead(connection) }
  }

  // MARK: The end

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
    for connection in Array(connections.values) where connection.isIdle {
      // A request may have arrived whose event was not handled yet.
      read(connection)
      if connections[connection.number] != nil, connection.isIdle { self.end(connection) }
    }
  }
}
