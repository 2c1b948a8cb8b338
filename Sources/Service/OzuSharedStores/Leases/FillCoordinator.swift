import Ozu

/// Lets one machine of a fleet make a value that several of them need.
///
/// ```swift
/// let fills = FillCoordinator(leases: redis)
/// let entry = try await fills.value(for: key) {
///   await redis.entry(for: key)
/// } make: { lease in
///   let entry = try await render()
///   try await store(entry, under: lease)
///   return entry
/// }
/// ```
///
/// The machine that gets the lease makes the value, and renews the lease meanwhile. The others look for the value
/// repeatedly. After `FillPolicy.waitLimit` a waiting machine makes the value itself. So a caller waits for a dead
/// holder no longer than its lease lasts, and for a living one no longer than this limit.
public struct FillCoordinator: Sendable {
  private let leases: any FillLeasing
  private let policy: FillPolicy
  /// The clock, which a test controls.
  var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Makes a coordinator.
  public init(leases: any FillLeasing, policy: FillPolicy = FillPolicy()) {
    self.leases = leases
    self.policy = policy
  }

  /// A value that another machine has made, or that is made now.
  ///
  /// - Parameters:
  ///   - stored: looks for the value in the common store; `nil` if it is not there.
  ///   - make: makes the value, and stores it before it returns, or starts to store it. It gets the lease, or `nil`
  ///     if no lease was available or waiting took too long.
  ///   - settle: returns when the value is in the common store. The caller does not wait for that, but the lease
  ///     lasts until then. By default `make` has stored it.
  /// - Throws: the errors of `make`, and `CancellationError`.
  public func value<Value: Sendable>(
    for key: ImageStoreKey, stored: @Sendable () async -> Value?,
    make: @Sendable (FillLease?) async throws -> Value,
    settle: (@Sendable () async -> Void)? = nil
  ) async throws -> Value {
    let end = now().advanced(by: policy.waitLimit)
    var pause = policy.firstPause
    while true {
      switch await leases.acquireLease(for: key, lasting: policy.leaseDuration) {
      case .unavailable: return try await make(nil)
      case .acquired(let lease):
        return try await value(under: lease, stored: stored, make: make, settle: settle)
      case .held: break
      }
      guard now() < end else { return try await make(nil) }
      try await sleep(pause)
      pause = min(pause * 2, policy.longestPause)
      if let value = await stored() { return value }
    }
  }

  private func value<Value: Sendable>(
    under lease: FillLease, stored: @Sendable () async -> Value?,
    make: @Sendable (FillLease?) async throws -> Value, settle: (@Sendable () async -> Void)?
  ) async throws -> Value {
    // The former holder may have stored it after the caller's look and before this lease.
    if let value = await stored() {
      await leases.release(lease)
      return value
    }
    let heartbeat = Task { [leases, policy, sleep] in
      while !Task.isCancelled {
        try await sleep(policy.leaseDuration / 3)
        // After one without an answer, the next may come before the lease ends.
        _ = await leases.renew(lease, lasting: policy.leaseDuration)
      }
    }
    do {
      let value = try await make(lease)
      if let settle {
        Task { [leases] in
          await settle()
          heartbeat.cancel()
          await leases.release(lease)
        }
      } else {
        heartbeat.cancel()
        await leases.release(lease)
      }
      return value
    } catch {
      heartbeat.cancel()
      await leases.release(lease)
      throw error
    }
  }
}

/// How long leases last, and how waiting machines behave.
public struct FillPolicy: Hashable, Sendable {
  /// How long a lease lasts without being renewed; it is renewed three times within this time. This limits how long
  /// a fleet waits for a dead machine. About twice the usual time of a render. Default: 1 second.
  public var leaseDuration = Duration.seconds(1)
  /// How long a caller waits for others before it makes the value itself. Default: 3 seconds.
  public var waitLimit = Duration.seconds(3)
  /// How long a caller waits before its first look for the value. The wait doubles before each further look.
  /// Default: 5 milliseconds.
  public var firstPause = Duration.milliseconds(5)
  /// The longest wait between two looks. Default: 50 milliseconds.
  public var longestPause = Duration.milliseconds(50)

  /// Makes the default policy.
  public init() {}
}
