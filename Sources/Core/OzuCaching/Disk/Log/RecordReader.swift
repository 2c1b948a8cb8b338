import OzuBase

/// One whole record in memory, with verified checksums.
struct Record: ~Copyable {
  var header: EntryHeader
  /// Copied and verified together with the header, because the writer may write another area and later this one.
  let metadata: Data
  fileprivate let owner: FileBytes

  var label: String? {
    header.labelLength == 0
      ? nil : String(decoding: owner.bytes[header.labelOffset..<header.areasOffset], as: UTF8.self)
  }

  /// Encodes the header for another place, in front of the unchanged rest.
  mutating func withEncoded(seed: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
    header.encode(into: owner.bytes, seed: seed)
    body(UnsafeRawBufferPointer(owner.bytes))
  }

  /// The body, without a copy: the data keeps the record's bytes alive.
  consuming func takeBody() -> Data {
    let owner = owner
    guard header.bodyLength > 0, let base = owner.bytes.baseAddress else { return Data() }
    // The record was consumed, so Data is the only owner of the bytes, and it frees them after the last use.
    return Data(
      bytesNoCopy: base + header.bodyOffset, count: header.bodyLength,
      deallocator: .custom { _, _ in withExtendedLifetime(owner) {} })
  }
}

enum RecordReader {
  enum Result: ~Copyable {
    case record(Record)
    /// Removed or superseded after the index was searched.
    case dead
    case corrupt
    /// An intact record of another key, partition or time of writing: the index is wrong, not the record.
    case misplaced
  }

  /// Reads a record and verifies all of it.
  static func read(_ location: SegmentIndex.Location) throws(DiskCacheError) -> Result {
    try read(location, length: location.length, checksBody: true)
  }

  /// Reads a record without its body, and verifies this part.
  static func readHead(_ location: SegmentIndex.Location) throws(DiskCacheError) -> Result {
    try read(location, length: location.headLength, checksBody: false)
  }

  private static func read(
    _ location: SegmentIndex.Location, length: Int, checksBody: Bool
  ) throws(DiskCacheError) -> Result {
    let owner = try FileBytes.allocate(length, for: location.file.name)
    guard try location.file.file.read(into: owner.bytes, at: location.offset) == length else {
      return .corrupt
    }
    return verify(owner, location, checksBody: checksBody)
  }

  /// Whether the header at this place is that of the record that the index expects, dead or alive.
  static func hasHeader(_ location: SegmentIndex.Location) -> Bool {
    var bytes = [UInt8](repeating: 0, count: EntryHeader.maximumByteCountWithName)
    guard let count = try? bytes.read(from: location.file.file, at: location.offset) else { return false }
    return bytes.withUnsafeBytes { bytes in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      return EntryHeader(bytes, seed: location.file.header.seed(at: location.offset)).map {
        matches($0, location, in: bytes)
      } ?? false
    }
  }

  /// Whether a header belongs to the record that the index expects, by all facts that the index has about it.
  private static func matches(
    _ header: EntryHeader, _ location: SegmentIndex.Location, in bytes: UnsafeRawBufferPointer
  ) -> Bool {
    guard header.key == location.key, header.sequence == location.sequence,
      header.recordLength == location.length, header.bodyOffset == location.headLength
    else { return false }
    let name = bytes[EntryHeader.byteCount..<header.labelOffset]
    return Partition(String(decoding: name, as: UTF8.self)) == location.partition
  }

  private static func verify(
    _ owner: FileBytes, _ location: SegmentIndex.Location, checksBody: Bool
  ) -> Result {
    let readable = UnsafeRawBufferPointer(owner.bytes)
    guard let header = EntryHeader(readable, seed: location.file.header.seed(at: location.offset)) else {
      return .corrupt
    }
    guard matches(header, location, in: readable) else { return .misplaced }
    guard header.isLive else { return .dead }
    let label = UnsafeRawBufferPointer(rebasing: readable[header.labelOffset..<header.areasOffset])
    let areas = UnsafeRawBufferPointer(rebasing: readable[header.areasOffset..<header.bodyOffset])
    guard Checksum64.of(label, seed: 0) == header.labelChecksum,
      let metadata = header.areas.metadata(of: header.generation, in: areas, key: header.key)
    else { return .corrupt }
    if checksBody {
      let body = UnsafeRawBufferPointer(
        rebasing: readable[header.bodyOffset..<header.bodyOffset + header.bodyLength])
      guard Checksum64.of(body, seed: 0) == header.bodyChecksum else { return .corrupt }
    }
    return .record(Record(header: header, metadata: metadata, owner: owner))
  }
}

/// Bytes of a file in memory. They are freed with the last reference.
final class FileBytes: @unchecked Sendable {
  // Unchecked: the bytes are written only by their one owner.
  let bytes: UnsafeMutableRawBufferPointer

  private init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  deinit { free(bytes.baseAddress) }

  /// Allocates uninitialized memory for bytes of a file.
  ///
  /// The length may come from a forged file, so a failed allocation is an error and not a trap.
  static func allocate(_ count: Int, for path: String) throws(DiskCacheError) -> FileBytes {
    guard let base = malloc(max(count, 1)) else { throw DiskCacheError(.read, path: path, code: ENOMEM) }
    return FileBytes(UnsafeMutableRawBufferPointer(start: base, count: count))
  }
}
