public import Foundation
import Glibc
import OzuHTTP
import OzuSynchronization
import OzuText

/// A small HTTP/1.1 server for a service, to stand behind nginx or a CDN.
///
/// ```swift
/// let listener = try ServiceListener(service, host: "127.0.0.1", port: 8080)
/// …
/// service.beginDraining()
/// await listener.stop(within: .seconds(20))
/// ```
///
/// It answers GET and HEAD, and POST where `Configuration.uploads` has it; reads heads strictly (`RequestHeadParser`), keeps connections alive and answers pipelined requests in
/// their order. One thread does all of its I/O and never waits but for events; answers are made in Swift tasks, which are
/// cancelled when their client leaves. It has no TLS and no HTTP/2, compresses nothing and knows no virtual hosts: those are the
/// proxy's.
public final class ServiceListener: Sendable {
  /// Limits in number and time, and the clocks.
  public struct Configuration: Sendable {
    /// The most connections at a time. At the limit the one that has waited longest for its request is closed for a new one;
    /// where all are being answered, new ones wait. 4,096.
    public var maximumConnectionCount = 4096
    /// How long a head may take from its first byte, or from the connection for the first one. 10 seconds.
    public var headLimit = Duration.seconds(10)
    /// How long a connection may be idle between requests. 60 seconds.
    public var idleLimit = Duration.seconds(60)
    /// How long a client may take nothing of an answer. 30 seconds.
    public var writeLimit = Duration.seconds(30)
    /// Which request may have a body; `nil` (the default) for none.
    public var uploads: UploadRule?
    /// The clock of the limits.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The clock of the field `Date`.
    public var currentDate: @Sendable () -> Date = { Date() }

    /// Makes the default limits.
    public init() {}
  }

  /// The port that it listens at; 0 where that is no TCP port.
  public let port: Int
  private let loop: ListenerLoop

  /// Listens at a TCP port from now on.
  ///
  /// - Parameters:
  ///   - service: answers the requests.
  ///   - host: an IPv4 or IPv6 address of this machine: `127.0.0.1` by default.
  ///   - port: 0 (the default) for a free one.
  /// - Throws: `ServiceListenerError`.
  public convenience init(
    _ service: any ServiceResponding, host: String = "127.0.0.1", port: Int = 0,
    configuration: Configuration = Configuration()
  ) throws(ServiceListenerError) {
    try self.init(service, ListeningSocket(host: host, port: port), configuration)
  }

  /// Listens at a Unix socket from now on.
  ///
  /// A socket that a dead process has left at the path is replaced; one at which somebody listens is not, and nothing else
  /// is. The file appears with its permissions, when connections are accepted already, and is removed at the end.
  ///
  /// - Parameters:
  ///   - service: answers the requests.
  ///   - path: of the socket, at most 99 bytes.
  ///   - permissions: of the file: 0o660 by default, for the owner and the group.
  /// - Throws: `ServiceListenerError`.
  public convenience init(
    _ service: any ServiceResponding, path: String, permissions: UInt32 = 0o660,
    configuration: Configuration = Configuration()
  ) throws(ServiceListenerError) {
    try self.init(service, ListeningSocket(path: path, permissions: permissions), configuration)
  }

  /// Accepts connections from now on at a socket that somebody else made, such as systemd: one that streams and that
  /// listens already. The listener owns the descriptor, and closes it at the end.
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

  /// Stops: takes no new connections, answers what has been asked, and returns when every connection is closed.
  ///
  /// - Parameter limit: how long answers may take; then the rest is called off.
  public func stop(within limit: Duration) async {
    loop.submit(.drain(limit))
    await loop.ended()
  }

  /// How many connections there are; for tests.
  var connectionCount: Int { loop.connectionCount.load(ordering: .relaxed) }

  /// Has the loop look at its clock, which a test has moved.
  func tick() { loop.submit(.tick) }
}

/// Why a server cannot listen.
public struct ServiceListenerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed.
  public let operation: String
  /// Where.
  public let address: String
  /// The system's error number.
  public let code: Int32

  /// Makes an error; for those who look for a socket themselves.
  public init(operation: String, address: String, code: Int32) {
    self.operation = operation
    self.address = address
    self.code = code
  }

  /// What failed and why.
  public var description: String { "cannot \(operation) \(address): \(systemMessage(code))" }
}
