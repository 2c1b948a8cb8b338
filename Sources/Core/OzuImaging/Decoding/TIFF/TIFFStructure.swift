#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The directories in a file with the structure of TIFF, each once.
///
/// The number of directories, of their fields and of values is limited, and no directory is read twice, so loops end.
/// Nothing is copied except what is asked for.
package struct TIFFStructure: Sendable {
  package typealias Field = TIFFLayout.Field

  package let data: Data
  package let layout: TIFFLayout

  /// A directory and the place of the next one.
  package struct Directory: Sendable {
    /// Its offset in the data.
    package let position: Int
    /// Those of known types.
    package let fields: [Field]
    /// The offset of the next directory in the data; `nil` after the last one.
    package let next: Int?

    package subscript(tag: Int) -> Field? { fields.first { $0.tag == tag } }
  }

  private static let mostDirectories = 64
  private static let mostFields = 1024
  /// The most values of a field that are read as numbers.
  private static let mostNumbers = 64

  /// - Parameter start: the offset of the byte-order mark.
  /// - Returns: `nil` if there is none, or if the data end in the header.
  package init?(_ data: Data, at start: Int = 0) {
    guard let layout = TIFFLayout(data.span, at: start) else { return nil }
    self.init(data, layout)
  }

  package init(_ data: Data, _ layout: TIFFLayout) { (self.data, self.layout) = (data, layout) }

  /// The offset of the byte-order mark.
  package var start: Int { layout.start }
  package var isLittleEndian: Bool { layout.isLittleEndian }
  /// The offset of the first directory in the data.
  package var first: Int { layout.first }

  /// The unsigned integer at an offset in the data; `nil` if it is not wholly in them, or does not fit.
  ///
  /// - Parameter byteCount: 1 to 8.
  package func number(at offset: Int, byteCount: Int) -> Int? {
    layout.number(data.span, at: offset, byteCount: byteCount)
  }

  /// The directory at an offset in the data; `nil` if it is not wholly in them, or has too many fields.
  package func directory(at offset: Int) -> Directory? {
    let bytes = data.span
    guard let count = layout.fieldCount(of: offset, in: bytes), 1...Self.mostFields ~= count,
      layout.range(of: offset, fieldCount: count, in: bytes) != nil
    else { return nil }
    var fields: [Field] = []
    for index in 0..<count {
      if let field = layout.field(index, of: offset, in: bytes) { fields.append(field) }
    }
    return Directory(
      position: offset, fields: fields, next: layout.next(after: offset, fieldCount: count, in: bytes))
  }

  /// Whether the file refers to a directory that lies wholly or partly beyond its end: the first, one after it, a
  /// sub-directory, or those of EXIF data.
  package var lacksDirectories: Bool {
    let bytes = data.span
    func isMissing(_ offset: Int) -> Bool {
      guard let count = layout.fieldCount(of: offset, in: bytes) else { return true }
      return count <= Self.mostFields && layout.range(of: offset, fieldCount: count, in: bytes) == nil
    }
    return isMissing(first)
      || directories().contains { directory in
        let inner = [Tag.subdirectories, Tag.exif, Tag.place].flatMap {
          positions(of: $0, in: directory)
        }
        return ((directory.next.map { [$0] } ?? []) + inner).contains(where: isMissing)
      }
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
      rest += positions(of: Tag.subdirectories, in: directory).reversed()
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
    numbers(of: tag, in: directory).compactMap(layout.position)
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

  private static func integerWidth(_ type: Int) -> Int? {
    switch type {
    case 1, 3, 4, 13: TIFFLayout.width(ofType: type)
    case 16, 18: 8
    default: nil
    }
  }
}
