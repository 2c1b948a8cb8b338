import OzuImaging

/// The values of EXIF data, whose directories are those of a TIFF file (TIFF 6.0 §2).
extension TIFFLayout {
  private static let longestText = 64

  /// `nil` if the bytes do not begin like TIFF.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  init?(exif bytes: Span<UInt8>) {
    self.init(bytes, at: bytes.hasBytes("Exif", at: 0) ? 6 : 0)
    guard version == 42 else { return nil }
  }

  var order: EXIFByteOrder { isLittleEndian ? .littleEndian : .bigEndian }

  /// The offset of the directory after the first; `nil` if there is none.
  func second(_ bytes: Span<UInt8>) -> Int? {
    fieldCount(of: first, in: bytes).flatMap { next(after: first, fieldCount: $0, in: bytes) }
  }

  /// An integer that is stored in its field, whatever the number of values: the first one. Some writers use another type
  /// than the standard says; 13 is that of an offset of a directory (TIFF Technical Note 1).
  func integer(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let field = field(withTag: tag, of: directory, in: bytes), [1, 3, 4, 13].contains(field.type),
      let width = Self.width(ofType: field.type)
    else { return nil }
    return number(bytes, at: field.inline, byteCount: width)
  }

  func rational(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Double? {
    guard let field = field(withTag: tag, of: directory, in: bytes), field.type == 5, field.values.count >= 8,
      let numerator = number(bytes, at: field.position, byteCount: 4),
      let denominator = number(bytes, at: field.position + 4, byteCount: 4), denominator > 0
    else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// A text, cut after 64 bytes; `nil` if it is empty.
  func text(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> String? {
    guard let field = field(withTag: tag, of: directory, in: bytes), field.type == 2 else { return nil }
    let characters = bytes.copy(from: field.position, byteCount: min(field.count, Self.longestText))
    var text = characters.prefix { $0 != 0 }
    // The cut may be inside a character of UTF-8.
    if text.count < field.count, text.count == Self.longestText {
      while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
      if let last = text.last, last >= 0xC0 { text.removeLast() }
    }
    return MetadataText.read(text)
  }
}
