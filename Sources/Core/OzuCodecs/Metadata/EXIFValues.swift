import OzuBase
import OzuImaging

/// The values of EXIF data, as far as people want to know them: those of the first directory, of the details, and of the
/// place (CIPA DC-008 §4.6). Compare `EXIFBlock`, which copies values to write them again.
///
/// Reading is lenient and bounded: an entry that lies outside the data is left out, the others stay. Offsets lead from the
/// first directory to the other two and nowhere else, so loops are harmless.
struct EXIFValues {
  struct Value {
    let tag: Int
    let type: Int
    /// The number of values that the entry declares.
    let count: Int
    /// The bytes of the first values.
    let bytes: [UInt8]
    let order: EXIFByteOrder
  }

  private(set) var picture: [Value] = []
  private(set) var details: [Value] = []
  private(set) var place: [Value] = []

  /// The most bytes of one value that are read: a text of the greatest length in UTF-16.
  private static let mostBytes = 2 * MetadataValues.longestText
  /// The most entries of a directory that are read. Cameras write fewer than a hundred.
  private static let mostEntries = 512

  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  init?(_ bytes: Span<UInt8>) {
    guard let directories = TIFFLayout(exif: bytes) else { return nil }
    picture = Self.values(directories, at: directories.first, in: bytes)
    func values(_ pointer: Int) -> [Value] {
      guard let offset = directories.integer(pointer, directories.first, bytes) else { return [] }
      return Self.values(directories, at: directories.start + offset, in: bytes)
    }
    details = values(EXIFTag.details)
    place = values(EXIFTag.place)
  }

  /// The values of a directory, each tag once.
  private static func values(
    _ directories: TIFFLayout, at directory: Int, in bytes: Span<UInt8>
  ) -> [Value] {
    var values: [Value] = []
    var seen: Set<Int> = []
    for index in 0..<min(directories.fieldCount(of: directory, in: bytes) ?? 0, mostEntries) {
      guard let field = directories.field(index, of: directory, in: bytes), !field.values.isEmpty,
        seen.insert(field.tag).inserted
      else { continue }
      let copied = bytes.copy(from: field.position, byteCount: min(field.values.count, mostBytes))
      values.append(
        Value(tag: field.tag, type: field.type, count: field.count, bytes: copied, order: directories.order))
    }
    return values
  }
}

extension EXIFValues.Value {
  /// The integers of a value; empty for other types.
  var integers: [Int] {
    let sizes = [1: 1, 3: 2, 4: 4, 6: 1, 7: 1, 8: 2, 9: 4, 13: 4]
    guard let size = sizes[type] else { return [] }
    let isSigned = [6, 8, 9].contains(type)
    return (0..<bytes.count / size).compactMap { integer($0 * size, size, isSigned: isSigned) }
  }

  /// The numbers of a value, integers too; `nil` for each fraction without a denominator.
  var numbers: [Double?] {
    switch type {
    case 5, 10:
      (0..<bytes.count / 8).map { index in
        guard let numerator = integer(index * 8, 4, isSigned: type == 10),
          let denominator = integer(index * 8 + 4, 4, isSigned: type == 10), denominator != 0
        else { return nil }
        return Double(numerator) / Double(denominator)
      }
    case 11: (0..<bytes.count / 4).map { Double(Float(bitPattern: UInt32(bits($0 * 4, 4)))).finite }
    case 12: (0..<bytes.count / 8).map { Double(bitPattern: bits($0 * 8, 8)).finite }
    default: integers.map(Double.init)
    }
  }

