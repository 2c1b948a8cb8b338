import Ozu
import OzuBase
import OzuHTTP

/// One server of a store: its circuit breaker, the sums of its waiting commands, and its counts.
///
/// One lock guards all of them. Nothing is called under it.
final class RedisNode: Sendable {
  private struct State {
    var breaker: CircuitBreaker
    var waitingByteCount = 0
    var waitingCount = 0
    var counts = SharedStoreNodeStatistics.Counts()
    var times = SharedStoreTimes()
    /// The last lost connection that was counted.
    var incident: Int?
    var lastError: String?
  }

  let name: String
  let place: Int
  private let configuration: RedisConfiguration
  private let loop: RedisLoop
  private let reporter: SharedStoreReporter
  private let state: Mutex<State>

  init(place: Int, configuration: RedisConfiguration, loop: RedisLoop, reporter: SharedStoreReporter) {
    name = "\(configuration.nodes[place])"
    self.place = place
    self.configuration = configuration
    self.loop = loop
    self.reporter = reporter
    state = Mutex(State(breaker: CircuitBreaker(configuration.breaker)))
  }

  /// Whether a command would be sent. Never waits.
  var isPermitting: Bool {
    let now = configuration.now()
    return state.withLock { $0.breaker.isPermitting(at: now) }
  }

  var statistics: SharedStoreNodeStatistics {
    state.withLock { state in
      SharedStoreNodeStatistics(
        name: name, state: state.breaker.state, counts: state.counts, times: state.times,
        lastError: state.lastError)
    }
  }

  /// Sends a command. The completion is called once, within the deadline: at once on this thread if the command is
  /// not sent, otherwise on the thread of the loop. A refusal by the server is an error.
  func send(
    _ command: RESPCommand, _ completion: @escaping @Sendable (Result<RESPValue, RedisError>) -> Void
  ) {
    let now = configuration.now()
    let byteCount = command.bytes.count
    let (refusal, permit) = state.withLock { state -> (RedisError.Reason?, CircuitBreaker.Permit?) in
      guard
        state.waitingCount < configuration.maximumWaitingCount,
        state.waitingCount == 0 || state.waitingByteCount + byteCount <= configuration.maximumWaitingByteCount
      else {
        state.counts.dropped += 1
        return (.overloaded, nil)
      }
      guard let permit = state.breaker.permit(at: now) else {
        state.counts.circuitOpen += 1
        return (.circuitOpen, nil)
      }
      state.waitingCount += 1
      state.waitingByteCount += byteCount
      state.counts.commands += 1
      return (nil, permit)
    }
    if refusal == .overloaded { reporter.report(.dropped(node: name)) }
    guard let permit else {
      return completion(.failure(RedisError(refusal ?? .circuitOpen, node: name)))
    }
    if permit.isProbe { reporter.report(.nodeChanged(node: name, state: .halfOpen, error: nil)) }
    let request = RedisRequest(command, deadline: now.advanced(by: configuration.deadline)) { [self] result in
      completion(end(result, permit, byteCount: byteCount, since: now))
    }
    if !loop.submit(.start(node: place, request)) {
      request.complete(.failure(RedisError(.closed, node: name)))
    }
  }

  private func end(
    _ result: Result<RESPValue, RedisError>, _ permit: CircuitBreaker.Permit, byteCount: Int,
    since start: ContinuousClock.Instant
  ) -> Result<RESPValue, RedisError> {
    let now = configuration.now()
    var result = result
    if case .success(.error(let text)) = result { result = .failure(RedisError(.refused(text), node: name)) }
    let error: RedisError? = if case .failure(let error) = result { error } else { nil }
    let isFailure =
      switch error?.reason {
      case nil: false
      case .refused(let text)?: RedisError.Reason.isFailure(text)
      default: true
      }
    let change = state.withLock { state -> SharedStoreNodeState? in
      state.waitingCount -= 1
      state.waitingByteCount -= byteCount
      state.times.add(start.duration(to: now))
      let before = state.breaker.state
      switch error?.reason {
      case nil, .closed?: break
      case .timedOut?: state.counts.timedOut += 1
      case .refused?: state.counts.refused += 1
      default: state.counts.lost += 1
      }
      if let error { state.lastError = "\(error)" }
      if isFailure {
        let incident = error?.incident
        if permit.isProbe || incident == nil || incident != state.incident {
          state.breaker.fail(permit, at: now)
        }
        state.incident = incident ?? state.incident
      } else {
        state.breaker.succeed(permit)
      }
      return before == state.breaker.state ? nil : state.breaker.state
    }
    if let error, case .refused = error.reason, !isFailure, !error.isWrongType {
      reporter.report(.refused(node: name, error: "\(error)"))
    }
    if let change { reporter.report(.nodeChanged(node: name, state: change, error: error.map { "\($0)" })) }
    return result
  }
}
