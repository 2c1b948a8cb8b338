// Keeps the capacities: evicts entries, and rewrites segments to give back dead space.
extension SegmentStore {
  /// Removes the oldest segments until a record of `length` bytes fits under the capacity, together with the pages
  /// that it may add to the index.
  func makeRoom(for length: Int, _ writer: inout Writer) throws(DiskCacheError) {
    decideStoring(&writer)
    // A record may need a new segment, whose header counts too.
    let slack = SegmentHeader.byteCount + (index.withLock { $0.isStored } ? Self.indexSlack : 0)
    while reservedByteCount > writer.capacity - length - slack {
      if try evictOldestSegment(&writer) { continue }
      guard removeOffers(&writer) else { return }
    }
  }

  /// The bytes of all files, plus the bytes that the stored index will need and that offers may still take.
  var reservedByteCount: Int { index.withLock { $0.reservedByteCount } }

  /// The segment with the largest dead share, if the segments have more than five quarters of the live entries'
  /// bytes; a quarter of a segment is not counted.
  func segmentToCompact(_ writer: borrowing Writer) -> Int? {
    let slack = segmentSize(for: writer.capacity)
    let active = writer.active
    return index.withLock { index -> Int? in
      guard index.segmentByteCount - slack / 4 > index.liveByteCount &+ index.liveByteCount / 4 else {
        return nil
      }
      return Self.emptiest(of: index, except: active)
    }
  }

  /// Rewrites the segment with the largest dead share, if that is due.
  func compactIfDue(_ writer: inout Writer) throws(DiskCacheError) {
    if writer.drain == nil, let victim = segmentToCompact(writer) { try compact(victim, &writer) }
  }

  private static func emptiest(of index: SegmentIndex, except active: Int?) -> Int? {
    var best: (number: Int, share: Double)?
    for number in index.segments.indices where number != active {
      guard let segment = index.segments[number], segment.dead > 0 else { continue }
      let share = Double(segment.dead) / Double(segment.size)
      if share > best?.share ?? 0 { best = (number, share) }
    }
    return best?.number
  }

  /// Removes the least recently used entries and rewrites segments until the files have at most `limit` bytes.
  func trim(toByteCount limit: Int, _ writer: inout Writer) throws(DiskCacheError) {
    guard index.withLock({ $0.totalByteCount + $0.unusedOfferByteCount }) > max(0, limit) else { return }
    adoptOffers(&writer)
    if writer.offers.limit > limit / 4 { removeOffers(&writer) }
    let limit = limit - writer.offers.limit
    let (before, highest) = (
      writer.trimmedByteCount, max(writer.capacity, index.withLock { $0.totalByteCount })
    )
    writer.trimmedByteCount = min(before ?? .max, max(0, limit))
    decideStoring(&writer)
    readAllPages(&writer)
    // Begins with the least recently used entry. The index needs fewer pages for fewer entries once it is stored
    // again.
    let entries = index.entriesByAccess()
    var rest = entries[...]
    while true {
      let (total, live, indexByteCount) = index.withLock { index in
        let headers = index.segments.count(where: { $0 != nil }) * SegmentHeader.byteCount
        let stored = index.isStored ? index.neededByteCount : 0
        return (index.segmentByteCount + stored, index.liveByteCount + headers + stored, stored)
      }
      guard total > max(0, limit) else { break }
      if live <= limit,
        let emptiest = index.withLock({ index in
          Self.emptiest(of: index, except: nil).flatMap { number in
            let copied = index.segments[number].map { $0.live + SegmentHeader.byteCount } ?? 0
            return index.reservedByteCount + copied + SegmentHeader.byteCount <= highest ? number : nil
          }
        })
      {
        try compact(emptiest, limit: highest, &writer)
      } else if let entry = rest.popLast() {
        let location = index.withLock { $0.location(of: entry.key, in: entry.partition) }
        if let location, location.sequence == entry.sequence {
          removeEntry(location, evicting: true, &writer)
        }
        if indexByteCount > 0, rest.count % 64 == 0 { shrinkIndexIfSparse(&writer) }
      } else {
        // Only files without entries are left.
        try removeAllSegments(&writer)
        removeStoredIndex(&writer)
        return
      }
    }
    shrinkIndexIfSparse(&writer)
    if index.withLock({ $0.segmentByteCount + $0.storedByteCount }) > limit { removeStoredIndex(&writer) }
  }

  /// Builds the pages again if most of them are nearly empty.
  private func shrinkIndexIfSparse(_ writer: inout Writer) {
    let isSparse = index.withLock { index in
      index.pages.count > 1 && index.count < index.pages.count * IndexPage.capacity / 4
    }
    guard isSparse else { return }
    removeStoredIndex(&writer)
    index.rebuildPages()
    decideStoring(&writer)
  }

  func removeAllSegments(_ writer: inout Writer) throws(DiskCacheError) {
    writer.drain = nil
    index.readAllPages()
    let files = index.withLock { index in
      index.segments.enumerated().compactMap { number, segment in segment.map { (number, $0.file) } }
    }
    var removed: Set<Int> = []
    var failure: DiskCacheError?
    for (number, file) in files {
      do throws(DiskCacheError) {
        try removeFile(of: file, &writer)
        removed.insert(number)
      } catch {
        failure = error
      }
    }
    writer.active = nil
    index.removeSegments(Array(removed))
    if let failure { throw failure }
    removeStoredIndex(&writer)
    index.rebuildPages()
  }
}
