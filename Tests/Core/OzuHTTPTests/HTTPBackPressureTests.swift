import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("A receiver that is slower than its transfer", .timeLimit(.minutes(15)))
struct HTTPBackPressureTests {
  private let server: LoopbackServer
  private let client = directClient()

  init() throws {
    server = try LoopbackServer()
    server.route("/other", .ok(Data("other".utf8)))
  }

  @Test("pauses only its own transfer, until it is ready again; no byte is lost")
  func pausing() async throws {
    // More than the buffers of both sockets hold.
    let part = patternedBytes(1 << 20)
    let body = (0..<16).reduce(into: Data()) { body, _ in body.append(part) }
    server.route("/large", .ok(body))
    let sink = PausingSink(afterByteCount: 100_000)
    let request = HTTPRequest(url: server.url("/large"), timeouts: .patient)
    async let response = client.send(request, into: sink)
    await sink.paused.arrivals(1)
    let count = sink.byteCount
    // Other exchanges continue, and each needs a turn of the transport's thread.
    for _ in 0..<20 { _ = try await client.data(from: server.url("/other")) }
    #expect(sink.byteCount == count)
    #expect(server.sentByteCount < body.count)
    sink.resume()
    #expect(try await response.bodyByteCount == body.count)
    #expect(sink.body == body)
  }

  @Test("may pause any number of times, also if it is ready before the transport has paused")
  func often() async throws {
    let body = patternedBytes(2 << 20)
    server.route("/large", .ok(body))
    let sink = HesitantSink()
    _ = try await client.send(HTTPRequest(url: server.url("/large"), timeouts: .patient), into: sink)
    #expect(sink.body == body)
    #expect(sink.pauseCount > 10)
  }

  @Test(
    "no byte between the sizes of chunks is lost or doubled",
    arguments: Cases.every(2, of: [100, 1, 100_000, 20_000]))
  func chunked(_ pieceByteCount: Int) async throws {
    let body = patternedBytes(pieceByteCount < 100 ? 3000 : 2 << 20)
    server.route("/large", .verbatim(chunks(of: body, pieceByteCount)))
    let sink = HesitantSink()
    _ = try await client.send(HTTPRequest(url: server.url("/large"), timeouts: .patient), into: sink)
    #expect(sink.body == body)
    #expect(sink.pauseCount > 10)
  }

  private func chunks(of body: Data, _ pieceByteCount: Int, _ fields: String = "") -> Data {
    var bytes = Data("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n".utf8)
    var rest = body[...]
    while !rest.isEmpty {
      let piece = rest.prefix(pieceByteCount)
      rest = rest.dropFirst(pieceByteCount)
      bytes += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
    }
    return bytes + Data("0\r\n\r\n".utf8)
  }

  @Test("a body that its content coding expands is paused too")
  func encoded() async throws {
    server.route("/bomb", .ok(HTTPClientLimitTests.gzipBomb).header("Content-Encoding", "gzip"))
    let sink = HesitantSink()
    let response = try await client.send(
      HTTPRequest(url: server.url("/bomb"), timeouts: .patient), into: sink)
    #expect(response.bodyByteCount == 1048576)
    #expect(sink.body == Data(count: 1048576))
  }

  #if os(Linux)
    @Test(
      "in every coding no byte is lost or doubled, for any number of pauses within a piece",
      arguments: ContentCoding.allCases)
    func coded(_ coding: ContentCoding) async throws {
      let body = patternedBytes(2 << 20)
      let coded = CodedBytes.encoded(body, [coding, .gzip])
      let names = "\(coding.rawValue), gzip"
      server.route("/coded", .ok(coded).header("Content-Encoding", names))
      server.route("/chunked", .verbatim(chunks(of: coded, 5000, "Content-Encoding: \(names)\r\n")))
      for path in ["/coded", "/chunked"] {
        let sink = HesitantSink()
        _ = try await client.send(HTTPRequest(url: server.url(path), timeouts: .patient), into: sink)
        #expect(sink.body == body, "\(path)")
      }
    }

    @Test("a few encoded bytes that decode to many are paused in the middle, and other transfers continue")
    func dense() async throws {
      server.route("/dense", .ok(CodedBytes.brotliBomb).header("Content-Encoding", "br"))
      let sink = PausingSink(afterByteCount: 3_000_000)
      async let response = client.send(HTTPRequest(url: server.url("/dense"), timeouts: .patient), into: sink)
      await sink.paused.arrivals(1)
      let count = sink.byteCount
      #expect(count < 3_100_000)
      for _ in 0..<20 { _ = try await client.data(from: server.url("/other")) }
      #expect(sink.byteCount == count)
      sink.resume()
      #expect(try await response.bodyByteCount == 90_000_000)
      #expect(sink.byteCount == 90_000_000)
    }
  #endif

