// Segments: how far they reach, what is alive in them, and their entries.
extension SegmentIndex {
  /// Enters a segment and returns its number here.
  func add(_ file: SegmentFile, size: Int, age: UInt64) -> Int {
    let segment = Segment(file: file, size: size, scanned: min(size, SegmentHeader.byteCount), age: age)
    totalByteCount += size
    if let hole = segments.firstIndex(where: { $0 == nil }) {
      segments[hole] = segment
      return hole
    }
    segments.append(segment)
    return segments.count - 1
  }

  /// Enters how far a segment reaches.
  func setSize(_ size: Int, scanned: Int, ofSegment number: Int) {
    guard let old = segments[number]?.size else { return }
    totalByteCount += size - old
    segments[number]?.size = size
    segments[number]?.scanned = scanned
  }

  /// Enters what a scan found out about a segment of this size.
  func enter(_ scan: SegmentFile.Scan, size: Int, ofSegment number: Int) {
    setSize(size, scanned: scan.end, ofSegment: number)
    segments[number]?.searched = scan.searched
    segments[number]?.unreadable += scan.gapByteCount
  }

  func setAge(_ age: UInt64, ofSegment number: Int) {
    segments[number]?.age = age
  }

  /// The slots in a segment.
  func slots(inSegment number: Int) -> [Int] {
    segments[number].map { slots(from: $0.first, live: $0.live, inSegment: number) } ?? []
  }

  /// The slots of the list that begins with `first`, and has `live` bytes.
  func slots(from first: Int32, live: Int, inSegment number: Int) -> [Int] {
    var result: [Int] = []
    var byteCount = 0
    var next = first
    while next >= 0 {
      result.append(Int(next))
      byteCount += slots[Int(next)].length
      next = slots[Int(next)].nextInSegment
    }
    guard byteCount != live else { return result }
    // A stored index can have entries that are linked to each other and not to the list.
    return slots.indices.filter { slots[$0].partition >= 0 && Int(slots[$0].segment) == number }
  }

  /// Forgets a segment with all entries in it.
  func removeSegment(_ number: Int) {
    for index in slots(inSegment: number) { remove(index) }
    totalByteCount -= segments[number]?.size ?? 0
    segments[number] = nil
  }

  func linkToSegment(_ index: Int) {
    let number = Int(slots[index].segment)
    let head = segments[number]?.first ?? -1
    slots[index].previousInSegment = -1
    slots[index].nextInSegment = head
    if head >= 0 { slots[Int(head)].previousInSegment = Int32(index) }
    segments[number]?.first = Int32(index)
    segments[number]?.live += slots[index].length
  }

  func unlinkFromSegment(_ index: Int) {
    let number = Int(slots[index].segment)
    let (previous, next) = (slots[index].previousInSegment, slots[index].nextInSegment)
    if previous >= 0 { slots[Int(previous)].nextInSegment = next } else { segments[number]?.first = next }
    if next >= 0 { slots[Int(next)].previousInSegment = previous }
    segments[number]?.live -= slots[index].length
  }
}
