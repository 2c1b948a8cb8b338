import OzuBase

/// Restarts loads that failed without a network, when the network returns.
///
/// Each waiting load holds a ticket; releasing the ticket removes it. When the network returns, all loads are
/// restarted after random delays, spread over a time that grows with their number, so that an origin does not receive
/// all requests at once. A load that fails again waits for the next return, or for a delay that doubles each time,
/// because name servers and routes come a little later than an address.
///
/// Bounded: at most 256 loads wait, and a new one then replaces the oldest; a load is dropped after 10 minutes; and
/// each is restarted five times at most. The object listens to the system only while a load waits. One lock guards
/// the table; no closure is called under it.
final class NetworkReturn: Sendable {
  fileprivate struct Waiter {
    let since: ContinuousClock.Instant
    let restart: @Sendable () -> Void
    var isDue = false
    var timer: Task<Void, Never>?
  }

  fileprivate struct State {
    var lastNumber = 0
    var waiters: [Int: Waiter] = [:]
    var observation: NetworkObservation?
  }

  static let countLimit = 256
  static let lifetime = Duration.seconds(600)
  static let restartLimit = 5
  /// Addresses come in groups, and connections work a little later.
  private static let settlingTime = Duration.milliseconds(300)
  private static let spread = (each: Duration.milliseconds(50), all: Duration.seconds(5))

  private let monitor: (any NetworkMonitoring)?
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let fraction: @Sendable () -> Double
  private let state = Mutex(State())

  init(
    _ monitor: (any NetworkMonitoring)?, now: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    fraction: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    (self.monitor, self.now, self.sleep, self.fraction) = (monitor, now, sleep, fraction)
  }

  var count: Int { state.withLock { $0.waiters.count } }

  /// Waits for the network.
  ///
  /// - Parameters:
  ///   - restartCount: how often the load has been restarted.
  ///   - restart: called once, on any thread.
  /// - Returns: the ticket, whose release ends the wait; `nil` if the load has been restarted often enough, or if there is no monitor.
  func wait(restartCount: Int, _ restart: @escaping @Sendable () -> Void) -> NetworkObservation? {
    guard let monitor, restartCount < Self.restartLimit else { return nil }
    let instant = now()
    // The replaced one is released outside the lock.
    let (number, isFirst, _) = state.withLock { state -> (Int, Bool, [Waiter]) in
      var former = state.removeOld(before: instant.advanced(by: .zero - Self.lifetime))
      if state.waiters.count >= Self.countLimit, let oldest = state.waiters.keys.min(),
        let waiter = state.waiters.removeValue(forKey: oldest)
      {
        former.append(waiter)
      }
      state.lastNumber += 1
      state.waiters[state.lastNumber] = Waiter(since: instant, restart: restart)
      return (state.lastNumber, state.observation == nil, former)
    }
    if isFirst { listen(to: monitor) }
    if restartCount > 0 { setTimer(number, .seconds(1 << restartCount)) }
    return NetworkObservation { [weak self] in self?.take(number)?.timer?.cancel() }
  }

  private func listen(to monitor: any NetworkMonitoring) {
    let observation = monitor.observe { [weak self] in self?.networkReturned() }
    let former = state.withLock { state -> NetworkObservation? in
      guard state.observation == nil, !state.waiters.isEmpty else { return observation }
      state.observation = observation
      return nil
    }
    withExtendedLifetime(former) {}
  }

  /// Removes a waiting load. After the last one the system is not listened to.
  private func take(_ number: Int) -> Waiter? {
    let (waiter, observation) = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: number)
      return (waiter, state.waiters.isEmpty ? state.observation.take() : nil)
    }
    withExtendedLifetime(observation) {}
    return waiter
  }

  private func networkReturned() {
    let instant = now()
    let (due, _) = state.withLock { state -> ([Int], [Waiter]) in
      let former = state.removeOld(before: instant.advanced(by: .zero - Self.lifetime))
      let due = state.waiters.filter { !$0.value.isDue }.keys.sorted()
      for number in due { state.waiters[number]?.isDue = true }
      return (due, former)
    }
    let spread = min(Self.spread.all, Self.spread.each * due.count)
    for number in due { setTimer(number, Self.settlingTime + spread * fraction()) }
  }

  /// Restarts a load after a delay, which replaces an earlier one.
  private func setTimer(_ number: Int, _ delay: Duration) {
    let timer = Task.detached { [weak self, sleep] in
      guard (try? await sleep(delay)) != nil else { return }
      self?.take(number)?.restart()
    }
    let former = state.withLock { state -> Task<Void, Never>? in
      guard state.waiters[number] != nil else { return timer }
      defer { state.waiters[number]?.timer = timer }
      return state.waiters[number]?.timer
    }
    former?.cancel()
  }
}

extension NetworkReturn.State {
  fileprivate mutating func removeOld(before instant: ContinuousClock.Instant) -> [NetworkReturn.Waiter] {
    let old = waiters.filter { $0.value.since < instant }
    for number in old.keys { waiters[number] = nil }
    return Array(old.values)
  }
}
