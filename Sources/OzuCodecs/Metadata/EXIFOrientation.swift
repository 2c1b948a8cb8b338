import OzuImaging

/// Finds the orientation in EXIF data, which have the structure of a TIFF file (CIPA DC-008 §4.5, TIFF 6.0 §2).
///
/// Only the first directory is read: the second describes the thumbnail. No offset in it is followed, so loops of
/// directories are harmless. Broken data mean that there is no orientation.
package enum EXIFOrientation {
  private static let orientationTag = 0x0112

  /// The orientation in EXIF data.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  /// - Returns: `nil` if there is none, or an invalid one.
  package static func find(in bytes: Span<UInt8>) -> Orientation? {
    let tiff = bytes.hasBytes("Exif", at: 0) ? 6 : 0
    guard let order = EXIFByteOrder(bytes, tiff: tiff),
      order.integer(bytes, at: tiff + 2, byteCount: 2) == 42,
      let offset = order.integer(bytes, at: tiff + 4, byteCount: 4),
      let entryCount = order.integer(bytes, at: tiff + offset, byteCount: 2)
    else { return nil }
    for index in 0..<entryCount {
      let entry = tiff + offset + 2 + index * 12
      guard let tag = order.integer(bytes, at: entry, byteCount: 2) else { return nil }
      guard tag == orientationTag else { continue }
      return order.value(bytes, entry: entry).flatMap(Orientation.init(rawValue:))
    }
    return nil
  }
}
