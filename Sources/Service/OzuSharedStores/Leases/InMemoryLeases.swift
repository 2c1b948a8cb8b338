public import Ozu
import OzuBase

/// Leases for several pipelines or services in one process, and for tests. Other machines do not see them.
public final class InMemoryLeases: FillLeasing {
  struct State {
    var holders: [ImageStoreKey: (lease: FillLease, end: ContinuousClock.Instant)] = [:]
    var number: UInt64 = 0
    var renewals = 0
    var isAvailable = true
  }

  let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Makes leases.
  ///
  /// - Parameter now: the clock that decides when leases end.
  public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
    self.now = now
  }

  /// The number of leases that were granted.
  public var count: Int { Int(state.withLock { $0.number }) }

  /// Requests the lease of a key.
  public func acquireLease(for key: ImageStoreKey, lasting duration: Duration) async -> FillLeaseAnswer {
    let now = now()
    return state.withLock { state in
      guard state.isAvailable else { return .unavailable }
      if let holder = state.holders[key], holder.end > now { return .held }
      state.number += 1
      let lease = FillLease(key: key, fencingToken: state.number, owner: CacheKey("\(state.number)"))
      state.holders[key] = (lease, now + duration)
      return .acquired(lease)
    }
  }

  /// Extends a lease: it lasts for `duration` from now.
  public func renew(_ lease: FillLease, lasting duration: Duration) async -> Bool {
    let now = now()
    return state.withLock { state in
      guard let holder = state.holders[lease.key], holder.lease == lease, holder.end > now else {
        return false
      }
      state.holders[lease.key] = (lease, now + duration)
      state.renewals += 1
      return true
    }
  }

  /// Releases a lease.
  public func release(_ lease: FillLease) async {
    state.withLock { state in
      if state.holders[lease.key]?.lease == lease { state.holders[lease.key] = nil }
    }
  }
}
