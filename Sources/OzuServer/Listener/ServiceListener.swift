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
/// It answers GET and HEAD, reads heads strictly (`RequestHeadParser`), keeps connections alive and answers pipelined requests in
/// their order. One thread does all of its I/O and never waits but for events; answers are made in Swift tasks, which are
/// cancelled when their client leaves. It has no TLS and no HTTP/2, compresses nothing and knows no virtual hosts: those are the
/// proxy's.
public final class ServiceListener: Sendable {
  /// Limits in number and time.
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
    /// The clock of the limits.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

    /// Makes the default limits.
    public init() {}
  }

  /// The port that it listens at.
  public let port: Int
  private let loop: ListenerLoop

  /// Listens from now on.
  ///
  /// - Parameters:
  ///   - service: answers the requests.
  ///   - host: an IPv4 or IPv6 address of this machine: `127.0.0.1` by default.
  ///   - port: 0 (the default) for a free one.
  /// - Throws: `ServiceListenerError`.
  public init(
    _ service: any ServiceResponding, host: String = "127.0.0.1", port: Int = 0,
    configuration: Configuration = Configuration()
  ) throws(ServiceListenerError) {
    let (descriptor, bound) = try Self.listen(host, port)
    self.port = bound
    loop = ListenerLoop(service, descriptor, configuration)
    guard loop.start() else {
      _ = Glibc.close(descriptor)
      throw ServiceListenerError(operation: "start a thread for", address: host, code: errno)
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

  private static func listen(_ host: String, _ port: Int) throws(ServiceListenerError) -> (Int32, port: Int) {
    func failure(_ operation: String) -> ServiceListenerError {
      ServiceListenerError(operation: operation, address: "\(host):\(port)", code: errno)
    }
    guard let port = UInt16(exactly: port) else {
      throw ServiceListenerError(operation: "listen at", address: "\(host):\(port)", code: EINVAL)
    }
    var (address4, address6) = (sockaddr_in(), sockaddr_in6())
    let is4 = inet_pton(AF_INET, host, &address4.sin_addr) == 1
    guard is4 || inet_pton(AF_INET6, host, &address6.sin6_addr) == 1 else {
      throw ServiceListenerError(operation: "read the address", address: host, code: EINVAL)
    }
    (address4.sin_family, address4.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    (address6.sin6_family, address6.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(is4 ? AF_INET : AF_INET6, kind, 0)
    guard descriptor >= 0 else { throw failure("make a socket for") }
    var on: Int32 = 1
    _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    // The system reads and writes an address of the family as the generic one, with its length.
    func bound<Address>(_ address: inout Address) -> Bool {
      var length = socklen_t(MemoryLayout<Address>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
          bind(descriptor, generic, length) == 0 && Glibc.listen(descriptor, 1024) == 0
            && getsockname(descriptor, generic, &length) == 0
        }
      }
    }
    guard is4 ? bound(&address4) : bound(&address6) else {
      let error = failure("listen at")
      _ = Glibc.close(descriptor)
      throw error
    }
    return (descriptor, Int(UInt16(bigEndian: is4 ? address4.sin_port : address6.sin6_port)))
  }
}

/// Why a server cannot listen.
public struct ServiceListenerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed.
  public let operation: String
  /// Where.
  public let address: String
  /// The system's error number.
  public let code: Int32

  /// What failed and why.
  public var description: String { "cannot \(operation) \(address): \(systemMessage(code))" }
}
