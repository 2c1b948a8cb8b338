import OzuSynchronization

/// An open segment. Its file is closed when the last reader lets go, so a fetch that found an entry can
/// read it even while the segment is being removed.
final class SegmentFile: Sendable {
  let name: String
  let number: UInt64
  let salt: UInt64
  let file: any OpenFile
  /// The file in memory as far as someone asked for it. Segments only grow, except that a cut takes what no index
  /// refers to, so what was mapped and referred to stays readable for as long as the mapping is held.
  private let mapping = Mutex<FileBytes?>(nil)

  init(name: String, header: SegmentHeader, file: any OpenFile) {
    self.name = name
    number = header.number
    salt = header.salt
    self.file = file
  }

  /// The file's first bytes, at least up to `end`; nil where files cannot be mapped.
  func mapped(to end: Int) -> FileBytes? {
    mapping.withLock { mapping in
      if let mapping, mapping.bytes.count >= end { return mapping }
      // Beyond the end of the file a mapping costs addresses only, and spares mapping anew while the file grows.
      mapping = file.map(byteCount: (end / Self.mappedUnit + 1) * Self.mappedUnit)
      return mapping
    }
  }

  private static let mappedUnit = 8 << 20

  /// The index keeps offsets in 32 bits, in units of eight bytes. No segment of ours comes near: this one is forged.
  static let largestByteCount = 1 << 35

  /// The bytes of the file.
  func byteCount() throws(DiskCacheError) -> Int { min(try file.byteCount(), Self.largestByteCount) }

  /// Opens a segment; nil if its header is damaged or of another version, or if no segment is so large.
  static func open(
    _ name: String, in directory: String, for access: FileAccess, of fileSystem: any FileSystem
  ) throws(DiskCacheError) -> SegmentFile? {
    let file = try fileSystem.open(directory + "/" + name, for: access)
    var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
    let count = try bytes.read(from: file, at: 0)
    let header = bytes.withUnsafeBytes { SegmentHeader(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    guard let header, header.fileName == name, try file.byteCount() < largestByteCount else { return nil }
    return SegmentFile(name: name, header: header, file: file)
  }

  /// What a scan found.
  struct ScannedEntry {
    let header: EntryHeader
    let partition: Partition
    let offset: Int
  }

  /// Reads the entry headers from `start` up to `end`, calls `visit` with each whole record and returns where
  /// the last one ends. The scan stops at the first header that is damaged or whose record is not all there.
  ///
  /// - Complexity: one read per entry, or per four kilobytes of small entries.
  func scan(
    from start: Int, to end: Int, visit: (ScannedEntry) -> Void
  ) throws(DiskCacheError) -> Int {
    var window = [UInt8](repeating: 0, count: 4096)
    var windowStart = start
    var windowLength = 0
    var offset = start
    while offset + EntryHeader.byteCount <= min(end, Self.largestByteCount) {
      let wanted = min(end - offset, EntryHeader.maximumByteCountWithName)
      if offset + wanted > windowStart + windowLength || offset < windowStart {
        windowStart = offset
        windowLength = try window.read(from: file, at: offset)
      }
      let available = windowStart + windowLength - offset
      guard available >= EntryHeader.byteCount else { break }
      let entry = window.withUnsafeBytes { bytes -> ScannedEntry? in
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[(offset - windowStart)..<windowLength])
        guard let header = EntryHeader(bytes, salt: salt) else { return nil }
        let name = bytes[EntryHeader.byteCount..<header.labelOffset]
        let partition = Partition(String(decoding: name, as: UTF8.self))
        return ScannedEntry(header: header, partition: partition, offset: offset)
      }
      guard let entry, entry.header.recordLength <= end - offset else { break }
      visit(entry)
      offset += entry.header.recordLength
    }
    return offset
  }
}

extension Array where Element == UInt8 {
  /// Fills the array from a file and returns how many bytes there were.
  mutating func read(from file: any OpenFile, at offset: Int) throws(DiskCacheError) -> Int {
    // `withUnsafeMutableBytes` carries no typed error.
    let result = withUnsafeMutableBytes { bytes -> Result<Int, DiskCacheError> in
      do throws(DiskCacheError) {
        return .success(try file.read(into: bytes, at: offset))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
