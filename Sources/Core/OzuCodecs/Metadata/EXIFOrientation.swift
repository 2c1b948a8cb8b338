import OzuImaging

/// Finds the orientation in EXIF data, which have the structure of a TIFF file (CIPA DC-008 §4.5, TIFF 6.0 §2).
///
/// Only the first directory is read: the second describes the thumbnail. No offset in it is followed, so loops of
/// directories are harmless. Broken data mean that there is no orientation.
package enum EXIFOrientation {
  /// The orientation in EXIF data.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  /// - Returns: `nil` if there is none, or an invalid one.
  package static func find(in bytes: Span<UInt8>) -> Orientation? {
    guard let directories = TIFFLayout(exif: bytes) else { return nil }
    return directories.integer(EXIFTag.orientation, directories.first, bytes)
      .flatMap(Orientation.init(rawValue:))
  }
}
