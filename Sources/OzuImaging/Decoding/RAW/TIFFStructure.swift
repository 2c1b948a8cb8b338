#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The directories in a file with the structure of TIFF (TIFF 6.0 §2, and BigTIFF): TIFF, most camera RAW files, and
/// blocks in others.
///
/// Every access is checked. The number of directories, of their fields and of values is limited, and no directory is
/// read twice, so loops end. Nothing is copied except what is asked for.
package struct TIFFStructure: Sendable {
  package let data: Data
  /// The offset of the byte-order mark, from which the offsets in the file count.
  package let start: Int
  package let isLittleEndian: Bool
  /// The number after the byte-order mark: 42, or 43 in BigTIFF; some makers use others.
  package let version: Int
  /// The offset of the first directory in the data.
  package let first: Int
  private let isBig: Bool

  /// A field of a directory.
  package struct Field: Sendable {
    package let tag: Int
    package let type: Int
    /// The number of values.
    package let count: Int
    /// Where the values are in the data; empty if they are not wholly in it.
    package let values: Range<Int>
  }

  /// A directory and the place of the next one.
  package struct Directory: Sendable {
    /// Its offset in the data.
    package let position: Int
    package let fields: [Field]
    /// The offset of the next directory in the data; `nil` after the last one.
    package let next: Int?

    package subscript(tag: Int) -> Field? { fields.first { $0.tag == tag } }
  }

  private static let mostDirectories = 64
  private static let mostFields = 1024
  /// The most values of a field that are read as numbers.
  private static let mostNumbers = 64
  private static let subdirectories = 330
  private static let bigVersion = 43

  /// - Parameter start: the offset of the byte-order mark.
  /// - Returns: `nil` if there is none, or if the data end in the header.
  package init?(_ data: Data, at start: Int = 0) {
    self.data = data
    self.start = start
    guard let mark = Self.number(data, start, 2, isLittleEndian: false), mark == 0x4949 || mark == 0x4D4D
    else { return nil }
    isLittleEndian = mark == 0x4949
    guard let version = Self.number(data, start + 2, 2, isLittleEndian: isLittleEndian) else { return nil }
    self.version = version
    isBig = version == Self.bigVersion
    let offset = Self.number(
      data, isBig ? start + 8 : start + 4, isBig ? 8 : 4, isLittleEndian: isLittleEndian)
    guard let offset, let first = Self.position(start, offset) else { return nil }
    self.first = first
  }

  /// The structure of a block whose byte order is known and whose header is missing or unusual.
  ///
  /// - Parameter first: the offset of the first directory.
  package init(_ data: Data, at start: Int, first: Int, isLittleEndian: Bool) {
    self.data = data
    self.start = start
    self.first = first
    self.isLittleEndian = isLittleEndian
    version = 42
    isBig = false
  }

  /// The unsigned integer at an offset in the data; `nil` if it is not wholly in them, or does not fit.
  ///
  /// - Parameter byteCount: 1 to 8.
  package func number(at offset: Int, byteCount: Int) -> Int? {
    Self.number(data, offset, byteCount, isLittleEndian: isLittleEndian)
  }

  /// The directory at an offset in the data; `nil` if it is not wholly in them, or has too many fields.
  package func directory(at offset: Int) -> Directory? {
    let (head, width, tail) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard let count = number(at: offset, byteCount: head), 1...Self.mostFields ~= count,
      offset <= data.count - head - count * width
    else { return nil }
    let end = offset + head + count * width
    let next = number(at: end, byteCount: tail).flatMap { $0 == 0 ? nil : position($0) }
    let fields = (0..<count).compactMap { field(at: offset + head + $0 * width) }
    return Directory(position: offset, fields: fields, next: next)
  }

  /// The first directory, those after it, and their sub-directories, each once.
  package func directories() -> [Directory] {
    var result: [Directory] = []
    var seen: Set<Int> = []
    var rest = [first]
    while let offset = rest.popLast(), result.count < Self.mostDirectories,
      seen.count < 2 * Self.mostDirectories
    {
      guard seen.insert(offset).inserted, let directory = directory(at: offset) else { continue }
      result.append(directory)
      // The sub-directories come before the next directory.
      if let next = directory.next { rest.append(next) }
      rest += positions(of: Self.subdirectories, in: directory).reversed()
    }
    return result
  }

  /// The integers of a field of a type for these; at most 64.
  package func numbers(of tag: Int, in directory: Directory) -> [Int] {
    guard let field = directory[tag], let width = Self.integerWidth(field.type) else { return [] }
    return (0..<min(field.count, Self.mostNumbers)).compactMap { index in
      let position = field.values.lowerBound + index * width
      return position + width <= field.values.upperBound ? number(at: position, byteCount: width) : nil
    }
  }

  /// The first integer of a field.
  package func number(of tag: Int, in directory: Directory) -> Int? { numbers(of: tag, in: directory).first }

  /// The places in the data that a field refers to.
  package func positions(of tag: Int, in directory: Directory) -> [Int] {
    numbers(of: tag, in: directory).compactMap(position)
  }

  /// A text without the bytes from the first zero on, and without spaces at the ends; at most 64 bytes.
  package func text(of tag: Int, in directory: Directory) -> String? {
    guard let field = directory[tag], field.type == 2 else { return nil }
    let bytes = bytes(field.values.prefix(64)).prefix { $0 != 0 }
    let text = String(decoding: bytes, as: UTF8.self)
    return String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// A copy of some bytes of the data, which must be in them.
  package func bytes(_ range: Range<Int>) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= data.count else { return [] }
    return [UInt8](data.dropFirst(range.lowerBound).prefix(range.count))
  }

  /// The place in the data of an offset from the byte-order mark.
  package func position(_ offset: Int) -> Int? { Self.position(start, offset) }

  /// The bytes of one value of a type (TIFF 6.0 §2, BigTIFF); `nil` for an unknown type.
  package static func width(ofType type: Int) -> Int? {
    switch type {
    case 1, 2, 6, 7, 129: 1
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12, 16, 17, 18: 8
    default: nil
    }
  }

  private static func integerWidth(_ type: Int) -> Int? {
    switch type {
    case 1, 3, 4, 13, 16, 18: width(ofType: type)
    default: nil
    }
  }

  private static func position(_ start: Int, _ offset: Int) -> Int? {
    let (sum, overflow) = start.addingReportingOverflow(offset)
    return overflow || sum < 0 ? nil : sum
  }

  private func field(at offset: Int) -> Field? {
    let inline = isBig ? 8 : 4
    guard let tag = number(at: offset, byteCount: 2), let type = number(at: offset + 2, byteCount: 2),
      let width = Self.width(ofType: type), let count = number(at: offset + 4, byteCount: inline)
    else { return nil }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: width)
    let value = offset + 4 + inline
    guard !overflow else { return Field(tag: tag, type: type, count: count, values: 0..<0) }
    if byteCount <= inline {
      return Field(tag: tag, type: type, count: count, values: value..<value + byteCount)
    }
    guard let place = number(at: value, byteCount: inline).flatMap(position), place <= data.count,
      byteCount <= data.count - place
    else { return Field(tag: tag, type: type, count: count, values: 0..<0) }
    return Field(tag: tag, type: type, count: count, values: place..<place + byteCount)
  }

  private static func number(
    _ data: Data, _ offset: Int, _ byteCount: Int, isLittleEndian: Bool
  ) -> Int? {
    let bytes = data.span
    guard offset >= 0, offset <= bytes.count, byteCount <= bytes.count - offset else { return nil }
    var value: UInt64 = 0
    for index in 0..<byteCount {
      value = value << 8 | UInt64(bytes[offset + (isLittleEndian ? byteCount - 1 - index : index)])
    }
    return Int(exactly: value)
  }
}