  @Test("can be cancelled during a pause, and resumed after that without effect")
  func cancelling() async throws {
    server.route("/large", .endless(repeating: Data(count: 50_000)))
    let sink = PausingSink(afterByteCount: 1)
    let request = HTTPRequest(url: server.url("/large"), timeouts: .patient)
    let task = Task { [client] in try await client.send(request, into: sink) }
    await sink.paused.arrivals(1)
    task.cancel()
    let error = await #expect(throws: HTTPError.self) { try await task.value }
    #expect(error?.reason == .cancelled)
    sink.resume()
    await server.allConnectionsClosed()
    #expect(try await client.data(from: server.url("/other")).body == Data("other".utf8))
  }

  @Test("an error after the pause is the error of the exchange", arguments: [true, false])
  func failing(isRefused: Bool) async throws {
    server.route("/large", .ok(patternedBytes(4 << 20)).closing(afterByteCount: 300_000))
    let sink = PausingSink(afterByteCount: 1, isRefusingLater: isRefused)
    let request = HTTPRequest(url: server.url("/large"), timeouts: .patient)
    let task = Task { [client] in try await client.send(request, into: sink) }
    await sink.paused.arrivals(1)
    sink.resume()
    let error = await #expect(throws: HTTPError.self) { try await task.value }
    #expect(
      error?.reason
        == (isRefused ? .refused("enough") : .bodyTruncated(received: 300_000, expected: 4 << 20)))
  }

  @Test("does not count against the origin: the limits on silence and speed stop during a pause")
  func limits() async throws {
    let body = Data(count: 8 << 20)
    server.route("/large", .ok(body))
    let gate = Gate()
    server.route("/slow", .ok(Data()).held(by: gate))
    let sink = PausingSink(afterByteCount: 1)
    var request = HTTPRequest(url: server.url("/large"), timeouts: .patient)
    request.timeouts = HTTPTimeouts(
      idle: .seconds(5), minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 1, window: .seconds(5)))
    let task = Task { [client, request] in try await client.send(request, into: sink) }
    await sink.paused.arrivals(1)
    // Another request runs into the same limit and shows that it has passed.
    var other = request
    other.url = server.url("/slow")
    #expect(await failure(of: other, by: client) == .timedOut(.idle))
    sink.resume()
    #expect(try await task.value.bodyByteCount == body.count)
  }
}

/// Takes bytes up to a limit, and then none until it is resumed.
private final class PausingSink: HTTPBodySink {
  private struct State {
    var body = Data()
    var isOpen = false
    var resumption: HTTPBodyResumption?
  }

  /// Where the transport shows up when it is not let on.
  let paused = Gate(isOpen: true)
  private let limit: Int
  private let isRefusingLater: Bool
  private let state = Mutex(State())

  init(afterByteCount limit: Int, isRefusingLater: Bool = false) {
    self.limit = limit
    self.isRefusingLater = isRefusingLater
  }

  var body: Data { state.withLock { $0.body } }
  var byteCount: Int { body.count }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let isRefused = bytes.withUnsafeBytes { buffer in
      let copy = Data(buffer)
      return state.withLock { state in
        state.body.append(copy)
        return isRefusingLater && state.isOpen
      }
    }
    if isRefused { throw HTTPError(.refused("enough")) }
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    let isReady = state.withLock { state in
      if state.isOpen || state.body.count < limit { return true }
      state.resumption = resumption
      return false
    }
    if !isReady { Task { [paused] in try? await paused.pass() } }
    return isReady
  }

  func resume() {
    state.withLock { state in
      state.isOpen = true
      defer { state.resumption = nil }
      return state.resumption
    }?.resume()
  }
}

/// Is not ready at every second call, and is ready immediately afterwards.
private final class HesitantSink: HTTPBodySink {
  private let state = Mutex((body: Data(), isReady: false, pauseCount: 0))

  var body: Data { state.withLock { $0.body } }
  var pauseCount: Int { state.withLock { $0.pauseCount } }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    bytes.withUnsafeBytes { buffer in
      let copy = Data(buffer)
      state.withLock {
        $0.body.append(copy)
        $0.isReady = false
      }
    }
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    let isReady = state.withLock { state in
      if !state.isReady { state.pauseCount += 1 }
      defer { state.isReady = true }
      return state.isReady
    }
    if !isReady { resumption.resume() }
    return isReady
  }
}
