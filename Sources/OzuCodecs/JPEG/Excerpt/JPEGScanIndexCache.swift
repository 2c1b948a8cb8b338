import OzuImaging
import OzuSynchronization

/// Keeps the scan indices of the files that parts were last cut out of, so that the next part costs no walk over the whole
/// file.
///
/// A file is known by a checksum of all of it, or by what the context of the decode knows it by. Eight indices are kept, of a megabyte at most each; what was used longest ago
/// goes first. An index is made outside of the lock, so two threads may make the same one.
final class JPEGScanIndexCache: Sendable {
  /// The cache of the process.
  static let shared = JPEGScanIndexCache(limit: 8)

  /// What tells files apart. A file that was made to have the checksum and the length of another one gets that one's index,
  /// and its parts come out as nonsense or are decoded whole. No place leads outside of the file, since the lengths are equal.
  struct Identity: Hashable {
    var byteCount: Int
    var checksum: UInt64

    /// - Parameter known: what the file is known by already; it keeps the checksum if it has none.
    init(_ file: UnsafeRawBufferPointer, _ known: FileIdentity? = nil) {
      byteCount = file.count
      checksum = known?.value { WordChecksum.of(file) } ?? WordChecksum.of(file)
    }
  }

  private struct Entry {
    var identity: Identity
    var index: JPEGScanIndex
  }

  /// In the order of their last uses.
  private let entries = Mutex<[Entry]>([])
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// The index of a file, from the cache or made now; `nil` when the closure gives none.
  func index<Failure: Error>(
    of identity: Identity, make: () throws(Failure) -> JPEGScanIndex?
  ) throws(Failure) -> JPEGScanIndex? {
    let known = entries.withLock { entries -> JPEGScanIndex? in
      guard let place = entries.firstIndex(where: { $0.identity == identity }) else { return nil }
      let entry = entries.remove(at: place)
      entries.append(entry)
      return entry.index
    }
    if let known { return known }
    guard let index = try make() else { return nil }
    entries.withLock { entries in
      entries.removeAll { $0.identity == identity }
      if entries.count >= limit { entries.removeFirst() }
      entries.append(Entry(identity: identity, index: index))
    }
    return index
  }
}
