#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One whole record in memory, with verified checksums. It owns its bytes.
struct Record: ~Copyable {
  var header: EntryHeader
  private let bytes: UnsafeMutableRawBufferPointer

  fileprivate init(header: EntryHeader, owning bytes: UnsafeMutableRawBufferPointer) {
    self.header = header
    self.bytes = bytes
  }

  deinit { bytes.deallocate() }

  var partition: Partition { Partition(text(EntryHeader.byteCount, header.nameLength)) }

  var label: String? {
    header.labelLength == 0 ? nil : text(header.labelOffset, header.labelLength)
  }

  var metadata: Data {
    Data(bytes[header.metadataOffset..<header.bodyOffset])
  }

  private func text(_ offset: Int, _ length: Int) -> String {
    String(decoding: bytes[offset..<offset + length], as: UTF8.self)
  }

  /// Encodes the header anew, for another segment, in front of the unchanged rest.
  mutating func withEncoded(salt: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
    header.encode(into: bytes, salt: salt)
    body(UnsafeRawBufferPointer(bytes))
  }

  /// The body, without a copy: the record's bytes live as long as it does.
  consuming func takeBody() -> Data {
    let (bytes, start, count) = (self.bytes, header.bodyOffset, header.bodyLength)
    discard self
    guard count > 0, let base = bytes.baseAddress else {
      bytes.deallocate()
      return Data()
    }
    // The buffer was allocated by `RecordReader`, nobody else refers to it any more, and Data never writes to it
    // before it is the only owner, nor after it is freed.
    return Data(bytesNoCopy: base + start, count: count, deallocator: .custom { _, _ in bytes.deallocate() })
  }
}

enum RecordReader {
  enum Result: ~Copyable {
    case record(Record)
    /// Removed or superseded since its place was looked up.
    case dead
    case corrupt
  }

  /// Reads a record and verifies all of it.
  static func read(_ location: SegmentIndex.Location) throws(DiskCacheError) -> Result {
    try read(location, length: location.length, checksBody: true)
  }

  /// Reads a record up to its body and verifies that.
  static func readHead(_ location: SegmentIndex.Location) throws(DiskCacheError) -> Result {
    try read(location, length: location.headLength, checksBody: false)
  }

  private static func read(
    _ location: SegmentIndex.Location, length: Int, checksBody: Bool
  ) throws(DiskCacheError) -> Result {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
    var isOwned = false
    defer { if !isOwned { bytes.deallocate() } }
    guard try location.file.file.read(into: bytes, at: location.offset) == length else { return .corrupt }
    let readable = UnsafeRawBufferPointer(bytes)
    guard let header = EntryHeader(readable, salt: location.file.salt), header.sequence == location.sequence,
      header.recordLength == location.length, header.bodyOffset == location.headLength
    else { return .corrupt }
    guard header.isLive else { return .dead }
    let attributes = UnsafeRawBufferPointer(rebasing: readable[header.labelOffset..<header.bodyOffset])
    guard Checksum64.of(attributes, seed: 0) == header.attributesChecksum else { return .corrupt }
    if checksBody {
      let body = UnsafeRawBufferPointer(
        rebasing: readable[header.bodyOffset..<header.bodyOffset + header.bodyLength])
      guard Checksum64.of(body, seed: 0) == header.bodyChecksum else { return .corrupt }
    }
    isOwned = true
    return .record(Record(header: header, owning: bytes))
  }
}
