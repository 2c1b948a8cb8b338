import OzuBase
import OzuHTTP

/// A small HTTP/1.1 server for a service, for use behind nginx or a CDN.
///
/// ```swift
/// let listener = try ServiceListener(service, host: "127.0.0.1", port: 8080)
/// …
/// service.beginDraining()
/// await listener.stop(within: .seconds(20))
/// ```
///
/// It answers GET and HEAD, and POST if `Configuration.uploads` allows it. It parses heads strictly
/// (`RequestHeadParser`), keeps connections alive, and answers pipelined requests in order. One thread does all its
/// I/O and waits only for events. Answers are made in Swift tasks, which are cancelled if their client leaves. The
/// proxy must provide TLS, HTTP/2, compression and virtual hosts.
public final class ServiceListener: Sendable {
  /// Limits of numbers and times, and the clocks.
  public struct Configuration: Sendable {
    /// The most connections at a time. At the limit, a new connection replaces the one that has waited longest for
    /// its request; if all are being answered, new connections wait. Never more than half of the descriptors that the process may
    /// have. Default: 4,096.
    public var maximumConnectionCount = 4096
    /// The time limit for a head, from its first byte; for the first head from the connection. Default: 10 seconds.
    public var headLimit = Duration.seconds(10)
    /// The time that a connection may be idle between requests. Default: 60 seconds.
    public var idleLimit = Duration.seconds(60)
    /// The time that a client may accept no byte of an answer. Default: 30 seconds.
    public var writeLimit = Duration.seconds(30)
    /// Decides which request may have a body; `nil`, the default, allows none.
    public var uploads: UploadRule?
    /// The clock for time limits.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The clock for the field `Date`.
    public var currentDate: @Sendable () -> Date = { Date() }

    /// Makes the default limits.
    public init() {}
  }

  /// The TCP port that it listens at; 0 for other sockets.
  public let port: Int
  private let loop: ListenerLoop

  /// Starts to listen at a TCP port.
  ///
  /// - Parameters:
  ///   - service: answers the requests.
  ///   - host: an IPv4 or IPv6 address of this machine. Default: `127.0.0.1`.
  ///   - port: 0, the default, for a free port.
  /// - Throws: `ServiceListenerError`.
  public convenience init(
    _ service: any ServiceResponding, host: String = "127.0.0.1", port: Int = 0,
    configuration: Configuration = Configuration()
  ) throws(ServiceListenerError) {
    try self.init(service, ListeningSocket(host: host, port: port), configuration)
  }

  /// Starts to listen at a Unix socket.
  ///
  /// A socket that a dead process left at the path is replaced. A socket in use, and any other file, is not. The
  /// file gets its permissions before clients can connect, and is removed at the end.
  ///
  /// - Parameters:
  ///   - service: answers the requests.
  ///   - path: the path of the socket, at most 99 bytes.
  ///   - permissions: the permissions of the file. Default: 0o660, for the owner and the group.
  /// - Throws: `ServiceListenerError`.
  public convenience init(
    _ service: any ServiceResponding, path: String, permissions: UInt32 = 0o660,
    configuration: Configuration = Configuration()
  ) throws(ServiceListenerError) {
    try self.init(service, ListeningSocket(path: path, permissions: permissions), configuration)
  }

  /// Starts to accept connections at a socket that another program made, such as systemd: a stream socket that
  /// already listens. The listener owns the descriptor, and closes it at the end.
  ///
  /// - Throws: `ServiceListenerError`.
  public convenience init(
    _ service: any ServiceResponding, inheriting descriptor: Int32,
    configuration: Configuration = Configuration()
  ) throws(ServiceListenerError) {
    try self.init(service, ListeningSocket(inheriting: descriptor), configuration)
  }

  private init(
    _ service: any ServiceResponding, _ socket: ListeningSocket, _ configuration: Configuration
  ) throws(ServiceListenerError) {
    port = socket.port
    loop = ListenerLoop(service, socket, configuration)
    guard loop.start() else {
      let error = ServiceListenerError(operation: "start a thread for", address: socket.name, code: errno)
      socket.close()
      throw error
    }
  }

  deinit { loop.submit(.drain(.zero)) }

  /// Stops: accepts no new connections, answers pending requests, and returns after every connection is closed.
  ///
  /// - Parameter limit: the time limit for answers; then the others are cancelled.
  public func stop(within limit: Duration) async {
    loop.submit(.drain(limit))
    await loop.ended.wait()
  }

  /// The number of connections; for tests.
  var connectionCount: Int { loop.connectionCount.load(ordering: .relaxed) }

  /// Makes the loop read its clock again after a test has moved it.
  func tick() { loop.submit(.tick) }
}

/// The reason why a server cannot listen.
public struct ServiceListenerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation that failed.
  public let operation: String
  /// The address.
  public let address: String
  /// The system's error number.
  public let code: Int32

  /// Makes an error, for callers that make a socket themselves.
  public init(operation: String, address: String, code: Int32) {
    self.operation = operation
    self.address = address
    self.code = code
  }

  /// The operation, the address and the reason.
  public var description: String { "cannot \(operation) \(address): \(systemMessage(code))" }
}
