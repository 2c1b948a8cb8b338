import OzuBase

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

/// The places of a TIFF's header values (TIFF 6.0 §2): the first directory, which most writers put at the end of the
/// file, and the values that do not fit into it.
extension TIFFStructure {
  /// The bytes that are needed before the header can be read.
  package enum Need: Equatable {
    case nothing
    case bytes(Range<Int>)
    /// The whole file: it has parts that only its decoder finds.
    case whole
  }

  enum Tag {
    static let (kind, compression, photometry, exif, place) = (254, 259, 262, 34665, 34853)
    static let (make, subdirectories, dngVersion) = (271, 330, 50706)
    /// The fields that a header does not use: offsets and lengths of strips and tiles, sub-directories, XMP, IPTC, Photoshop, GPS,
    /// the notes of a maker.
    static let unread: Set<Int> = [273, 279, 324, 325, 330, 700, 33723, 34377, 34853, 37500]
  }

  private static let oldJPEG = 6
  /// A longer value is a large colour profile, or invalid.
  private static let longestValue = 64 << 10
  private static let mostFieldsOfHeader = 512

  /// The bytes that are still missing before the header of a TIFF can be read.
  ///
  /// - Parameter isKnown: whether some bytes of the data are those of the file; the others are zero.
  package func need(_ isKnown: (Range<Int>) -> Bool) -> Need {
    guard start == 0, [42, TIFFLayout.bigVersion].contains(layout.version) else { return .whole }
    guard isKnown(0..<(layout.version == 42 ? 8 : 16)) else { return .whole }
    return need(ofDirectory: first, isFirst: true, isKnown)
  }

  private func need(ofDirectory offset: Int, isFirst: Bool, _ isKnown: (Range<Int>) -> Bool) -> Need {
    let bytes = data.span
    guard offset >= 8, layout.range(of: offset, fieldCount: 0, in: bytes) != nil else { return .whole }
    let head = offset..<offset + layout.headWidth
    guard isKnown(head) else { return .bytes(head) }
    guard let count = layout.fieldCount(of: offset, in: bytes), 1...Self.mostFieldsOfHeader ~= count,
      let range = layout.range(of: offset, fieldCount: count, in: bytes)
    else { return .whole }
    guard isKnown(range) else { return .bytes(range) }
    guard let directory = directory(at: offset) else { return .whole }
    // Only the decoder counts further pages, and finds the previews of camera RAW files: those with a version of DNG, or
    // with a maker and sub-directories.
    if isFirst {
      guard directory.next == nil, directory[Tag.dngVersion] == nil,
        directory[Tag.make] == nil || directory[Tag.subdirectories] == nil,
        number(of: Tag.compression, in: directory) != Self.oldJPEG
      else { return .whole }
    }
    for field in directory.fields {
      let need = need(of: field, in: directory, isFirst: isFirst, isKnown)
      if need != .nothing { return need }
    }
    return .nothing
  }

  private func need(
    of field: Field, in directory: Directory, isFirst: Bool, _ isKnown: (Range<Int>) -> Bool
  ) -> Need {
    if isFirst, field.tag == Tag.exif {
      guard let details = positions(of: Tag.exif, in: directory).first else { return .whole }
      return need(ofDirectory: details, isFirst: false, isKnown)
    }
    guard !Tag.unread.contains(field.tag), field.count > 0, field.position != field.inline else {
      return .nothing
    }
    guard !field.values.isEmpty, field.values.count <= Self.longestValue else { return .whole }
    return isKnown(field.values) ? .nothing : .bytes(field.values)
  }
}
