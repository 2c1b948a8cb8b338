import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a HEIF file with some items of another file (ISO/IEC 14496-12 §8.11).
struct HEIFExcerptWriter {
  private let source: Data
  private let type: Range<Int>
  private var items: [Item] = []
  private var references: [UInt8] = []
  /// The boxes of the properties, and the index of each that was copied, counted from 1.
  private var properties: [UInt8] = []
  private var propertyCount = 0
  private var numbers: [Range<Int>: Int] = [:]

  private struct Item {
    let kind: BoxName
    let content: Content
    let properties: [Int]
    let isHidden: Bool

    var byteCount: Int {
      switch content {
      case .bytes(let bytes): bytes.count
      case .parts(let parts): parts.reduce(0) { $0 + $1.count }
      }
    }
  }

  private enum Content {
    case parts([Range<Int>])
    case bytes([UInt8])
  }

  /// - Parameters:
  ///   - source: the other file.
  ///   - type: the content of its box `ftyp`.
  init(_ source: Data, type: Range<Int>) {
    self.source = source
    self.type = type
  }

  /// Adds an item, and returns its number.
  mutating func add(kind: BoxName, parts: [Range<Int>], properties: [Range<Int>], isHidden: Bool) -> Int {
    let numbers = properties.map { number(of: $0) }
    items.append(Item(kind: kind, content: .parts(parts), properties: numbers, isHidden: isHidden))
    return items.count
  }

  /// Adds a grid, and returns its number. It has its own size; its other properties are those of the whole grid.
  mutating func addGrid(
    rows: Int, columns: Int, size: PixelSize, properties: [Range<Int>], tiles: [Int], isHidden: Bool
  ) -> Int {
    let sides = Self.word(size.width) + Self.word(size.height)
    var numbers = [addProperty(Self.box("ispe", [0, 0, 0, 0] + sides))]
    for property in properties where name(of: property) != "ispe" { numbers.append(number(of: property)) }
    items.append(
      Item(
        kind: "grid", content: .bytes([0, 1, UInt8(rows - 1), UInt8(columns - 1)] + sides),
        properties: numbers,
        isHidden: isHidden))
    refer("dimg", from: items.count, to: tiles)
    return items.count
  }

  /// Adds a reference from an item to others.
  mutating func refer(_ kind: BoxName, from item: Int, to others: [Int]) {
    references += Self.box(kind, Self.short(item) + Self.short(others.count) + others.flatMap(Self.short))
  }

  /// The file whose picture is the item `primary`; `nil` if there are more items than the format can number.
  func file(primary: Int) -> Data? {
    guard items.count < 0x8000, propertyCount < 0x80 else { return nil }
    let head = Self.box("ftyp", source.span.copy(from: type.lowerBound, byteCount: type.count))
    // Offsets are known only when the length of everything before the content is known.
    let start = head.count + meta(primary, start: 0).count + 8
    let contentCount = items.reduce(0) { $0 + $1.byteCount }
    guard start + contentCount < 1 << 31 else { return nil }
    var file = Data(capacity: start + contentCount)
    file.append(contentsOf: head)
    file.append(contentsOf: meta(primary, start: start))
    file.append(contentsOf: Self.word(contentCount + 8) + BoxName("mdat").bytes)
    for item in items {
      switch item.content {
      case .bytes(let bytes): file.append(contentsOf: bytes)
      case .parts(let parts):
        for part in parts {
          file.append(source[source.startIndex + part.lowerBound..<source.startIndex + part.upperBound])
        }
      }
    }
    return file
  }

  private func meta(_ primary: Int, start: Int) -> [UInt8] {
    var places = Self.word(0) + [0x44, 0] + Self.short(items.count)
    var table = Self.word(0) + Self.short(items.count)
    var associations = Self.word(0) + Self.word(items.count)
    var place = start
    for (index, item) in items.enumerated() {
      places += Self.short(index + 1) + Self.short(0) + Self.short(1)
      places += Self.word(place) + Self.word(item.byteCount)
      place += item.byteCount
      let flags: [UInt8] = [2, 0, 0, item.isHidden ? 1 : 0]
      table += Self.box("infe", flags + Self.short(index + 1) + [0, 0] + item.kind.bytes + [0])
      associations += Self.short(index + 1) + [UInt8(item.properties.count)]
      associations += item.properties.map { UInt8($0) | (isEssential($0) ? 0x80 : 0) }
    }
    let handler = Self.box(
      "hdlr", Self.word(0) + Self.word(0) + BoxName("pict").bytes + Array(repeating: 0, count: 13))
    let content =
      Self.word(0) + handler + Self.box("pitm", Self.word(0) + Self.short(primary)) + Self.box("iloc", places)
      + Self.box("iinf", table) + Self.box("iref", Self.word(0) + references)
      + Self.box("iprp", Self.box("ipco", properties) + Self.box("ipma", associations))
    return Self.box("meta", content)
  }

  // MARK: Properties

  private func name(of property: Range<Int>) -> BoxName {
    BoxName(source.span.bigEndian(at: property.lowerBound + 4, bytes: 4) ?? 0)
  }

  private mutating func number(of property: Range<Int>) -> Int {
    if let number = numbers[property] { return number }
    let number = addProperty(source.span.copy(from: property.lowerBound, byteCount: property.count))
    numbers[property] = number
    return number
  }

  private mutating func addProperty(_ box: [UInt8]) -> Int {
    properties += box
    propertyCount += 1
    return propertyCount
  }

  /// Whether a reader must know a property: only that of the codec.
  private func isEssential(_ number: Int) -> Bool {
    guard let range = numbers.first(where: { $0.value == number })?.key else { return false }
    return ["av1C", "hvcC"].contains(name(of: range))
  }

  // MARK: Bytes

  private static func box(_ name: BoxName, _ content: [UInt8]) -> [UInt8] {
    word(content.count + 8) + name.bytes + content
  }

  private static func word(_ value: Int) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func short(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }
}

extension BoxName {
  fileprivate var bytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
