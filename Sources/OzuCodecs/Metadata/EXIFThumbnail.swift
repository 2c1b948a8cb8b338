/// Finds the thumbnail in the EXIF data of a JPEG: the second directory has its offset and length (CIPA DC-008
/// §4.5.5). Every access is checked, and no other offset is followed.
package enum EXIFThumbnail {
  private static let offsetTag = 0x0201
  private static let lengthTag = 0x0202
  private static let segmentMarker: UInt8 = 0xE1

  /// The range of the thumbnail in a file.
  package static func range(inJPEG bytes: Span<UInt8>) -> Range<Int>? {
    var position = 2
    while let (marker, offset) = JPEGMarker.next(in: bytes, from: position) {
      position = offset + 2
      if JPEGMarker.standsAlone(marker) { continue }
      guard marker != JPEGMarker.startOfScan, marker != JPEGMarker.endOfImage,
        let length = bytes.bigEndian(at: position, bytes: 2), length >= 2, position + length <= bytes.count
      else { return nil }
      let segment = bytes.extracting(position + 2..<position + length)
      if marker == segmentMarker, segment.hasBytes("Exif\0", at: 0) {
        return range(in: segment).map { $0.lowerBound + position + 2..<$0.upperBound + position + 2 }
      }
      position += length
    }
    return nil
  }

  /// Its range in the segment.
  private static func range(in bytes: Span<UInt8>) -> Range<Int>? {
    let tiff = 6
    guard let order = EXIFByteOrder(bytes, tiff: tiff),
      order.integer(bytes, at: tiff + 2, byteCount: 2) == 42,
      let first = order.integer(bytes, at: tiff + 4, byteCount: 4),
      let count = order.integer(bytes, at: tiff + first, byteCount: 2),
      let second = order.integer(bytes, at: tiff + first + 2 + count * 12, byteCount: 4), second > 0,
      let entryCount = order.integer(bytes, at: tiff + second, byteCount: 2)
    else { return nil }
    var offset: Int?
    var length: Int?
    for index in 0..<entryCount {
      let entry = tiff + second + 2 + index * 12
      guard let tag = order.integer(bytes, at: entry, byteCount: 2) else { break }
      if tag == offsetTag { offset = order.value(bytes, entry: entry) }
      if tag == lengthTag { length = order.value(bytes, entry: entry) }
    }
    guard let offset, let length, offset >= 0, length > 0, tiff + offset + length <= bytes.count else {
      return nil
    }
    return tiff + offset..<tiff + offset + length
  }
}
