import OzuBase
import OzuImaging

/// Keeps the scan indices of the files from which parts were cut most recently, so that the next part needs no walk over
/// the whole file.
///
/// A file is identified by a checksum of all its bytes, or by the identity that the context of the decode has for it. The
/// cache keeps eight indices of a megabyte at most, and removes the one that was used the longest ago. An index is made
/// outside of the lock, so two threads may make the same one.
final class JPEGScanIndexCache: Sendable {
  /// The cache of the process.
  static let shared = JPEGScanIndexCache(limit: 8)

  /// The identity of a file, and everything that the places of an index depend on beside the data.
  ///
  /// Hostile files can have one checksum, and then share an index if they also have the same shape. Their parts then show wrong
  /// pixels or are decoded from the whole file. But every group of the picture has a place in the index, and no place is outside
  /// of the file, since shapes and lengths are equal.
  struct Identity: Hashable {
    var byteCount: Int
    var checksum: UInt64
    var columns: Int
    var rows: Int
    /// Where the data of the scan begin.
    var start: Int
    var restartInterval: Int
    /// How many blocks of each component a group has, in the order of the scan.
    var blockCounts: [Int]

    /// - Parameter known: the identity of the file if it has one already; it stores the checksum if it has none yet.
    init(
      _ file: UnsafeRawBufferPointer, _ known: FileIdentity? = nil, _ scan: JPEGSequentialScan,
      frame: ReducedJPEGFrame
    ) {
      byteCount = file.count
      checksum = known?.value { WordChecksum.of(file) } ?? WordChecksum.of(file)
      (columns, rows) = (frame.groupColumns, frame.groupRows)
      (start, restartInterval) = (scan.start.position, scan.restartInterval)
      blockCounts = scan.parts.map(\.blockCount)
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

  /// The index of a file, from the cache or made now; `nil` if the closure returns `nil`.
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
