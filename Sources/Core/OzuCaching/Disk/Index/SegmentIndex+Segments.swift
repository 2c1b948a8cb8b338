// Segments: their sizes, and their live entries.
extension SegmentIndex {
  /// Adds a segment and returns its number in this index.
  func add(_ file: SegmentFile, size: Int, age: UInt64) -> Int {
    let segment = Segment(file: file, size: size, scanned: min(size, SegmentHeader.byteCount), age: age)
    segmentByteCount += size
    if let hole = segments.firstIndex(where: { $0 == nil }) {
      segments[hole] = segment
      segmentNumbers[segment.storedNumber] = hole
      return hole
    }
    segments.append(segment)
    segmentNumbers[segment.storedNumber] = segments.count - 1
    return segments.count - 1
  }

  /// Records the size of a segment.
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
    var oldest: (number: Int, age: UInt64)?
    for number in segments.indices {
      guard let own = segments[number]?.age, own < oldest?.age ?? .max else { continue }
      oldest = (number, own)
    }
    return oldest?.number
  }

  /// The location of the record at this offset of a segment, if it is the current record of its key.
  func location(of entry: SegmentFile.ScannedEntry, inSegment number: Int) -> Location? {
    guard let location = location(of: entry.header.key, in: entry.partition),
      location.segment == number, location.offset == entry.offset
    else { return nil }
    return location
  }

  func hasEntries(inSegment number: Int) -> Bool { segments[number].map { $0.live != 0 } ?? false }

  /// Removes a segment without entries from the index.
  func removeEmptySegment(_ number: Int) {
    guard let segment = segments[number] else { return }
    segmentByteCount -= segment.size
    segments[number] = nil
    if segmentNumbers[segment.storedNumber] == number { segmentNumbers[segment.storedNumber] = nil }
  }
}
