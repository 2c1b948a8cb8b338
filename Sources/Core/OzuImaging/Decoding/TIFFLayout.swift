/// How the directories of a file with the structure of TIFF are laid out (TIFF 6.0 §2, and BigTIFF), and reading their
/// fields one at a time. Everything that reads directories does it through this type: TIFF, camera RAW, EXIF data.
///
/// Every access is checked, nothing is copied, and no offset is followed except on demand, so loops of directories are
/// harmless. The bytes are a parameter of each call, because a span cannot be stored.
package struct TIFFLayout: Hashable, Sendable {
  /// The offset of the byte-order mark, from which the offsets in the file count.
  package let start: Int
  package let isLittleEndian: Bool
  /// The number after the byte-order mark: 42, or 43 in BigTIFF; some makers use others.
  package let version: Int
  /// The offset of the first directory in the bytes.
  package let first: Int

  package struct Field: Sendable {
    package let tag: Int
    package let type: Int
    /// The number of values that it declares.
    package let count: Int
    /// Where in the field a short value is.
    package let inline: Int
    /// Where the values begin: in the field, or at the offset in it. It may be outside of the bytes.
    package let position: Int
    /// Where the values are in the bytes; empty if they are not wholly in them.
    package let values: Range<Int>
  }

  /// The version of BigTIFF.
  package static let bigVersion = 43

  /// - Parameter start: the offset of the byte-order mark.
  /// - Returns: `nil` if there is none, or if the bytes end in the header.
  package init?(_ bytes: Span<UInt8>, at start: Int = 0) {
    let mark = Self.number(bytes, start, 2, isLittleEndian: false)
    guard mark == 0x4949 || mark == 0x4D4D,
      let version = Self.number(bytes, start + 2, 2, isLittleEndian: mark == 0x4949)
    else { return nil }
    self.start = start
    self.version = version
    isLittleEndian = mark == 0x4949
    let isBig = version == Self.bigVersion
    let offset = Self.number(
      bytes, isBig ? start + 8 : start + 4, isBig ? 8 : 4, isLittleEndian: isLittleEndian)
    guard let offset, let first = Self.sum(start, offset) else { return nil }
    self.first = first
  }

  /// The layout of a block whose byte order is known and whose header is missing or unusual.
  ///
  /// - Parameter first: the offset of the first directory.
  package init(start: Int, first: Int, isLittleEndian: Bool) {
    (self.start, self.first, self.isLittleEndian, version) = (start, first, isLittleEndian, 42)
  }

  /// The number of fields of a directory; `nil` if the bytes end before it.
  package func fieldCount(of directory: Int, in bytes: Span<UInt8>) -> Int? {
    number(bytes, at: directory, byteCount: headWidth)
  }

  /// A directory with its count of fields and the offset of the next one; `nil` if the bytes do not contain it wholly.
  package func range(of directory: Int, fieldCount: Int, in bytes: Span<UInt8>) -> Range<Int>? {
    let (fields, overflow) = fieldCount.multipliedReportingOverflow(by: fieldWidth)
    guard directory >= 0, !overflow, fields >= 0, let end = Self.sum(directory, headWidth + inlineWidth),
      fields <= bytes.count - end
    else { return nil }
    return directory..<end + fields
  }

  /// Whether the bytes contain all fields of a directory. Some writers leave out the offset of the next one.
  package func hasFields(_ count: Int, of directory: Int, in bytes: Span<UInt8>) -> Bool {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: fieldWidth)
    let rest = bytes.count - headWidth
    return !overflow && directory >= 0 && directory <= rest && byteCount <= rest - directory
  }

  /// A field of a directory whose count of fields is in the bytes.
  ///
  /// - Parameter index: less than this count.
  /// - Returns: `nil` if it is not wholly in the bytes, or has an unknown type.
  package func field(_ index: Int, of directory: Int, in bytes: Span<UInt8>) -> Field? {
    let offset = directory + headWidth + index * fieldWidth
    let inline = offset + 4 + inlineWidth
    guard let tag = number(bytes, at: offset, byteCount: 2),
      let type = number(bytes, at: offset + 2, byteCount: 2),
      let width = Self.width(ofType: type) ?? (isBig && Self.bigTypes.contains(type) ? 8 : nil),
      let count = number(bytes, at: offset + 4, byteCount: inlineWidth), inline <= bytes.count - inlineWidth
    else { return nil }
    func field(_ position: Int, _ values: Range<Int>) -> Field {
      Field(tag: tag, type: type, count: count, inline: inline, position: position, values: values)
    }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: width)
    if !overflow, byteCount <= inlineWidth { return field(inline, inline..<inline + byteCount) }
    guard let position = number(bytes, at: inline, byteCount: inlineWidth).flatMap(position) else {
      return field(.max, 0..<0)
    }
    guard !overflow, position <= bytes.count, byteCount <= bytes.count - position else {
      return field(position, 0..<0)
    }
    return field(position, position..<position + byteCount)
  }

  /// The first field with a tag in a directory.
  ///
  /// - Complexity: O(fields), at most 65,536.
  package func field(withTag tag: Int, of directory: Int, in bytes: Span<UInt8>) -> Field? {
    for index in 0..<min(fieldCount(of: directory, in: bytes) ?? 0, 1 << 16)
    where number(bytes, at: directory + headWidth + index * fieldWidth, byteCount: 2) == tag {
      if let field = field(index, of: directory, in: bytes) { return field }
    }
    return nil
  }

  /// The offset of the directory after one; `nil` after the last.
  package func next(after directory: Int, fieldCount: Int, in bytes: Span<UInt8>) -> Int? {
    guard let end = range(of: directory, fieldCount: fieldCount, in: bytes)?.upperBound else { return nil }
    return number(bytes, at: end - inlineWidth, byteCount: inlineWidth).flatMap {
      $0 == 0 ? nil : position($0)
    }
  }

  /// The unsigned integer at an offset; `nil` if it is not wholly in the bytes, or does not fit.
  ///
  /// - Parameter byteCount: 1 to 8.
  package func number(_ bytes: Span<UInt8>, at offset: Int, byteCount: Int) -> Int? {
    Self.number(bytes, offset, byteCount, isLittleEndian: isLittleEndian)
  }

  /// The place in the bytes of an offset from the byte-order mark.
  package func position(_ offset: Int) -> Int? { Self.sum(start, offset) }

  /// The bytes of one value of a type of TIFF 6.0 §2; `nil` for an unknown type, and for those of BigTIFF alone.
  package static func width(ofType type: Int) -> Int? {
    switch type {
    case 1, 2, 6, 7, 129: 1
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12: 8
    default: nil
    }
  }

  /// The integers and offsets of eight bytes.
  private static let bigTypes = 16...18
  private var isBig: Bool { version == Self.bigVersion }
  /// The bytes of the count of fields, and of one field.
  package var headWidth: Int { isBig ? 8 : 2 }
  package var fieldWidth: Int { isBig ? 20 : 12 }
  /// The bytes of an offset, and of a value that is in its field.
  package var inlineWidth: Int { isBig ? 8 : 4 }

  private static func sum(_ start: Int, _ offset: Int) -> Int? {
    let (sum, overflow) = start.addingReportingOverflow(offset)
    return overflow || sum < 0 ? nil : sum
  }

  private static func number(
    _ bytes: Span<UInt8>, _ offset: Int, _ byteCount: Int, isLittleEndian: Bool
  ) -> Int? {
    guard offset >= 0, offset <= bytes.count, byteCount <= bytes.count - offset else { return nil }
    var value: UInt64 = 0
    for index in 0..<byteCount {
      value = value << 8 | UInt64(bytes[offset + (isLittleEndian ? byteCount - 1 - index : index)])
    }
    return Int(exactly: value)
  }
}
