import Foundation
import OzuBase

/// An origin server on 127.0.0.1 for tests and demonstrations: HTTP/1.1 with keep-alive, scripted by routes,
/// able to misbehave on demand (`LoopbackResponse`), and counting what it sees.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.route("/a.jpg") { _ in .ok(jpeg, type: "image/jpeg") }
/// server.route("/flaky", [.status(503), .ok(jpeg)])
/// let (body, _) = try await client.data(from: server.url("/a.jpg"))
/// #expect(server.requestCount(for: "/a.jpg") == 1)
/// ```
///
/// It has a thread that accepts connections and a thread for each connection, outside of Swift's cooperative pool. `stop()`
/// ends them, and so does releasing the server. Routes may be added at any time.
public final class LoopbackServer: Sendable {
  /// Answers a request; called on the connection's thread.
  public typealias Handler = @Sendable (LoopbackRequest) -> LoopbackResponse

  /// The reason why a server could not start.
  public struct StartError: Error, CustomStringConvertible {
    /// The system's error number.
    public let code: Int32
    /// One line for a person.
    public var description: String { "no socket on 127.0.0.1: " + String(cString: strerror(code)) }
  }

  /// The port it listens on.
  public let port: Int
  /// The address that it listens on, in the form of a URL.
  public let host: String
  private let site: LoopbackSite

  /// Starts a server on a free port.
  ///
  /// - Parameters:
  ///   - maximumConnections: how many connections are served at once; further ones wait. 512.
  ///   - isIPv6: whether it listens on `[::1]` in place of 127.0.0.1.
  /// - Throws: `StartError` when the system gives no socket.
  public init(maximumConnections: Int = 512, isIPv6: Bool = false) throws(StartError) {
    let opened = isIPv6 ? LoopbackSocket.listening6() : LoopbackSocket.listening()
    guard let (listener, port) = opened else { throw StartError(code: errno) }
    self.host = isIPv6 ? "[::1]" : "127.0.0.1"
    self.port = port
    let site = LoopbackSite(listener: listener, maximumConnections: max(1, maximumConnections))
    self.site = site
    LoopbackThread.start("ozu.loopback") { site.acceptConnections() }
  }

  deinit {
    site.stop()
  }

  /// Answers requests for a path, without query, by calling a closure.
  public func route(_ path: String, _ handler: @escaping Handler) {
    site.state.withLock { $0.routes[path] = handler }
  }

  /// Answers requests for a path with these responses in turn; the last one stays.
  public func route(_ path: String, _ responses: [LoopbackResponse]) {
    precondition(!responses.isEmpty, "a route needs a response")
    let turn = LoopbackTurn()
    route(path) { _ in responses[turn.advance(upTo: responses.count - 1)] }
  }

  /// Answers requests for a path with always the same response.
  public func route(_ path: String, _ response: LoopbackResponse) {
    route(path) { _ in response }
  }

  /// Answers requests for paths without route; 404 unless set.
  public func routeRest(_ handler: @escaping Handler) {
    site.state.withLock { $0.fallback = handler }
  }

  /// The URL of a path (with its query, if any), percent-encoded by the caller.
  ///
  /// - Parameter host: the address it listens on, or `localhost` where a second host is wanted.
  public func url(_ path: String, host: String? = nil) -> URL {
    guard let url = URL(string: "http://\(host ?? self.host):\(port)\(path)") else {
      preconditionFailure("\"\(path)\" is not the path of a URL")
    }
    return url
  }

  /// Ends the server: closes its port and every connection. May be called again.
  ///
  /// Returns immediately; `stopped()` waits for the threads.
  public func stop() {
    site.stop()
  }

  /// Returns when, after `stop()`, every thread has ended and every descriptor is closed.
  public func stopped() async {
    await site.stopped()
  }

  // MARK: Counts

  /// The last 10,000 requests received, oldest first.
  public var requests: [LoopbackRequest] { site.state.withLock { $0.requests } }

  /// The requests in `requests` for a path.
  public func requests(for path: String) -> [LoopbackRequest] { requests.filter { $0.path == path } }

  /// The number of requests that have come for a path.
  public func requestCount(for path: String) -> Int { site.state.withLock { $0.requestCounts[path] ?? 0 } }

  /// The number of requests that have come.
  public var requestCount: Int { site.state.withLock { $0.requestCount } }

  /// The number of requests that are being answered.
  public var inFlightCount: Int { site.state.withLock { $0.inFlightCount } }

  /// The number of connections that have been accepted.
  public var connectionCount: Int { site.state.withLock { $0.connectionCount } }

  /// The number of open connections.
  public var openConnectionCount: Int { site.state.withLock { $0.open.count } }

  /// The number of bytes that have been sent, with header sections.
  public var sentByteCount: Int { site.state.withLock { $0.sentByteCount } }

  /// Returns when that many requests have come, for a path or for any.
  public func received(_ count: Int, for path: String? = nil) async {
    await site.when { state in
      (path.map { state.requestCounts[$0] ?? 0 } ?? state.requestCount) >= count
    }
  }

  /// Returns when no connection is open.
  public func allConnectionsClosed() async {
    await site.when { $0.open.isEmpty }
  }
}

/// Counts through a list of responses and stays at the last.
private final class LoopbackTurn: Sendable {
  private let next = Mutex(0)

  func advance(upTo last: Int) -> Int {
    next.withLock { next in
      defer { next = min(next + 1, last) }
      return next
    }
  }
}

/// Starts the threads of the loopback server. Its calls block, and the threads of Swift's cooperative pool must not block.
enum LoopbackThread {
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }
}
