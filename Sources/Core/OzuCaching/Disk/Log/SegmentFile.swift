import OzuBase

/// An open segment. Its file is closed with the last reference, so a fetch that found an entry can read it even
/// while the segment is being removed.
final class SegmentFile: Sendable {
  let name: String
  let header: SegmentHeader
  /// Whether one bit of the header in the file was wrong.
  let isHeaderDamaged: Bool
  let file: any OpenFile

  init(name: String, header: SegmentHeader, isHeaderDamaged: Bool = false, file: any OpenFile) {
    self.name = name
    self.header = header
    self.isHeaderDamaged = isHeaderDamaged
    self.file = file
  }

  var number: UInt64 { header.number }
  var salt: UInt64 { header.salt }

  /// The index stores offsets in 32 bits, in units of eight bytes. This program makes no segment of nearly that
  /// size, so a larger file is forged.
  static let largestByteCount = 1 << 35

  func byteCount() throws(DiskCacheError) -> Int { min(try file.byteCount(), Self.largestByteCount) }

  /// Opens a segment. Nil if more than one bit of its header is wrong, if it has another version, or if it is
  /// larger than any segment.
  static func open(
    _ name: String, in directory: String, for access: FileAccess, of fileSystem: any FileSystem
  ) throws(DiskCacheError) -> SegmentFile? {
    let file = try fileSystem.open(directory + "/" + name, for: access)
    var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
    let count = try bytes.read(from: file, at: 0)
    let (whole, repaired) = bytes.withUnsafeBytes { bytes in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      let whole = SegmentHeader(bytes)
      return (whole, whole == nil ? SegmentHeader(repairing: bytes) : nil)
    }
    guard let header = whole ?? repaired, [header.fileName, OfferFile.name(of: header)].contains(name),
      try file.byteCount() < largestByteCount
    else { return nil }
    return SegmentFile(name: name, header: header, isHeaderDamaged: whole == nil, file: file)
  }
}

extension Array where Element == UInt8 {
  /// Fills the array from a file, and returns the number of bytes read.
  mutating func read(from file: any OpenFile, at offset: Int) throws(DiskCacheError) -> Int {
    try withUnsafeMutableBytes { bytes in
      Result { () throws(DiskCacheError) in try file.read(into: bytes, at: offset) }
    }.get()
  }
}

extension SegmentFile {
  struct ScannedEntry {
    let header: EntryHeader
    let partition: Partition
    let offset: Int

    /// The place of the record in a file, under these numbers of an index.
    func location(in file: SegmentFile, segment: Int, partition number: Int) -> SegmentIndex.Location {
      SegmentIndex.Location(
        file: file, key: header.key, partition: partition, partitionNumber: number, segment: segment,
        offset: offset, length: header.recordLength, headLength: header.bodyOffset, sequence: header.sequence,
        accessed: header.accessed, isReferenced: false)
    }
  }

  struct Scan {
    /// The end of the last whole record.
    fileprivate(set) var end: Int
    /// Bytes from `end` up to here were searched and contain no record.
    fileprivate(set) var searched: Int
    /// The number of gaps before `end`, where a damaged header hides records, and their bytes.
    fileprivate(set) var gapCount = 0
    fileprivate(set) var gapByteCount = 0
  }

  /// The most bytes that one scan searches for records after damaged headers. Segments are smaller, except in
  /// caches of many gigabytes.
  private static let searchLimit = 64 << 20

  /// Reads the entry headers from `start` up to `end`, and calls `visit` with each whole record.
  ///
  /// After a damaged header, the scan continues at the next place with a whole record whose header has the right
  /// checksum. Bytes of a body never have one (`SegmentHeader.seed(at:)`). A segment may grow during the scan, and
  /// a header that is being written looks damaged. The writer writes one record after the other. So if a later
  /// record is found, the earlier ones are whole by now, and the header is read once more.
  ///
  /// - Parameters:
  ///   - searched: Up to here, a former scan found no record.
  ///   - limit: The number of records after which the scan ends.
  /// - Complexity: one read per entry, or per four kilobytes of small entries; every byte after a damaged header is
  ///   examined once. At each offset at most a header is read.
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

  /// The record at an offset; nil if its header is damaged or the record is not complete.
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

  /// Searches for a whole record that begins at `start` or later, within `byteCount` bytes.
  ///
  /// - Returns: The offset of the record, and the offset up to which no record begins, even if the segment grows.
  private func nextRecord(
    from start: Int, to end: Int, byteCount: Int
  ) throws(DiskCacheError) -> (found: Int?, searched: Int) {
    var window = Window(byteCount: 64 << 10)
    var offset = start
    // The first header whose record is not complete yet.
    var unfinished = Int.max
    let last = min(end - EntryHeader.byteCount, start + byteCount)
    while offset <= last {
      let wanted = min(end - offset, EntryHeader.maximumByteCountWithName)
      try window.move(to: offset, byteCount: wanted, of: file)
      var position = 0
      let found = window.withBytes(from: offset) { bytes -> Int? in
        // A header must be completely in the window, except the last one of the file.
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
      // The file became shorter meanwhile.
      if position == 0 { break }
      offset += position
    }
    // The last bytes may be the beginning of a header that is being written.
    return (nil, min(offset, unfinished, max(start, end - EntryHeader.maximumByteCountWithName) & ~7))
  }

  /// Bytes of a file that were read with one call.
  private struct Window {
    private var bytes: [UInt8]
    private var start = 0
    private var count = 0

    init(byteCount: Int) { bytes = [UInt8](repeating: 0, count: byteCount) }

    /// Reads bytes from `offset` on, unless they are in the window already.
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
