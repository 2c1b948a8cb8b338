import OzuBase

/// An open segment. Its file is closed with the last reference, so a fetch that found an entry can read it even
/// while the segment is being removed.
final class SegmentFile: Sendable {
  let name: String
  let header: SegmentHeader
  /// Whether one bit of the header in the file was wrong.
  let isHeaderDamaged: Bool
  let file: any OpenFile
  /// The mapped part of the file. Segments only grow, except that truncation removes bytes that no index refers to.
  /// So bytes that an index refers to stay readable as long as the mapping exists.
  private let mapping = Mutex<FileBytes?>(nil)

  init(name: String, header: SegmentHeader, isHeaderDamaged: Bool = false, file: any OpenFile) {
    self.name = name
    self.header = header
    self.isHeaderDamaged = isHeaderDamaged
    self.file = file
  }

  var number: UInt64 { header.number }
  var salt: UInt64 { header.salt }

  /// The file's first bytes, at least up to `end`; nil if files cannot be mapped.
  func mapped(to end: Int) -> FileBytes? {
    mapping.withLock { mapping in
      if let mapping, mapping.bytes.count >= end { return mapping }
      // Mapping beyond the end of the file costs only addresses, and avoids new mappings while the file grows.
      mapping = file.map(byteCount: (end / Self.mappedUnit + 1) * Self.mappedUnit)
      return mapping
    }
  }

  private static let mappedUnit = 8 << 20

  /// The index stores offsets in 32 bits, in units of eight bytes. This program makes no segment of nearly that
  /// size, so a larger file is forged.
  static let largestByteCount = 1 << 35

  /// The bytes of the file.
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
