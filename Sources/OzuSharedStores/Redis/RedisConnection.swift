import Dispatch
import Glibc
import OzuText

/// The connection to one node: made when there is something to ask, and again when it was lost.
///
/// There is no timer for that: each command that finds no connection begins one, and the breaker in front of the node spaces
/// them when they fail.
///
/// Not Sendable on purpose: the thread of the loop alone uses it.
final class RedisConnection {
  private enum Phase {
    case idle
    /// On a thread of its own, because name servers are waited for.
    case resolving(attempt: Int)
    case connecting(RedisSocket, next: ArraySlice<RedisEndpoint>)
    case open(RedisSocket, since: ContinuousClock.Instant)
  }

  /// How old a connection to a server that takes no writes must be before it is made anew.
  private static let readOnlyAge = Duration.seconds(1)

  private let place: Int
  private let configuration: RedisConfiguration
  private let address: RedisAddress
  private let resolve: (_ attempt: Int) -> Void
  private var phase = Phase.idle
  private var session: RedisSession
  private var attempt = 0

  /// - Parameter resolve: begins to look the address up; what comes of it goes to `resolved`.
  init(place: Int, configuration: RedisConfiguration, resolve: @escaping (_ attempt: Int) -> Void) {
    self.place = place
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

  /// What poll(2) is to wait for.
  var interest: (descriptor: Int32, events: Int16)? {
    switch phase {
    case .idle, .resolving: nil
    case .connecting(let socket, _): (socket.descriptor, Int16(POLLOUT))
    case .open(let socket, _): (socket.descriptor, Int16(session.hasOutput ? POLLIN | POLLOUT : POLLIN))
    }
  }

  var nextDeadline: ContinuousClock.Instant? { session.nextDeadline }

  /// Takes a command on, and connects where there is no connection.
  func start(_ request: RedisRequest) {
    session.start(request)
    if case .idle = phase {
      attempt += 1
      phase = .resolving(attempt: attempt)
      resolve(attempt)
    }
  }

  /// Takes what a look-up came to.
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
      guard let (socket, isConnected) = RedisSocket.connecting(to: endpoint) else {
        why = systemMessage(errno)
        continue
      }
      guard isConnected else { return phase = .connecting(socket, next: endpoints) }
      return open(socket)
    }
    lose(.notConnected(why))
  }

  private func open(_ socket: RedisSocket) {
    phase = .open(socket, since: configuration.now())
    flush()
  }

  /// Acts on what poll(2) saw.
  func handle(_ events: Int16) {
    switch phase {
    case .idle, .resolving: break
    case .connecting(let socket, let next):
      let code = socket.error
      if code == 0 { return open(socket) }
      socket.close()
      connect(to: next, why: systemMessage(code))
    case .open(let socket, let since):
      if events & ~Int16(POLLOUT) != 0 { receive(from: socket, since: since) }
      flush()
    }
  }

  /// Sends what can be sent without waiting.
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

  private func receive(from socket: RedisSocket, since: ContinuousClock.Instant) {
    let outcome = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) {
      space -> RedisError.Reason? in
      // The other nodes have their turn after so many pieces.
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
    // A server that was made a replica keeps its connections. By its name, another may be found now.
    if session.isReadOnly, session.isIdle, since.advanced(by: Self.readOnlyAge) <= configuration.now() {
      close()
    }
  }

  /// Answers those whose deadline has passed, and gives up a connection that shows no life.
  func expire(at now: ContinuousClock.Instant) {
    let (isAnyLate, isSilent) = session.expire(at: now)
    guard isAnyLate else { return }
    if case .open = phase, !isSilent { return }
    lose(.connectionLost)
  }

  /// Ends the connection, and answers everybody with an error.
  func lose(_ reason: RedisError.Reason) {
    var lost = session
    close()
    lost.fail(RedisError(reason, node: "\(address)", incident: attempt))
  }

  private func close() {
    switch phase {
    case .idle, .resolving: break
    case .connecting(let socket, _), .open(let socket, _): socket.close()
    }
    phase = .idle
    session = Self.makeSession(configuration, address)
  }
}
