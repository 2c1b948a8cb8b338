import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

/// A client that uses no proxy, even if this machine has one.
func directClient(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> DefaultHTTPClient {
  var configuration = HTTPClientConfiguration()
  configuration.proxy = .none
  change(&configuration)
  return DefaultHTTPClient(configuration: configuration)
}

func url(_ text: String) -> URL {
  guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
  return url
}

/// Bytes that differ from their neighbours, so that a lost or doubled piece is detected.
func patternedBytes(_ count: Int) -> Data {
  Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}

/// The reason a request fails with, or nil if it succeeds.
func failure(of request: HTTPRequest, by client: some HTTPClient) async -> HTTPError.Reason? {
  do throws(HTTPError) {
    _ = try await client.data(for: request)
    return nil
  } catch {
    return error.reason
  }
}

/// The error after a chain of redirects: one that stays on a server, then one to another name of it.
///
/// - Parameter isByCache: whether a cache follows the redirects, or the client.
func redirectFailure(
  of client: some HTTPClient, from server: LoopbackServer, toHost host: String, isByCache: Bool
) async -> HTTPError? {
  server.route("/one", .redirect(to: "/two"))
  server.route("/two", .redirect(to: server.url("/secret", host: host).absoluteString))
  let request = HTTPRequest(url: server.url("/one"), timeouts: .patient)
  let cache = HTTPCache(client: client, storage: InMemoryHTTPCacheStorage())
  return await #expect(throws: HTTPError.self) {
    if isByCache {
      _ = try await cache.response(for: request)
    } else {
      _ = try await client.data(for: request)
    }
  }
}

/// Records the calls of a sink, and runs a closure at each piece.
final class RecordingSink: HTTPBodySink {
  private struct State {
    var heads: [HTTPResponseHead] = []
    var pieces: [Int] = []
    var body = Data()
    var callsAfterClosing = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let onBegin: @Sendable () throws(HTTPError) -> Void
  private let onPiece: @Sendable (_ byteCount: Int) throws(HTTPError) -> Void

  init(
    onBegin: @escaping @Sendable () throws(HTTPError) -> Void = {},
    onPiece: @escaping @Sendable (_ byteCount: Int) throws(HTTPError) -> Void = { _ in }
  ) {
    self.onBegin = onBegin
    self.onPiece = onPiece
  }

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    state.withLock { state in
      state.heads.append(head)
      if state.isClosed { state.callsAfterClosing += 1 }
    }
    try onBegin()
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let count = bytes.byteCount
    bytes.withUnsafeBytes { buffer in
      let copy = Data(buffer)
      state.withLock { state in
        state.body.append(copy)
        state.pieces.append(copy.count)
        if state.isClosed { state.callsAfterClosing += 1 }
      }
    }
    try onPiece(count)
  }

  /// Declares that no more calls may come.
  func close() { state.withLock { $0.isClosed = true } }

  var heads: [HTTPResponseHead] { state.withLock { $0.heads } }
  var body: Data { state.withLock { $0.body } }
  var callsAfterClosing: Int { state.withLock { $0.callsAfterClosing } }
}

/// A folder that is removed with the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "ozu-http-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  func write(_ name: String) throws {
    try Data("x".utf8).write(to: URL(filePath: "\(path)/\(name)"))
  }
}

extension HTTPTimeouts {
  /// For tests of other things than time: the total limit counts for all hops together, and a sanitizer or a loaded
  /// machine makes each of them slow.
  static let patient = HTTPTimeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(600))
}
