/// The progress of the search for entries of a partition to evict.
struct PartitionCursor {
  /// The age and the salt of the segment, and the offset of the next record.
  var age: UInt64 = 0
  var salt: UInt64 = 0
  var position = SegmentHeader.byteCount
}

// Keeps the capacity of a partition: evicts the entries that were written longest ago and not used since. An entry
// that was used is spared once and stays in place (CLOCK, Corbató 1969).
extension SegmentStore {
  /// Evicts entries of a partition until its capacity holds, except the entry with the sequence number `latest`.
  ///
  /// - Complexity: a cursor moves through the segments from the oldest to the newest, again and again. It reads
  ///   each record once per time that the partition is filled.
  func enforceCapacity(ofPartition number: Int, keeping latest: UInt64? = nil, _ writer: inout Writer) {
    var laps = 0
    while index.withLock({ Self.isOver($0.partitions[number]) }) {
      if let victim = nextVictim(inPartition: number, keeping: latest, &laps, &writer) {
        removeEntry(victim, evicting: true, &writer)
      } else {
        // Nothing is left to evict, so the sums are wrong.
        return index.withLock { $0.recount() }
      }
    }
  }

  /// Evicts the least recently used entries of a partition until its capacity holds.
  ///
  /// - Complexity: O(entries × log entries), called when a capacity is lowered.
  func evictLeastRecentlyUsed(inPartition number: Int, _ writer: inout Writer) {
    guard index.withLock({ Self.isOver($0.partitions[number]) }) else { return }
    let entries = index.withLock { $0.entriesByAccess(in: $0.partitions[number].partition) }
    for entry in entries.reversed() {
      let location = index.withLock { index in
        Self.isOver(index.partitions[number]) ? index.location(of: entry.key, in: number) : nil
      }
      guard let location else { return }
      removeEntry(location, evicting: true, &writer)
    }
  }

  private static func isOver(_ state: SegmentIndex.PartitionState) -> Bool {
    state.capacity > 0 && state.byteCount > state.capacity
  }

  /// The next entry to evict; nil after three laps.
  private func nextVictim(
    inPartition number: Int, keeping latest: UInt64?, _ laps: inout Int, _ writer: inout Writer
  ) -> SegmentIndex.Location? {
    var cursor = writer.partitionCursors[number] ?? PartitionCursor()
    defer { writer.partitionCursors[number] = cursor }
    while laps < 3 {
      guard let (segment, state) = segment(at: &cursor) else {
        laps += 1
        cursor = PartitionCursor()
        continue
      }
      var found: [SegmentFile.ScannedEntry] = []
      var failed = false
      do throws(DiskCacheError) {
        _ = try state.file.scan(from: cursor.position, to: state.scanned, limit: 64) { found.append($0) }
      } catch {
        writer.errors.append(error)
        failed = true
      }
      for entry in found {
        cursor.position = entry.offset + entry.header.recordLength
        let victim = index.withLock { index -> SegmentIndex.Location? in
          guard let location = index.location(of: entry, inSegment: segment),
            location.partitionNumber == number, location.sequence != latest
          else { return nil }
          guard location.isReferenced, let position = index.position(of: location) else { return location }
          index.clearReference(position)
          return nil
        }
        if let victim { return victim }
      }
      if failed || found.count < 64 {
        cursor = PartitionCursor(age: state.age + 1)
      }
    }
    return nil
  }

  /// The segment at the cursor, or the next younger one.
  private func segment(at cursor: inout PartitionCursor) -> (number: Int, state: SegmentIndex.Segment)? {
    let found = index.withLock { index in
      index.oldestSegment(from: cursor.age).flatMap { number in index.segments[number].map { (number, $0) } }
    }
    if let found, found.1.file.salt != cursor.salt {
      cursor = PartitionCursor(age: found.1.age, salt: found.1.file.salt)
    }
    return found.map { (number: $0.0, state: $0.1) }
  }
}
