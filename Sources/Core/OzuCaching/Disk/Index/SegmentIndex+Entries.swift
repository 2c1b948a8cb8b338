// Entries: finding, adding, moving and removing them.
extension SegmentIndex {
  func find(_ key: CacheKey, in partition: Int) -> Position? {
    let hash = pages.hash(key, partition: partition)
    guard let page = pages.page(of: hash), let position = page.find(key, partition: partition, hash: hash)
    else {
      return nil
    }
    return Position(page: page, number: pages.number(of: hash), position: position)
  }

  func location(of key: CacheKey, in partition: Int) -> Location? {
    guard let found = find(key, in: partition) else { return nil }
    let entry = found.page[found.position]
    guard let segment = segments[entry.segment] else { return nil }
    return Location(
      file: segment.file, key: entry.key, partition: partitions[partition].partition,
      partitionNumber: partition, segment: entry.segment, offset: entry.offset, length: entry.length,
      headLength: entry.headLength, sequence: entry.sequence, accessed: entry.accessed,
      isReferenced: entry.isReferenced)
  }

  func location(of key: CacheKey, in partition: Partition) -> Location? {
    number(of: partition).flatMap { location(of: key, in: $0) }
  }

  /// The position of the entry that was found at this location, if it is still there.
  func position(of location: Location) -> Position? {
    guard location.partitionNumber < partitions.count,
      let found = find(location.key, in: location.partitionNumber)
    else { return nil }
    let entry = found.page[found.position]
    return entry.sequence == location.sequence && entry.segment == location.segment ? found : nil
  }

  /// Whether the index still has the entry that was found at this location.
  func holds(_ location: Location) -> Bool { position(of: location) != nil }

  /// Adds a record and replaces an older one of the same key.
  ///
  /// - Returns: The former record, if it was superseded, and whether the new record is current. It is not if its sequence number is lower.
  func insert(
    _ header: EntryHeader, in partition: Int, segment: Int, offset: Int, isReferenced: Bool = false
  ) -> (superseded: Location?, isCurrent: Bool) {
    guard partition < Self.partitionLimit else { return (nil, false) }
    var superseded: Location?
    if let former = location(of: header.key, in: partition) {
      if former.sequence > header.sequence { return (nil, false) }
      superseded = former
      remove(former)
    }
    insert(
      IndexEntry(
        key: header.key, partition: partition, segment: segment, sequence: header.sequence,
        accessed: header.accessed, offset: offset, length: header.recordLength,
        headLength: header.bodyOffset, isReferenced: isReferenced))
    return (superseded, true)
  }

  /// Adds an entry for a key without an entry. Its page is in memory.
  func insert(_ entry: IndexEntry) {
    let hash = pages.hash(entry.key, partition: entry.partition)
    guard pages.page(of: hash) != nil else { return }
    if !pages.makeRoom(for: hash), let full = pages.page(of: hash) {
      let (victim, number) = (full[0], pages.number(of: hash))
      remove(Position(page: full, number: number, position: 0))
      partitions[victim.partition].evictions &+= 1
    }
    pages.insert(entry)
    count(entry, as: 1)
  }

  /// Removes an entry, if it is still there.
  func remove(_ location: Location) {
    if let found = position(of: location) { remove(found) }
  }

  private func remove(_ found: Position) {
    let entry = found.page[found.position]
    found.page.remove(found.position)
    pages.markDirty(found.number)
    count(entry, as: -1)
  }

  /// Removes the entries of segments that a page has.
  func removeEntries(ofSegments numbers: Set<Int>, inPage number: Int, evicting isEviction: Bool) -> Int {
    guard let page = pages[number] else { return 0 }
    var removed = 0
    for position in (0..<page.count).reversed() {
      let entry = page[position]
      guard numbers.contains(entry.segment) else { continue }
      if isEviction { partitions[entry.partition].evictions &+= 1 }
      remove(Position(page: page, number: number, position: position))
      removed += 1
    }
    return removed
  }

  func touch(_ found: Position, at date: Int64) {
    found.page.touch(found.position, at: date)
    pages.markDirty(found.number)
    guard recentlyUsed.count < Self.datesLimit else { return }
    let entry = found.page[found.position]
    recentlyUsed.append(Identity(key: entry.key, partition: entry.partition))
  }

  /// Records that an entry was copied to another place, under a new sequence number.
  func relocate(_ found: Position, to segment: Int, offset: Int, sequence: UInt64) {
    var entry = found.page[found.position]
    count(entry, as: -1)
    (entry.segment, entry.offset, entry.sequence, entry.isReferenced) = (segment, offset, sequence, false)
    found.page[found.position] = entry
    count(entry, as: 1)
    pages.markDirty(found.number)
  }

  func clearReference(_ found: Position) {
    found.page[found.position].isReferenced = false
    pages.markDirty(found.number)
  }

  /// The entries used since the last call, once each: of the first `datesLimit` uses.
  func takeRecentlyUsed() -> [Location] {
    var seen: Set<UInt64> = []
    let locations = recentlyUsed.compactMap { location(of: $0.key, in: $0.partition) }
      .filter { seen.insert($0.sequence).inserted }
    recentlyUsed.removeAll(keepingCapacity: true)
    return locations
  }
}

// Segments: their sizes, and their live entries.
extension SegmentIndex {
  /// Adds a segment and returns its number in this index.
  func add(_ file: SegmentFile, size: Int, age: UInt64) -> Int {
    let segment = Segment(file: file, size: size, scanned: min(size, SegmentHeader.byteCount), age: age)
    segmentByteCount += size
    let number = segments.firstIndex { $0 == nil } ?? segments.count
    if number < segments.count { segments[number] = segment } else { segments.append(segment) }
    segmentNumbers[segment.storedNumber] = number
    return number
  }

  func setSize(_ size: Int, scanned: Int, ofSegment number: Int) {
    guard let old = segments[number]?.size else { return }
    segmentByteCount += size - old
    segments[number]?.size = size
    segments[number]?.scanned = scanned
  }

  /// Records the results of scanning a segment of this size.
  func enter(_ scan: SegmentFile.Scan, size: Int, ofSegment number: Int) {
    setSize(size, scanned: scan.end, ofSegment: number)
    segments[number]?.searched = scan.searched
    segments[number]?.unreadable += scan.gapByteCount
  }

  /// The segment that is removed first.
  func oldestSegment() -> Int? {
    segments.indices.lazy.filter { self.segments[$0] != nil }
      .min { self.segments[$0]?.age ?? .max < self.segments[$1]?.age ?? .max }
  }

  /// The location of the record at this offset of a segment, if it is the current record of its key.
  func location(of entry: SegmentFile.ScannedEntry, inSegment number: Int) -> Location? {
    guard let location = location(of: entry.header.key, in: entry.partition),
      location.segment == number, location.offset == entry.offset
    else { return nil }
    return location
  }

  func hasEntries(inSegment number: Int) -> Bool { segments[number].map { $0.live != 0 } ?? false }

  func removeEmptySegment(_ number: Int) {
    guard let segment = segments[number] else { return }
    segmentByteCount -= segment.size
    segments[number] = nil
    if segmentNumbers[segment.storedNumber] == number { segmentNumbers[segment.storedNumber] = nil }
  }
}
