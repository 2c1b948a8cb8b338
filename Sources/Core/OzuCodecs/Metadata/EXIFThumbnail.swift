import OzuImaging

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
    guard let directories = TIFFLayout(bytes, at: 6), directories.version == 42,
      let second = directories.second(bytes),
      let offset = directories.integer(offsetTag, second, bytes).flatMap(directories.position),
      let length = directories.integer(lengthTag, second, bytes), length > 0, offset <= bytes.count,
      length <= bytes.count - offset
    else { return nil }
    return offset..<offset + length
  }
}
