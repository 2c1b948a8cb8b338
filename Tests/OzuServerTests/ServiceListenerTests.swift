import Foundation
import OzuHTTP
import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuServer

@Suite("A listener, over real connections", .timeLimit(.minutes(10)))
struct ServiceListenerTests {
  /// Answers with the path it was asked for; `/slow…` when the gate lets it, `/large…` with a megabyte.
  private final class Responder: ServiceResponding {
    let gate = Gate()
    let counts = Mutex((begun: 0, cancelled: 0))

    func respond(to request: ServiceRequest) async -> ServiceResponse {
      counts.withLock { $0.begun += 1 }
      if request.target.hasPrefix("/slow") {
        do { try await gate.pass() } catch { counts.withLock { $0.cancelled += 1 } }
      }
      if request.target == "/unchanged" { return ServiceResponse(status: 304, headers: ["ETag": "\"a\""]) }
      if request.target == "/interim" { return ServiceResponse(status: 100, body: Data("x".utf8)) }
      if request.target == "/split" {
        return ServiceResponse(
          status: 200,
          headers: ["X-A": "b\r\nX-C: d", "Connection": "upgrade", "Content-Length": "99", "X-D": "e"])
      }
      let body =
        request.target.hasPrefix("/large") ? Data(repeating: 0x61, count: 4 << 20) : Data(request.target.utf8)
      return ServiceResponse(status: 200, headers: ["Content-Type": "text/plain"], body: body)
    }

    var begunCount: Int { counts.withLock { $0.begun } }
    var cancelledCount: Int { counts.withLock { $0.cancelled } }
  }

  private let responder = Responder()
  private let clock = ManualClock()

  private func listener(_ change: (inout ServiceListener.Configuration) -> Void = { _ in }) throws
    -> ServiceListener
  {
    var configuration = ServiceListener.Configuration()
    configuration.now = clock.now
    change(&configuration)
    return try ServiceListener(responder, configuration: configuration)
  }

  private static func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  /// Whether no connection is left after another second of the listener's clock.
  private func isEmptySecondsLater(_ listener: ServiceListener) -> Bool {
    clock.advance(by: .seconds(1))
    listener.tick()
    return listener.connectionCount == 0
  }

  @Test(
    "answers requests on one connection, in their order, however they are cut", arguments: [1, 3, 50, 5000])
  func pipelining(pieces: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    let paths = (0..<20).map { "/\($0)" }
    let bytes = Array(paths.map { Self.get($0) }.joined().utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      client.send(Array(bytes[start..<min(bytes.count, start + pieces)]))
    }
    for path in paths {
      let answer = try await client.answer()
      #expect(answer.status == 200 && answer.body == Array(path.utf8))
      #expect(answer.headers["Content-Length"] == "\(path.utf8.count)")
      #expect(answer.headers["Date"] != nil && answer.headers["Connection"] == nil)
    }
    await listener.stop(within: .seconds(10))
    #expect(responder.begunCount == 20)
  }

