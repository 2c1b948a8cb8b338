/// Decides which entries leave the cache, and when: to keep the capacities and the ages, and to give back dead space.
///
/// Design. When the files come near the capacity, the oldest segment is emptied and removed; entries that were used
/// since they were written are first copied to the end of the log, up to half the segment. When the share of live
/// entries is too small, the segment with the largest dead share is rewritten. Both cost a constant per stored byte, and
/// each store does a part of the work (`nextStep`). A partition over its own capacity loses its least recently used
/// entries one by one (`nextVictim`). Expired entries that nobody looks up are found by passes over the headers
/// (`someExpired`).
///
/// This value decides; the store acts. It owns the capacity, the segment that is being emptied, the candidates of each
/// partition and the pass over the ages. The lock of the writer guards it. It takes the lock of the index briefly, and
/// reads segments and pages without it.
struct Eviction {
  var capacity: Int
  /// The number of bytes to which the cache was trimmed, until something is stored.
  private var trimmedByteCount: Int?
  var drain: Drain?
  /// The entries to evict next, by partition; the least recently used one is the last.
  var candidates: [Int: [IndexEntry]] = [:]
  /// The progress of the search for expired entries.
  var agePass = AgePass()
  let context: StoreContext

  var index: LiveIndex { context.index }

  init(_ context: StoreContext) {
    self.context = context
    capacity = max(0, context.configuration.capacity)
  }

  /// Forgets all plans, because the directory is read again.
  mutating func reset() {
    drain = nil
    candidates = [:]
  }

  // MARK: Limits

  /// The most bytes that all files may have: the capacity, or less after the cache was trimmed.
  var limit: Int { min(capacity, trimmedByteCount ?? .max) }

  mutating func noteTrim(toByteCount limit: Int) {
    trimmedByteCount = min(trimmedByteCount ?? .max, max(0, limit))
  }

  /// Records that an entry is stored, or that the cache was opened: the whole capacity may be used again.
  mutating func endTrim() { trimmedByteCount = nil }

  /// Whether an entry of `length` bytes may be stored in a partition with this number and this capacity.
  func fits(_ length: Int, inPartition number: Int, limit: Int) -> Bool {
    length + 2 * SegmentHeader.byteCount <= capacity && (limit == 0 || length <= limit)
      && length < 1 << 34 && number < SegmentIndex.partitionLimit
  }

  /// A 32nd of the capacity, between 64 KB and 32 MB, but at most a quarter of the capacity, and large enough that
  /// a cache of less than 512 GB needs at most 128 files.
  var segmentSize: Int {
    let usual = min(max(capacity / 32, 64 << 10), 32 << 20)
    return min(max(min(max(usual, capacity / 128), capacity / 4), 4 << 10), 4 << 30)
  }

  /// The most bytes that an offer may have: a 64th of the capacity, at most half a segment. Nil if that is too
  /// little.
  var offerByteCount: Int? {
    let byteCount = min(segmentSize / 2, capacity / 64, OfferFile.largestByteCount) & ~7
    return byteCount >= OfferFile.smallestByteCount ? byteCount : nil
  }

  /// Whether a record of `length` bytes fits under the capacity, together with the header of a new segment and the pages
  /// that it may add to the index.
  func hasRoom(for length: Int) -> Bool {
    let (reserved, isStored) = index.withLock { ($0.reservedByteCount, $0.isStored) }
    return reserved <= capacity - length - SegmentHeader.byteCount - (isStored ? IndexFile.slack : 0)
  }

  // MARK: The segment to compact

  /// The segment with the largest dead share, if the segments have more than five quarters of the live entries'
  /// bytes; a quarter of a segment is not counted.
  func segmentToCompact(_ log: borrowing SegmentLog) -> Int? {
    let slack = segmentSize
    let isDue = index.withLock { index in
      index.segmentByteCount - slack / 4 > index.liveByteCount &+ index.liveByteCount / 4
    }
    return isDue ? emptiestSegment { log.isActive($0) } : nil
  }

  func emptiestSegment(except isSpared: (Int) -> Bool = { _ in false }) -> Int? {
    index.withLock { index in
      func deadShare(_ number: Int) -> Double {
        index.segments[number].map { Double($0.dead) / Double($0.size) } ?? 0
      }
      return index.segments.indices.filter { !isSpared($0) && deadShare($0) > 0 }
        .max { deadShare($0) < deadShare($1) }
    }
  }

  /// Whether a segment can be copied while all files have at most `limit` bytes.
  func canCopy(_ number: Int, under limit: Int) -> Bool {
    let copied = index.withLock { $0.segments[number].map { $0.live + SegmentHeader.byteCount } ?? 0 }
    return hasRoomForCopy(of: copied, under: limit)
  }
}

// Keeps the capacity of a partition: evicts its least recently used entries.
//
// The entries are not linked in the order of use. A walk over the pages of the index finds the 32nd part of the
// partition that was used the longest ago; these entries are evicted one by one, except those that were used or
// replaced since. Entries that are used or stored after the walk are younger than all that it found, so the order is
// exact. When none is left, the next walk follows.
extension Eviction {
  /// The entry that a partition over its capacity loses next, but not the one with the sequence number `latest`. Nil if
  /// the capacity holds.
  ///
  /// - Complexity: about 32 entries of a page are compared for each evicted one; more if the partition has a small part
  ///   of the cache's entries.
  mutating func nextVictim(ofPartition number: Int, keeping latest: UInt64?) -> SegmentIndex.Location? {
    while isOverCapacity(number) {
      guard let candidate = candidates[number]?.popLast() else {
        let found = leastRecentlyUsed(ofPartition: number, except: latest)
        guard !found.isEmpty else {
          // Nothing is left to evict, so the sums are wrong.
          index.recount()
          return nil
        }
        candidates[number] = found
        continue
      }
      let location = index.withLock { $0.location(of: candidate.key, in: number) }
      if let location, location.accessed == candidate.accessed, location.sequence != latest {
        return location
      }
    }
    return nil
  }

  private func isOverCapacity(_ number: Int) -> Bool {
    let state = index.withLock { $0.partitions[number] }
    let capacity = context.capacity(of: state.partition)
    return capacity > 0 && state.byteCount > capacity
  }

  /// The 32nd part of a partition's entries that was used the longest ago; the least recently used one is the last.
  private func leastRecentlyUsed(ofPartition number: Int, except latest: UInt64?) -> [IndexEntry] {
    let date = context.now()
    let limit = max(64, index.withLock { $0.partitions[number].count } / 32)
    var candidates: [IndexEntry] = []
    candidates.reserveCapacity(2 * limit + IndexPage.capacity)
    var leastAge: UInt64 = 0
    index.forEachPage { index, pageNumber in
      guard let page = index.pages[pageNumber] else { return }
      for position in 0..<page.count {
        let entry = page[position]
        guard entry.partition == number, entry.age(at: date) >= leastAge, entry.sequence != latest else {
          continue
        }
        candidates.append(entry)
      }
    } between: {
      guard candidates.count >= 2 * limit else { return }
      candidates.sort { $0.wasUsed(before: $1, at: date) }
      candidates.removeLast(candidates.count - limit)
      leastAge = candidates.last?.age(at: date) ?? 0
    }
    candidates.sort { $1.wasUsed(before: $0, at: date) }
    return candidates
  }
}
