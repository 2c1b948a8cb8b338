import Ozu

/// Says which of many machines makes what is in no cache, so that the others wait for it instead of making it too.
///
/// A lease is a promise with an end: who holds it makes the entry, renews the lease while that takes, and releases it when
/// the entry is stored. A holder that dies is replaced when its lease ends. Nothing depends on leases but work that is done
/// twice: where they cannot be had, everybody makes what it needs.
public protocol FillLeasing: Sendable {
  /// Asks for the lease of a key. Never waits for its holder.
  func acquireLease(for key: ImageStoreKey, lasting duration: Duration) async -> FillLeaseAnswer

  /// Lets a lease last so long from now.
  ///
  /// - Returns: whether it is still held. If not, another may hold it.
  func renew(_ lease: FillLease, lasting duration: Duration) async -> Bool

  /// Gives a lease back, unless another holds it by now.
  func release(_ lease: FillLease) async
}

/// What came of asking for a lease.
public enum FillLeaseAnswer: Hashable, Sendable {
  /// The caller makes the entry.
  case acquired(FillLease)
  /// Another makes it.
  case held
  /// Nobody can say.
  case unavailable
}

/// The right to make an entry, until the lease ends.
public struct FillLease: Hashable, Sendable {
  /// The entry that is made.
  public let key: ImageStoreKey
  /// Grows from holder to holder. A resource that remembers the largest number it has seen, and refuses smaller ones, is safe
  /// from holders that slept through the end of their lease.
  public let fencingToken: UInt64
  /// Tells this holder from all others.
  public let owner: CacheKey

  /// Makes a lease; for services of your own.
  public init(key: ImageStoreKey, fencingToken: UInt64, owner: CacheKey) {
    self.key = key
    self.fencingToken = fencingToken
    self.owner = owner
  }
}
