import CListener
import Foundation
import Glibc
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

extension ServiceListenerTests {
  /// Raises the limit on descriptors of this process to the maximum. Returns the limit.
  private static func raiseDescriptorLimit() -> Int {
    var limits = rlimit()
    // The type of the constant is one of C's enumerations, which Glibc's module has as another type.
    _ = getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limits)
    limits.rlim_cur = min(limits.rlim_max, 16_384)
    _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limits)
    return Int(limits.rlim_cur)
  }

  @Test("two thousand endless heads delay no other request, and are closed at their time limit")
  func slowHeads() async throws {
    // Both ends of each connection are in this process.
    let count = min(2000, (Self.raiseDescriptorLimit() - 200) / 2)
    let listener = try listener()
    let slow = try (0..<count).map { _ in try TestClient(port: listener.port) }
    for (number, client) in slow.enumerated() {
      client.send(String("GET / HTTP/1.1\r\nHost: a\r\nX: y".prefix(1 + number % 25)))
    }
    try await eventually(listener.connectionCount == count)
    let good = try TestClient(port: listener.port)
    good.send(Self.get("/good"))
    #expect(try await good.answer().status == 200)
    clock.advance(by: .seconds(10))
    listener.tick()
    // The good one may be idle for a minute.
    try await eventually(listener.connectionCount == 1)
    good.send(Self.get("/again"))
    #expect(try await good.answer().status == 200)
    // The answer is here before the connection counts as idle.
    try await eventually(isEmptySecondsLater(listener))
    #expect(await good.hasEnded())
  }

  @Test("connections leave half of the descriptors to pictures")
  func descriptors() {
    #expect(ListenerLoop.connectionLimit(4096, descriptorLimit: 1024) == 512)
    #expect(ListenerLoop.connectionLimit(4096, descriptorLimit: 20_000) == 4096)
    #expect(ListenerLoop.connectionLimit(4096, descriptorLimit: -1) == 4096)
    #expect(ListenerLoop.connectionLimit(4096, descriptorLimit: 1) == 1)
  }

  @Test(
    "at the limit the connection that is idle longest is closed; if all are being answered, new ones wait")
  func limit() async throws {
    let listener = try listener { $0.maximumConnectionCount = 2 }
    let idle = try TestClient(port: listener.port)
    try await eventually(listener.connectionCount == 1)
    let busy = try TestClient(port: listener.port)
    busy.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 1)
    let third = try TestClient(port: listener.port)
    #expect(await idle.hasEnded())
    third.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 2)
    let fourth = try TestClient(port: listener.port)
    fourth.send(Self.get("/fourth"))
    responder.gate.open()
    #expect(try await busy.answer().status == 200)
    #expect(try await third.answer().status == 200)
    busy.close()
    #expect(try await fourth.answer().body == Array("/fourth".utf8))
  }

  /// Against a naive twin that looks through all connections.
  @Test("the connection that waits longest is found without a look at the others", arguments: 0..<UInt64(4))
  func waitingOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var order = WaitingOrder()
    var waiting: [UInt64: ContinuousClock.Instant] = [:]
    var now = ContinuousClock.now
    var lookCount = 0
    let stepCount = 20_000
    for _ in 0..<stepCount {
      func isCurrent(_ entry: WaitingOrder.Entry) -> Bool {
        lookCount += 1
        return waiting[entry.number] == entry.since
      }
      let number = UInt64.random(in: 0..<2000, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: waiting[number] = nil
      case 1:
        let oldest = order.oldest(isCurrent: isCurrent)
        try #require(oldest?.since == waiting.values.min())
        if let oldest { waiting[oldest.number] = nil }
      default:
        now += .nanoseconds(1)
        waiting[number] = now
        order.append(WaitingOrder.Entry(number: number, since: now), isCurrent: isCurrent)
      }
      try #require(order.count <= max(64, 2 * 2000))
    }
    #expect(lookCount < 4 * stepCount)
  }

  @Test("a large answer reaches a slow client; a client that reads nothing is disconnected")
  func slowReading() async throws {
    let listener = try listener()
    let patient = try TestClient(port: listener.port)
    let stuck = try TestClient(port: listener.port)
    for client in [patient, stuck] { client.send(Self.get("/large")) }
    try await eventually(responder.begunCount == 2)
    #expect(try await patient.answer().body.count == 4 << 20)
    // Each check finds the client that reads nothing at its limit, and the idle one before its limit.
    try await eventually(isEmptySecondsLater(listener))
  }

  @Test("a client that sends no more, and takes its answer slowly, does not keep the loop awake")
  func halfClosed() throws {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let made = socketpair(AF_UNIX, kind, 0, &pair)
    try #require(made == 0)
    let epoll = ozu_listener_epoll()
    defer { for descriptor in pair + [epoll] { close(descriptor) } }
    var space = [UInt8](repeating: 1, count: 64 << 10)
    while send(pair[0], space, space.count, Int32(MSG_NOSIGNAL)) > 0 {}
    shutdown(pair[1], Int32(SHUT_WR))
    let watched = ozu_listener_watch(epoll, pair[0], 7, 1, 0, 1)
    var events = [ozu_listener_event](repeating: ozu_listener_event(), count: 4)
    let before = ozu_listener_wait(epoll, &events, 4, 0)
    #expect(watched == 0 && before == 0)
    while recv(pair[1], &space, space.count, 0) > 0 {}
    let after = ozu_listener_wait(epoll, &events, 4, 0)
    #expect(after == 1 && events[0].number == 7)
  }

  @Test("connections are counted by what they are doing, each once, until they are closed")
  func connectionCounts() async throws {
    let counts = try #require(responder.connectionCounts)
    #expect(counts.connections == nil)
    let listener = try listener { $0.maximumConnectionCount = 50 }
    let clients = try (0..<6).map { _ in try TestClient(port: listener.port) }
    func count(_ expected: [ConnectionCounts.State: Int]) async throws {
      try await eventually(counts.connections?.filter { $0.value != 0 } == expected)
    }
    try await count([.idle: 6])
    #expect(counts.limit == 50 && counts.connections?.count == ConnectionCounts.State.allCases.count)
    clients[1].send("GET / HT")
    clients[2].send(Self.get("/slow"))
    clients[3].send(Self.get("/large"))
    clients[4].send(Self.get("/", "Connection: close\r\n"))
    clients[5].send(Self.get("/") + "GET")
    try await count([.idle: 1, .reading: 2, .answering: 1, .writing: 1, .closing: 1])
    responder.gate.open()
    #expect(try await clients[2].answer().status == 200)
    #expect(try await clients[3].answer().status == 200)
    clients[1].send("TP/1.1\r\nHost: a\r\n\r\n")
    clients[4].close()
    try await count([.idle: 4, .reading: 1])
    await listener.stop(within: .zero)
    #expect(counts.connections == nil && counts.limit == 0)
  }

  @Test("stops after every requested answer, and leaves no connection")
  func draining() async throws {
    let listener = try listener()
    let idle = try TestClient(port: listener.port)
    let clients = try (0..<20).map { _ in try TestClient(port: listener.port) }
    for (number, client) in clients.enumerated() {
      client.send(Self.get("/slow\(number)") + Self.get("/more"))
    }
    try await eventually(responder.begunCount == 20 && listener.connectionCount == 21)
    async let stopped: Void = listener.stop(within: .seconds(3600))
    #expect(await idle.hasEnded())
    responder.gate.open()
    for (number, client) in clients.enumerated() {
      let answer = try await client.answer()
      #expect(answer.body == Array("/slow\(number)".utf8) && answer.headers["Connection"] == "close")
      client.close()
    }
    await stopped
    #expect(throws: (any Error).self) { _ = try TestClient(port: listener.port) }
    #expect(responder.begunCount == 20)
  }

  @Test("a connection whose answer is on its way when the listener stops is closed behind the answer")
  func drainBehindAnswer() async throws {
    let listener = try listener()
    let idle = try TestClient(port: listener.port)
    let client = try TestClient(port: listener.port)
    client.send(Self.get("/large"))
    try await eventually(responder.connectionCounts?.connections?[.writing] == 1)
    let stopped = Task { await listener.stop(within: .seconds(3600)) }
    #expect(await idle.hasEnded())
    #expect(try await client.answer().body.count == 4 << 20)
    try await eventually(within: .seconds(60), listener.connectionCount == 0)
    await stopped.value
  }

  @Test("requests that are not answered within the limit are cancelled at the end")
  func drainLimit() async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 1)
    await listener.stop(within: .zero)
    try await eventually(responder.cancelledCount == 1)
    #expect(await client.hasEnded())
    await listener.stop(within: .zero)
  }

  @Test("the field Date is the clock's")
  func date() async throws {
    let listener = try listener { [clock] in $0.currentDate = clock.date }
    let client = try TestClient(port: listener.port)
    client.send(Self.get("/a"))
    #expect(try await client.answer().headers["Date"] == HTTPDate.string(from: clock.date()))
    client.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 2)
    clock.advance(by: .seconds(3600))
    responder.gate.open()
    #expect(try await client.answer().headers["Date"] == HTTPDate.string(from: clock.date()))
  }
}
