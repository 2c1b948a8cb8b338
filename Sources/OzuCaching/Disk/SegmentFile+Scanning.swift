extension SegmentFile {
  /// A record that a scan found.
  struct ScannedEntry {
    let header: EntryHeader
    let partition: Partition
    let offset: Int
  }

  /// How far a scan came.
  struct Scan {
    /// Where the last whole record ends.
    fileprivate(set) var end: Int
    /// No record begins between `end` and here.
    fileprivate(set) var searched: Int
    /// The places before `end` that have no record, because a header is damaged, and their bytes.
    fileprivate(set) var gapCount = 0
    fileprivate(set) var gapByteCount = 0
  }

  /// The bytes that one scan reads at most in search of records behind damaged headers. Segments are smaller, but for
  /// those of caches of many gigabytes.
  private static let searchLimit = 64 << 20

  /// Reads the entry headers from `start` up to `end`, and calls `visit` with each whole record.
  ///
  /// Behind a damaged header the scan goes on at the next place that has a header with the right checksum, which no
  /// body can have (`SegmentHeader.seed(at:)`), and a record that is all there. A segment may grow while it is
  /// scanned: a header that is being written looks damaged. The writer writes one record after the other, so when a
  /// later one is found, those before it are whole, and the header is read once more.
  ///
  /// - Parameters:
  ///   - searched: No record begins between `start` and here, by a former scan.
  ///   - limit: The records after which the scan ends.
  /// - Complexity: one read per entry, or per four kilobytes of small entries; every byte behind a damaged header is
  ///   looked at once. At no place more than a header is read.
  func scan(
    from start: Int, to end: Int, searched: Int = 0, limit: Int = .max, visit: (ScannedEntry) -> Void
  ) throws(DiskCacheError) -> Scan {
    var scan = Scan(end: start, searched: searched)
    var window = Window(byteCount: 4096)
    var offset = start
    var budget = Self.searchLimit
    var count = 0
    let end = min(end, Self.largestByteCount)
    while count < limit, offset + EntryHeader.byteCount <= end {
      if let entry = try entry(at: offset, to: end, &window) {
        count += 1
        visit(entry)
        offset += entry.header.recordLength
        scan.end = offset
        continue
      }
      guard header.knowsPlaces, budget > 0 else { break }
      let first = max(offset + 8, scan.searched)
      let search = try nextRecord(from: first, to: end, byteCount: budget)
      guard let next = search.found else {
        scan.searched = max(first, search.searched)
        break
      }
      budget -= next - first
      window = Window(byteCount: 4096)
      if try entry(at: offset, to: end, &window) != nil { continue }
      scan.gapCount += 1
      scan.gapByteCount += next - offset
      offset = next
    }
    return scan
  }

  /// The record at a place; nil if its header is damaged or it is not all there.
  private func entry(
    at offset: Int, to end: Int, _ window: inout Window
  ) throws(DiskCacheError) -> ScannedEntry? {
    let wanted = min(end - offset, EntryHeader.maximumByteCountWithName)
    try window.move(to: offset, byteCount: wanted, of: file)
    return window.withBytes(from: offset) { bytes in
      guard let header = EntryHeader(bytes, seed: header.seed(at: offset)),
        header.recordLength <= end - offset
      else { return nil }
      let name = bytes[EntryHeader.byteCount..<header.labelOffset]
      let partition = Partition(String(decoding: name, as: UTF8.self))
      return ScannedEntry(header: header, partition: partition, offset: offset)
    }
  }

  /// Searches for a whole record that begins at `start` or behind it, in at most `byteCount` bytes.
  ///
  /// - Returns: Where it begins, and up to where no record begins or will begin when more is written.
  private func nextRecord(
    from start: Int, to end: Int, byteCount: Int
  ) throws(DiskCacheError) -> (found: Int?, searched: Int) {
    var window = Window(byteCount: 64 << 10)
    var offset = start
    // A header whose record is not all there yet.
    var unfinished = Int.max
    let last = min(end - EntryHeader.byteCount, start + byteCount)
    while offset <= last {
      let wanted = min(end - offset, EntryHeader.maximumByteCountWithName)
      try window.move(to: offset, byteCount: wanted, of: file)
      var position = 0
      let found = window.withBytes(from: offset) { bytes -> Int? in
        // A header must be whole in the window, but for the last of the file.
        let least = offset + bytes.count < end ? EntryHeader.maximumByteCountWithName : EntryHeader.byteCount
        while position + least <= bytes.count, offset + position <= last {
          defer { position += 8 }
          guard bytes.integer(at: position, as: UInt32.self) == EntryHeader.magic else { continue }
          let place = offset + position
          let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
          guard let header = EntryHeader(rest, seed: header.seed(at: place)) else { continue }
          if header.recordLength <= end - place { return place }
          unfinished = min(unfinished, place)
        }
        return nil
      }
      if let found { return (found, found) }
      // The file is shorter than it was.
      if position == 0 { break }
      offset += position
    }
    // The last bytes may be the begin of a header that is being written.
    return (nil, min(offset, unfinished, max(start, end - EntryHeader.maximumByteCountWithName) & ~7))
  }

  /// Bytes of a file that were read together.
  private struct Window {
    private var bytes: [UInt8]
    private var start = 0
    private var count = 0

    init(byteCount: Int) { bytes = [UInt8](repeating: 0, count: byteCount) }

    /// Reads on from `offset` unless these bytes are there.
    mutating func move(to offset: Int, byteCount: Int, of file: any OpenFile) throws(DiskCacheError) {
      if offset >= start, offset + byteCount <= start + count { return }
      (start, count) = (offset, 0)
      count = try bytes.read(from: file, at: offset)
    }

    func withBytes<Result>(from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[(offset - start)..<count])) }
    }
  }
}
