/// How far the entries of a partition have been looked at for one that may go.
struct PartitionCursor {
  /// The age and the salt of the segment, and where the next record begins.
  var age: UInt64 = 0
  var salt: UInt64 = 0
  var position = SegmentHeader.byteCount
}

// A partition over its capacity loses what was written longest ago and not used since. An entry that was used gets
// another turn (CLOCK, Corbató 1969), where it is.
extension SegmentStore {
  /// Removes entries of a partition until it keeps its capacity, but not the one with the sequence number `latest`.
  ///
  /// - Complexity: a cursor goes through the segments from the oldest to the newest and round again, so that each record
  ///   is looked at once for each time that the partition is filled anew.
  func enforceCapacity(ofPartition number: Int, keeping latest: UInt64? = nil, _ writer: inout Writer) {
    var laps = 0
    while index.withLock({ Self.isOver($0.partitions[number]) }) {
      if let victim = nextVictim(inPartition: number, keeping: latest, &laps, &writer) {
        removeEntry(victim, evicting: true, &writer)
      } else {
        // Nothing is left to go: the sums are wrong.
        return index.withLock { $0.recount() }
      }
    }
  }

  /// Removes the least recently used entries of a partition until it keeps its capacity.
  ///
  /// - Complexity: O(entries × log entries), for a capacity that was lowered.
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

  /// The next entry that may go; nil after two laps.
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

  /// The segment at which a cursor stands, or the next younger one.
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
