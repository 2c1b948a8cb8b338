import Dispatch
import OzuBase
import OzuHTTP

/// The inbox and the thread of a `RedisStore`: one thread for all nodes, which waits only in poll(2).
///
/// Any thread may call `submit` and `stop`; they only append under the lock and wake the thread. Only the thread
/// uses connections. The thread owns the loop, so a store that is released only asks the thread to end.
final class RedisLoop: Sendable {
  enum Command: Sendable {
    case start(node: Int, RedisRequest)
    case resolved(node: Int, attempt: Int, Result<[RedisEndpoint], RedisEndpoint.Unresolved>)
    /// Reads the clock again after a test has moved it.
    case tick
  }

  private let configuration: RedisConfiguration
  private let inbox = Mutex(LoopInbox<Command>())

  init(configuration: RedisConfiguration) { self.configuration = configuration }

  /// Puts a command into the inbox; the first command starts the thread. Returns whether it was accepted.
  func submit(_ command: Command) -> Bool {
    inbox.withLock { inbox in
      inbox.put(command) { waker in
        LoopThread.start(named: "ozu.redis") { [self] in run(waker) }
      }
    } == nil
  }

  /// Asks the thread to end. Waiting commands fail with `closed`.
  func stop() {
    inbox.withLock { $0.stop() }
  }

  private func run(_ waker: LoopWaker) {
    let connections = configuration.nodes.indices.map { place in
      RedisConnection(place: place, configuration: configuration) { [self] attempt in
        resolve(place, attempt)
      }
    }
    while true {
      let (commands, isStopping) = inbox.withLock { $0.take() }
      for command in commands {
        switch command {
        case .start(let node, let request): connections[node].start(request)
        case .resolved(let node, let attempt, let result): connections[node].resolved(attempt, result)
        case .tick: break
        }
      }
      if isStopping { break }
      for connection in connections { connection.flush() }
      let now = configuration.now()
      for connection in connections { connection.expire(at: now) }
      let mayRest = inbox.withLock { $0.mayRest() }
      wait(waker, connections, milliseconds: mayRest ? waitTime(connections, now) : 0)
    }
    for connection in connections { connection.lose(.closed) }
    inbox.withLock { $0.end() }
    waker.close()
  }

  /// The milliseconds until the next deadline.
  private func waitTime(_ connections: [RedisConnection], _ now: ContinuousClock.Instant) -> Int32 {
    guard let deadline = connections.lazy.compactMap(\.nextDeadline).min() else { return -1 }
    let (seconds, attoseconds) = now.duration(to: deadline).components
    let milliseconds = seconds.saturatingProduct(1000).saturatingSum(attoseconds / 1_000_000_000_000_000 + 1)
    return Int32(clamping: max(0, milliseconds))
  }

  private func wait(_ waker: LoopWaker, _ connections: [RedisConnection], milliseconds: Int32) {
    var entries = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
    var waiting: [RedisConnection] = []
    for connection in connections {
      guard let (descriptor, events) = connection.interest else { continue }
      entries.append(pollfd(fd: descriptor, events: events, revents: 0))
      waiting.append(connection)
    }
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
    if entries[0].revents != 0 { LoopWaker.clear(entries[0].fd) }
    for (entry, connection) in zip(entries.dropFirst(), waiting) where entry.revents != 0 {
      connection.handle(entry.revents)
    }
  }

  /// Resolves an address: at once if no name server is needed, otherwise on a thread that may block.
  private func resolve(_ place: Int, _ attempt: Int) {
    let address = configuration.nodes[place]
    let look: @Sendable () -> Void = { [weak self] in
      let result = Result { () throws(RedisEndpoint.Unresolved) in try RedisEndpoint.resolving(address) }
      _ = self?.submit(.resolved(node: place, attempt: attempt, result))
    }
    if case .unix = address { look() } else { DispatchQueue.global(qos: .utility).async(execute: look) }
  }
}
