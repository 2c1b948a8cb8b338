public import Ozu
import OzuBase

/// Decides which of many machines makes a missing value, so that the others wait instead of making it too.
///
/// A lease has a time limit. Its holder makes the entry, renews the lease meanwhile, and releases it after the
/// entry is stored. If the holder dies, another machine replaces it when the lease ends. Leases only prevent work
/// from being done twice: if they are not available, every machine makes the values that it needs.
public protocol FillLeasing: Sendable {
  /// Requests the lease of a key. Never waits for its holder.
  func acquireLease(for key: ImageStoreKey, lasting duration: Duration) async -> FillLeaseAnswer

  /// Extends a lease: it lasts for `duration` from now.
  ///
  /// - Returns: whether the lease is still held. If not, another machine may hold it.
  func renew(_ lease: FillLease, lasting duration: Duration) async -> Bool

  /// Releases a lease, unless another machine holds it by now.
  func release(_ lease: FillLease) async
}

/// The answer to the request for a lease.
public enum FillLeaseAnswer: Hashable, Sendable {
  /// The caller makes the entry.
  case acquired(FillLease)
  /// Another machine makes the entry.
  case held
  /// It is unknown whether the lease is held.
  case unavailable
}

/// The right to make an entry, until the lease ends.
public struct FillLease: Hashable, Sendable {
  /// The entry that is made.
  public let key: ImageStoreKey
  /// Grows from holder to holder. A resource that remembers the largest number, and refuses smaller ones, is
  /// protected against holders that continue after the end of their lease.
  public let fencingToken: UInt64
  /// Identifies this holder.
  public let owner: CacheKey

  /// Makes a lease, for lease services of your own.
  public init(key: ImageStoreKey, fencingToken: UInt64, owner: CacheKey) {
    self.key = key
    self.fencingToken = fencingToken
    self.owner = owner
  }
}

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
      guard state.isAvailable, let holder = state.holders[lease.key], holder.lease == lease, holder.end > now
      else { return false }
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