  /// The text, up to its terminator; `nil` if it is empty, or no text.
  ///
  /// Texts should be ASCII; most writers use UTF-8, and older ones Latin-1.
  var text: String? {
    switch tag {
    case EXIFTag.userComment: return userComment
    case EXIFTag.titleOfWindows...EXIFTag.subjectOfWindows: return utf16(bytes[...], .littleEndian)
    default: break
    }
    guard type == 2 || type == 129 || type == 7 else { return nil }
    if tag == EXIFTag.copyright {
      // The photographer's, a terminator, and the editor's.
      let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).prefix(2)
      return parts.compactMap { MetadataText.read($0) }.joined(separator: "\n").nonEmpty
    }
    return MetadataText.read(bytes.prefix { $0 != 0 })
  }

  /// A text after eight bytes that name its character set (CIPA DC-008 §4.6.6.4.2).
  private var userComment: String? {
    let text = bytes.dropFirst(8)
    switch bytes.prefix(8) {
    case Array("UNICODE\0".utf8)[...]:
      if text.starts(with: [0xFE, 0xFF]) { return utf16(text.dropFirst(2), .bigEndian) }
      if text.starts(with: [0xFF, 0xFE]) { return utf16(text.dropFirst(2), .littleEndian) }
      return utf16(text, order)
    case Array("JIS\0\0\0\0\0".utf8)[...]:
      // ISO-2022-JP: only its ASCII letters are read.
      return text.contains(0x1B) ? nil : MetadataText.read(text.prefix { $0 != 0 })
    // ASCII, "undefined", and writers without a set.
    case Array("ASCII\0\0\0".utf8)[...], [0, 0, 0, 0, 0, 0, 0, 0][...]:
      return MetadataText.read(text.prefix { $0 != 0 })
    default: return MetadataText.read(bytes.prefix { $0 != 0 })
    }
  }

  private func utf16(_ bytes: ArraySlice<UInt8>, _ order: EXIFByteOrder) -> String? {
    let pairs = Array(bytes)
    let units = (0..<pairs.count / 2).map { index in
      let (first, second) = (UInt16(pairs[2 * index]), UInt16(pairs[2 * index + 1]))
      return order == .bigEndian ? first << 8 | second : second << 8 | first
    }
    return MetadataText.tidied(String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
  }

  var description: String? {
    if let text, type != 7 || MetadataText.isPrintable(text) || isComment(text) { return text }
    if type == 2 || type == 129 { return nil }
    if type == 7 {
      return count == 4 && tag != EXIFTag.componentsConfiguration && text != nil
        ? text : count <= 8 ? integers.map(String.init).joined(separator: ", ") : "(\(count) bytes)"
    }
    let shown = numbers.prefix(64).map { number in
      guard let number else { return "undefined" }
      return MetadataText.number(number)
    }
    let list = shown.joined(separator: ", ")
    return list.isEmpty ? nil : MetadataText.cut(list + (count > shown.count ? ", …" : ""))
  }

  /// Whether the text is a comment of a person, in any language: writers without a character set may have stored anything.
  private func isComment(_ text: String) -> Bool {
    tag == EXIFTag.userComment
      && text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control || [0x09, 0x0A, 0x0D].contains($0.value)
      }
  }

  private func integer(_ offset: Int, _ size: Int, isSigned: Bool) -> Int? {
    guard let value = order.integer(ContiguousArray(bytes).span, at: offset, byteCount: size) else {
      return nil
    }
    // At most four bytes.
    return isSigned && value >> (8 * size - 1) != 0 ? value - 1 << (8 * size) : value
  }

  private func bits(_ offset: Int, _ size: Int) -> UInt64 {
    (0..<size).reduce(0) { sum, index in
      sum << 8 | UInt64(bytes[order == .bigEndian ? offset + index : offset + size - 1 - index])
    }
  }
}

extension Double {
  fileprivate var finite: Double? { isFinite ? self : nil }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

/// Texts of strangers: their encoding, their ends and their length.
enum MetadataText {
  /// A text in UTF-8, or else in Latin-1.
  static func read(_ bytes: ArraySlice<UInt8>) -> String? {
    let text =
      String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return tidied(text)
  }

  /// A text without spaces at its end and terminators, cut; `nil` if nothing is left.
  static func tidied(_ text: String) -> String? {
    let scalars = text.unicodeScalars
    guard let last = scalars.lastIndex(where: { $0.value > 0x20 }) else { return nil }
    return cut(String(scalars[...last]))
  }

  /// A text of at most `MetadataValues.longestText` bytes, cut between characters.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > MetadataValues.longestText else { return text }
    var scalars = String.UnicodeScalarView()
    var byteCount = 0
    for scalar in text.unicodeScalars {
      byteCount += UTF8.width(scalar)
      if byteCount > MetadataValues.longestText { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { 0x20..<0x7F ~= $0.value }
  }

  static func number(_ value: Double) -> String {
    if let whole = Int(exactly: value) { return "\(whole)" }
    return "\(value)"
  }

  /// A number as XMP writes it: `0.5`, `-1`, `1/160`.
  static func parsed(_ text: String) -> Double? {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ Double($0) }), first.isFinite else { return nil }
    guard parts.count == 2 else { return first }
    guard let second = Double(parts[1]), second != 0, second.isFinite else { return nil }
    return (first / second).finite
  }
}
