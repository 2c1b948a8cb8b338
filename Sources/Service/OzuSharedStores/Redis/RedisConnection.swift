import Dispatch
import OzuBase
import OzuHTTP

/// The connection to one node. It is made when there is a command to send, and again after it was lost.
///
/// There is no timer for that: each command without a connection starts an attempt, and the node's circuit breaker
/// increases the time between attempts that fail.
///
/// Deliberately not Sendable: only the thread of the loop uses it.
final class RedisConnection {
  private enum Phase {
    case idle
    /// Resolving runs on a thread of its own, because it may wait for name servers.
    case resolving(attempt: Int)
    /// Until then the endpoint may answer, also if the commands that began the attempt have failed while the name was looked up.
    case connecting(LoopSocket, next: ArraySlice<RedisEndpoint>, until: ContinuousClock.Instant)
    case open(LoopSocket, since: ContinuousClock.Instant)
  }

  /// The age at which a connection to a read-only server is replaced.
  private static let readOnlyAge = Duration.seconds(1)

  private let configuration: RedisConfiguration
  private let address: RedisAddress
  private let resolve: (_ attempt: Int) -> Void
  private var phase = Phase.idle
  private var session: RedisSession
  private var attempt = 0

  /// - Parameter resolve: starts to resolve the address; the result is passed to `resolved`.
  init(place: Int, configuration: RedisConfiguration, resolve: @escaping (_ attempt: Int) -> Void) {
    self.configuration = configuration
    self.resolve = resolve
    address = configuration.nodes[place]
    session = Self.makeSession(configuration, address)
  }

  private static func makeSession(_ configuration: RedisConfiguration, _ address: RedisAddress)
    -> RedisSession
  {
    RedisSession(
      node: "\(address)", login: configuration.login, deadline: configuration.deadline,
      limits: configuration.replyLimits)
  }

  /// The events that poll(2) waits for.
  var interest: (descriptor: Int32, events: Int16)? {
    switch phase {
    case .idle, .resolving: nil
    case .connecting(let socket, _, _): (socket.descriptor, Int16(POLLOUT))
    case .open(let socket, _): (socket.descriptor, Int16(session.hasOutput ? POLLIN | POLLOUT : POLLIN))
    }
  }

  /// When `expire` has something to do.
  var nextDeadline: ContinuousClock.Instant? {
    guard case .connecting(_, _, let end) = phase else { return session.nextDeadline }
    return session.nextDeadline.map { min($0, end) } ?? end
  }

  /// Accepts a command, and connects if there is no connection.
  func start(_ request: RedisRequest) {
    session.start(request)
    if case .idle = phase {
      attempt += 1
      phase = .resolving(attempt: attempt)
      resolve(attempt)
    }
  }

  func resolved(_ attempt: Int, _ result: Result<[RedisEndpoint], RedisEndpoint.Unresolved>) {
    guard case .resolving(attempt) = phase else { return }
    switch result {
    case .success(let endpoints): connect(to: endpoints[...], why: "its name has no address")
    case .failure(let error): lose(.notConnected(error.message))
    }
  }

  private func connect(to endpoints: ArraySlice<RedisEndpoint>, why: String) {
    var (endpoints, why) = (endpoints, why)
    while let endpoint = endpoints.popFirst() {
      guard let (socket, isConnected) = LoopSocket.connecting(to: endpoint) else {
        why = systemMessage(errno)
        continue
      }
      if isConnected { return open(socket) }
      let end = configuration.now().advanced(by: configuration.deadline)
      return phase = .connecting(socket, next: endpoints, until: end)
    }
    lose(.notConnected(why))
  }

  /// Connects to the next endpoint instead.
  private func abandon(_ socket: LoopSocket, for next: ArraySlice<RedisEndpoint>, why: String) {
    socket.close()
    // It is closed once only: its number may belong to another file of the process by now.
    phase = .idle
    connect(to: next, why: why)
  }

  private func open(_ socket: LoopSocket) {
    phase = .open(socket, since: configuration.now())
    flush()
  }

  func handle(_ events: Int16) {
    switch phase {
    case .idle, .resolving: break
    case .connecting(let socket, let next, _):
      let code = socket.error
      if code == 0 { return open(socket) }
      abandon(socket, for: next, why: systemMessage(code))
    case .open(let socket, let since):
      if events & ~Int16(POLLOUT) != 0 { receive(from: socket, since: since) }
      flush()
    }
  }

  /// Sends as much as possible without waiting.
  func flush() {
    guard case .open(let socket, _) = phase, session.hasOutput else { return }
    let isConnected = session.flush { bytes in
      switch socket.send(bytes) {
      case .done(let count): count
      case .wouldBlock: 0
      case .failed: nil
      }
    }
    if !isConnected { lose(.connectionLost) }
  }

  private func receive(from socket: LoopSocket, since: ContinuousClock.Instant) {
    let outcome = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) {
      space -> RedisError.Reason? in
      // After this many pieces, the other nodes get their turn.
      for _ in 0..<16 {
        switch socket.receive(space) {
        case .wouldBlock: return nil
        case .done(0), .failed: return .connectionLost
        case .done(let count):
          do throws(RedisError) {
            try session.receive(UnsafeRawBufferPointer(rebasing: space[..<count]))
          } catch {
            return error.reason
          }
          if count < space.count { return nil }
        }
      }
      return nil
    }
    if let outcome { return lose(outcome) }
    // A server that became a replica keeps its connections. Resolving its name again may find the new primary.
    if session.isReadOnly, session.isIdle, since.advanced(by: Self.readOnlyAge) <= configuration.now() {
      close()
    }
  }

  /// Fails commands whose deadline has passed, and closes a connection without any answer. A name is looked up to the end, and each
  /// of its endpoints has a whole deadline, for the commands after these: otherwise none would ever find a connection where both
  /// together take longer.
  func expire(at now: ContinuousClock.Instant) {
    let (isAnyLate, isSilent) = session.expire(at: now)
    switch phase {
    case .connecting(let socket, let next, let end) where end <= now:
      abandon(socket, for: next, why: systemMessage(ETIMEDOUT))
    case .open where isAnyLate && isSilent: lose(.connectionLost)
    case .idle, .resolving, .connecting, .open: break
    }
  }

  /// Closes the connection, and fails all its commands.
  func lose(_ reason: RedisError.Reason) {
    var lost = session
    close()
    lost.fail(RedisError(reason, node: "\(address)", incident: attempt))
  }

  private func close() {
    switch phase {
    case .idle, .resolving: break
    case .connecting(let socket, _, _), .open(let socket, _): socket.close()
    }
    phase = .idle
    session = Self.makeSession(configuration, address)
  }
}

extension LoopSocket {
  /// Starts to connect.
  ///
  /// - Returns: the socket, and whether it is connected already; `nil` with errno if that failed.
  static func connecting(to address: RedisEndpoint) -> (socket: LoopSocket, isConnected: Bool)? {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { return nil }
    var on: Int32 = 1
    if address.family != AF_UNIX {
      _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      _ = setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    let status = address.withSocketAddress { connect(descriptor, $0, $1) }
    if status == 0 { return (LoopSocket(descriptor: descriptor), true) }
    // A Unix socket whose queue is full returns EAGAIN, and then does not connect.
    guard errno == EINPROGRESS else {
      let code = errno
      _ = Glibc.close(descriptor)
      errno = code
      return nil
    }
    return (LoopSocket(descriptor: descriptor), false)
  }

  /// Zero if the connection was made, otherwise the error number.
  var error: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    outcome { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }
}
