import Dispatch
import OzuBase
import OzuHTTP

/// The state that a loopback server shares with its threads: routes, counters and the open connections, under one lock.
/// The threads hold this object, not the server, so that releasing the server ends them.
///
/// Only its own thread closes a descriptor, after it has removed it from `open` under the lock. `stop` shuts sockets down
/// under the same lock, so it never uses a number that the system has already given to another file.
final class LoopbackSite: Sendable {
  struct State {
    var routes: [String: LoopbackServer.Handler] = [:]
    var fallback: LoopbackServer.Handler = { _ in .status(404) }
    var isStopped = false
    var threadCount = 1
    var open: [Int: LoopbackSocket] = [:]
    var connectionCount = 0
    var inFlightCount = 0
    var sentByteCount = 0
    var requestCount = 0
    var requestCounts: [String: Int] = [:]
    var requests: [LoopbackRequest] = []
    var observers: [Observer] = []
  }

  struct Observer {
    let isMet: @Sendable (borrowing State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private static let maximumRecordCount = 10_000

  let state = Mutex(State())
  private let listener: LoopbackSocket
  /// Free places for connections. It starts at 0 and is filled by signals, because a semaphore must not be freed below its
  /// first value.
  private let places = DispatchSemaphore(value: 0)

  init(listener: LoopbackSocket, maximumConnections: Int) {
    self.listener = listener
    for _ in 0..<maximumConnections { places.signal() }
  }

  /// Changes the state, then resumes the waiters whose condition holds.
  func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, met): (Result, [Observer]) = state.withLock { state in
      let result = change(&state)
      guard !state.observers.isEmpty else { return (result, []) }
      var met: [Observer] = []
      var unmet: [Observer] = []
      for observer in state.observers {
        if observer.isMet(state) { met.append(observer) } else { unmet.append(observer) }
      }
      state.observers = unmet
      return (result, met)
    }
    for observer in met { observer.continuation.resume() }
    return result
  }

  /// Returns when the condition holds.
  func when(_ isMet: @escaping @Sendable (borrowing State) -> Bool) async {
    await withCheckedContinuation { continuation in
      update { $0.observers.append(Observer(isMet: isMet, continuation: continuation)) }
    }
  }

  func acceptConnections() {
    while true {
      places.wait()
      guard !state.withLock({ $0.isStopped }), let socket = listener.accept() else { break }
      let number: Int? = update { state in
        guard !state.isStopped else { return nil }
        state.connectionCount += 1
        state.threadCount += 1
        state.open[state.connectionCount] = socket
        return state.connectionCount
      }
      guard let number else {
        socket.close()
        break
      }
      LoopbackThread.start("ozu.loopback.\(number)") { [self] in
        LoopbackConnection(socket: socket, number: number, site: self).serve()
        update { state in
          state.open[number] = nil
          // Closed under the lock and before waiters are resumed, so that they find it closed.
          socket.close()
          state.threadCount -= 1
        }
        places.signal()
      }
    }
    update { state in
      state.isStopped = true
      listener.close()
      state.threadCount -= 1
    }
  }

  func stop() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      listener.shutDown()
      for socket in state.open.values { socket.shutDown() }
    }
    places.signal()
  }

  func stopped() async {
    await when { $0.isStopped && $0.threadCount == 0 }
  }

  /// Records a request and returns its handler.
  func begin(_ request: LoopbackRequest) -> LoopbackServer.Handler {
    update { state in
      state.requestCount += 1
      state.requestCounts[request.path, default: 0] += 1
      state.inFlightCount += 1
      if state.requests.count >= Self.maximumRecordCount {
        state.requests.removeFirst(Self.maximumRecordCount / 10)
      }
      state.requests.append(request)
      return state.routes[request.path] ?? state.fallback
    }
  }

  func end(sentByteCount: Int) {
    update { state in
      state.inFlightCount -= 1
      state.sentByteCount += sentByteCount
    }
  }
}
