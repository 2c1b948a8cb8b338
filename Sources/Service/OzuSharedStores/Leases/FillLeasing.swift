import Ozu

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