  @Test("HEAD and 304 have no body, and the fields of a service cannot change the frame")
  func bodies() async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(
      Self.get("/abc", method: "HEAD") + Self.get("/unchanged") + Self.get("/split") + Self.get("/interim")
        + Self.get("/next"))
    let head = try await client.answer(hasBody: false)
    #expect(head.headers["Content-Length"] == "4")
    let unchanged = try await client.answer(hasBody: false)
    #expect(
      unchanged.status == 304 && unchanged.headers["Content-Length"] == nil
        && unchanged.headers["ETag"] == "\"a\"")
    let split = try await client.answer()
    #expect(split.headers["X-A"] == nil && split.headers["X-C"] == nil && split.headers["X-D"] == "e")
    #expect(split.headers.values(for: "Content-Length") == ["0"] && split.headers["Connection"] == nil)
    #expect(try await client.answer().status == 500)
    #expect(try await client.answer().body == Array("/next".utf8))
  }

  @Test(
    "what is refused is answered, and the connection closed",
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
      ("GET / HTTP/2.0\r\n\r\n", 505),
      ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ])
  func refusals(head: String, status: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(head + Self.get("/smuggled"))
    let answer = try await client.answer()
    #expect(answer.status == status && answer.headers["Connection"] == "close")
    #expect((answer.headers["Allow"] != nil) == (status == 405))
    #expect(await client.hasEnded())
    #expect(responder.begunCount == 0)
  }

  @Test(
    "closes when it is asked to, and after HTTP/1.0",
    arguments: [
      get("/a", "Connection: close\r\n"), "GET /a HTTP/1.0\r\n\r\n",
    ])
  func closing(head: String) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(head)
    let answer = try await client.answer()
    #expect(answer.body == Array("/a".utf8) && answer.headers["Connection"] == "close")
    #expect(await client.hasEnded())
    client.close()
    try await eventually(listener.connectionCount == 0)
  }

  @Test("a client that leaves has its answer called off")
  func leaving() async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 1)
    client.close()
    try await eventually(responder.cancelledCount == 1 && listener.connectionCount == 0)
  }

  /// Lets this process have as many descriptors as the system allows it. Returns how many.
  private static func raiseDescriptorLimit() -> Int {
    var limits = rlimit()
    // The type of the constant is one of C's enumerations, which Glibc's module has as another type.
    _ = getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limits)
    limits.rlim_cur = min(limits.rlim_max, 16_384)
    _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limits)
    return Int(limits.rlim_cur)
  }

  @Test("two thousand heads that never end hold up nobody, and are given up after their time")
  func slowHeads() async throws {
    let listener = try listener()
    // Both ends of each connection are in this process.
    let count = min(2000, (Self.raiseDescriptorLimit() - 200) / 2)
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

  @Test("at the limit the one that waits longest makes room; where all are answered, new ones wait")
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

  @Test("a large answer reaches a client that takes its time, and one that takes nothing is given up")
  func slowReading() async throws {
    let listener = try listener()
    let patient = try TestClient(port: listener.port)
    let stuck = try TestClient(port: listener.port)
    for client in [patient, stuck] { client.send(Self.get("/large")) }
    try await eventually(responder.begunCount == 2)
    #expect(try await patient.answer().body.count == 4 << 20)
    // Each look finds the one that takes nothing at its limit, and the idle one before its own.
    try await eventually(isEmptySecondsLater(listener))
  }

  @Test("stops with every answer that was asked for, and no connection left")
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

  @Test("what is not answered in time is called off at the end")
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

  private static func permissions(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : 0
  }

  @Test("listens at a Unix socket, with its permissions, and removes it at the end")
  func unixSocket() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/socket"
    for permissions: UInt32 in [0o600, 0o666] {
      let listener = try ServiceListener(responder, path: path, permissions: permissions)
      #expect(listener.port == 0 && Self.permissions(path) == S_IFSOCK | permissions)
      let client = try TestClient(path: path)
      client.send(Self.get("/a"))
      #expect(try await client.answer().body == Array("/a".utf8))
      let error = #expect(throws: ServiceListenerError.self) {
        _ = try ServiceListener(responder, path: path)
      }
      #expect(error?.code == EADDRINUSE)
      client.close()
      await listener.stop(within: .zero)
      #expect(Self.permissions(path) == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
    // What a process left that died: nobody listens there.
    let dead = ListeningSocketRemains(path: path)
    #expect(dead.isThere)
    var listener = try ServiceListener(responder, path: path)
    _ = try TestClient(path: path)
    // Another took the place meanwhile: its socket stays.
    unlink(path)
    let other = try ServiceListener(responder, path: path)
    await listener.stop(within: .zero)
    _ = try TestClient(path: path)
    await other.stop(within: .zero)
    // No other file is ever replaced.
    try Data("a".utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ServiceListenerError.self) { _ = try ServiceListener(responder, path: path) }
    #expect(error?.code == EEXIST && FileManager.default.contents(atPath: path) == Data("a".utf8))
    unlink(path)
    for bad in ["relative", path + String(repeating: "a", count: 100), folder.path + "/none/socket"] {
      #expect(throws: ServiceListenerError.self) { listener = try ServiceListener(responder, path: bad) }
    }
  }

  @Test("accepts at a socket of somebody else, who still has it afterwards: nothing that comes later is lost")
  func inheritedSocket() async throws {
    let made = try ListeningSocket(host: "127.0.0.1", port: 0)
    defer { made.close() }
    let listener = try ServiceListener(responder, inheriting: dup(made.descriptor))
    #expect(listener.port == made.port)
    let client = try TestClient(port: made.port)
    client.send(Self.get("/a"))
    #expect(try await client.answer().body == Array("/a".utf8))
    let slow = try TestClient(port: made.port)
    slow.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 2)
    async let stopped: Void = listener.stop(within: .seconds(3600))
    #expect(await client.hasEnded())
    // Behind the drain nobody accepts; the next process does.
    let late = try TestClient(port: made.port)
    late.send(Self.get("/late"))
    responder.gate.open()
    #expect(try await slow.answer().status == 200)
    slow.close()
    await stopped
    let next = try ServiceListener(responder, inheriting: dup(made.descriptor))
    #expect(try await late.answer().body == Array("/late".utf8))
    await next.stop(within: .zero)
  }

  @Test("what is no listening socket is not taken")
  func wrongDescriptors() {
    let descriptors = [
      open("/dev/null", O_RDONLY), socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0),
      socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0), -1,
    ]
    for descriptor in descriptors {
      #expect(throws: ServiceListenerError.self) {
        _ = try ServiceListener(responder, inheriting: descriptor)
      }
      if descriptor >= 0 { close(descriptor) }
    }
  }

  @Test(
    "an address that cannot be listened at",
    arguments: [("nowhere", 0), ("192.0.2.1", 0), ("127.0.0.1", 70_000)])
  func addresses(host: String, port: Int) throws {
    let error = #expect(throws: ServiceListenerError.self) {
      _ = try ServiceListener(responder, host: host, port: port)
    }
    #expect(error?.description.contains(host) == true)
    let taken = try listener()
    #expect(throws: ServiceListenerError.self) { _ = try ServiceListener(responder, port: taken.port) }
    _ = try ServiceListener(responder, host: "::1")
  }
}

/// The file of a Unix socket whose process is gone.
private struct ListeningSocketRemains {
  let isThere: Bool

  init(path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    isThere = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    close(descriptor)
  }
}
