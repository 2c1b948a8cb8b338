// Keeping the capacities: what leaves, what is copied to stay, and what is rewritten to give back dead space.
extension SegmentStore {
  /// Removes the oldest segments until a record of `length` bytes fits under the capacity.
  func makeRoom(for length: Int, _ writer: inout Writer) throws(DiskCacheError) {
    // A record may need a new segment, whose header counts too.
    let wanted = writer.capacity - length - SegmentHeader.byteCount - writer.spilledByteCount
    while index.withLock({ $0.totalByteCount }) > wanted {
      guard try evictOldestSegment(&writer) else { return }
    }
  }

  /// Removes the oldest segment. Entries in it that were used since they were written, the latest used first,
  /// are copied to the end of the log before, up to half the segment. A segment with one large entry that was
  /// used is not copied but gets another turn.
  ///
  /// - Returns: Whether there was one to remove.
  private func evictOldestSegment(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    let age = writer.nextNumber
    let victim = index.withLock { index -> (number: Int, used: [Int])? in
      while true {
        let oldest = index.segments.indices
          .filter { index.segments[$0] != nil }
          .min { index.segments[$0]!.age < index.segments[$1]!.age }
        guard let oldest, let segment = index.segments[oldest] else { return nil }
        let entries = index.slots(inSegment: oldest)
        if entries.count == 1, segment.dead == 0, oldest != writer.active,
          index.slots[entries[0]].isReferenced
        {
          index.clearReference(entries[0])
          index.setAge(age, ofSegment: oldest)
          continue
        }
        let used = entries.filter { index.slots[$0].isReferenced }
          .sorted { index.slots[$0].accessed > index.slots[$1].accessed }
        var kept = 0
        let affordable = used.prefix { slot in
          kept += index.slots[slot].length
          return kept <= segment.size / 2
        }
        return (oldest, Array(affordable))
      }
    }
    guard let victim else { return false }
    if writer.active == victim.number { writer.active = nil }
    // On a full disk nothing can be copied; giving up the entries is what makes room again.
    note(&writer) { (writer) throws(DiskCacheError) in try relocate(victim.used, &writer) }
    try removeSegment(victim.number, evicting: true, &writer)
    return true
  }

  /// Copies entries to the end of the log. Damaged ones are left behind.
  private func relocate(_ slots: [Int], _ writer: inout Writer) throws(DiskCacheError) {
    for slot in slots {
      guard let location = index.withLock({ $0.location(of: slot) }) else { continue }
      var record: Record
      switch try RecordReader.read(location) {
      case .record(let read):
        record = read
      case .dead:
        continue
      case .corrupt:
        counters.corruptEntries.increment()
        continue
      case .misplaced:
        counters.corruptEntries.increment()
        continue
      }
      let sequence = writer.nextSequence
      writer.nextSequence += 1
      record.header.sequence = sequence
      record.header.accessed = location.accessed
      let place = try append(length: location.length, &writer) { seed, write in
        record.withEncoded(seed: seed) { write([$0]) }
      }
      counters.relocations.increment()
      let isStillThere = index.withLock { index in
        guard index.holds(location) else { return false }
        index.relocate(slot, to: place.segment, offset: place.offset, sequence: sequence)
        return true
      }
      if !isStillThere, let file = index.withLock({ $0.segments[place.segment]?.file }) {
        kill(file, at: place.offset, &writer)
      }
    }
    // A copy must be safe before the original goes.
    if configuration.durability == .synced, !slots.isEmpty { try synchronize(&writer) }
  }

  /// Removes the least recently used entries of a partition until it keeps its capacity.
  func enforceCapacity(ofPartition number: Int, _ writer: inout Writer) {
    while true {
      let victim = index.withLock { index -> Int? in
        let state = index.partitions[number]
        guard state.capacity > 0, state.byteCount > state.capacity, state.oldest >= 0 else { return nil }
        return Int(state.oldest)
      }
      guard let victim else { return }
      removeEntry(victim, evicting: true, &writer)
    }
  }

  /// Rewrites the segment with the largest dead part if the files have more than five quarters of the live entries'
  /// bytes, apart from a quarter of a segment.
  func compactIfDue(_ writer: inout Writer) throws(DiskCacheError) {
    let slack = segmentSize(for: writer.capacity)
    let victim = index.withLock { index -> Int? in
      guard index.totalByteCount - slack / 4 > index.liveByteCount + index.liveByteCount / 4 else {
        return nil
      }
      return Self.emptiest(of: index, except: writer.active)
    }
    if let victim { try compact(victim, &writer) }
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

  private func compact(_ number: Int, _ writer: inout Writer) throws(DiskCacheError) {
    if writer.active == number { writer.active = nil }
    let entries = index.withLock { index in
      // From the oldest use to the newest, so that the copies age in that order.
      index.slots(inSegment: number).sorted { index.slots[$0].accessed < index.slots[$1].accessed }
    }
    try relocate(entries, &writer)
    try removeSegment(number, &writer)
    counters.compactions.increment()
  }

  /// Removes the least recently used entries and rewrites segments until the files have at most `limit` bytes.
  func trim(toByteCount limit: Int, _ writer: inout Writer) throws(DiskCacheError) {
    while true {
      let step = index.withLock { index -> (evict: Int?, compact: Int?)? in
        guard index.totalByteCount > max(0, limit) else { return nil }
        let headers = index.segments.count(where: { $0 != nil }) * SegmentHeader.byteCount
        if index.liveByteCount + headers <= limit, let emptiest = Self.emptiest(of: index, except: nil) {
          return (nil, emptiest)
        }
        return (index.leastRecentlyUsed, nil)
      }
      guard let step else { return }
      if let number = step.compact {
        try compact(number, &writer)
      } else if let slot = step.evict {
        removeEntry(slot, evicting: true, &writer)
      } else {
        // Only files without entries are left.
        try removeAllSegments(&writer)
        return
      }
    }
  }

  func removeAllSegments(_ writer: inout Writer) throws(DiskCacheError) {
    for number in index.withLock({ $0.segments.indices }) { try removeSegment(number, &writer) }
  }
}
