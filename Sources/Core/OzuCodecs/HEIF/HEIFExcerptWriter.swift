import OzuBase
import OzuImaging

/// Writes a HEIF file with some items of another file (ISO/IEC 14496-12 §8.11).
///
/// Properties have one order: the size, then the others that describe, then those that turn and crop, as the other
/// file lists them. Libraries forget what stands before the size.
struct HEIFExcerptWriter {
  enum Content: Hashable {
    case parts([Range<Int>])
    case bytes([UInt8])
    case none
    /// They end after the end of the other file, and of this one too.
    case beyond

    /// No file has so many bytes that the sum overflows: the parts of an item have no more than the file.
    var byteCount: Int {
      switch self {
      case .parts(let parts): parts.reduce(0) { $0 + $1.count }
      case .bytes(let bytes): bytes.count
      case .none, .beyond: 0
      }
    }
  }

  private let source: Data
  private let brands: [UInt8]
  private var items: [Item] = []
  private var references: [UInt8] = []
  /// The boxes of the properties, and the index of each that was copied, counted from 1.
  private var properties: [UInt8] = []
  private var propertyCount = 0
  private var numbers: [Range<Int>: Int] = [:]
  private var numbersOfBytes: [[UInt8]: Int] = [:]

  private struct Item {
    let kind: BoxName
    let names: Range<Int>?
    let content: Content
    /// The indices, with the bit of those that are essential.
    var properties: [Int]
    let isHidden: Bool
  }

  private static let essential = 0x8000

  /// - Parameters:
  ///   - source: the other file.
  ///   - type: the content of its box `ftyp`.
  init(_ source: Data, type: Range<Int>) {
    self.source = source
    let words = source.span.copy(from: type.lowerBound, byteCount: type.count)
    var brands = Array(words.prefix(8))
    // The excerpt has no tracks and no gain map, which these brands announce.
    for start in stride(from: 8, to: words.count - 3, by: 4)
    where !Self.lost.contains(Array(words[start..<start + 4])) { brands += words[start..<start + 4] }
    if Self.lost.contains(Array(brands.prefix(4))) {
      brands.replaceSubrange(0..<4, with: BoxName("mif1").bytes)
    }
    // Libraries ask for one of these among the compatible brands. A file may name only its coding, or the rules of MIAF.
    let compatible = stride(from: 8, to: brands.count - 3, by: 4).map { Array(brands[$0..<$0 + 4]) }
    if Self.read.isDisjoint(with: compatible) { brands += BoxName("mif1").bytes }
    self.brands = brands
  }

  private static let read = Set(
    (["mif1", "mif2", "heic", "heix", "heim", "heis"] as [BoxName]).map(\.bytes))

  private static let lost = Set(
    (["msf1", "hevc", "hevx", "hevm", "hevs", "avcs", "avis", "tmap"] as [BoxName]).map(\.bytes))

  var itemCount: Int { items.count }

  /// The bytes of all items together, those that share their bytes counted once.
  var contentCount: Int { offsets(from: 0).end }

  /// Adds an item, and returns its number.
  ///
  /// - Parameter names: its name, and for some kinds the type of its content.
  mutating func add(
    kind: BoxName, names: Range<Int>? = nil, content: Content, properties: [HEIFItems.Property],
    isHidden: Bool
  ) -> Int {
    let numbers = Self.ordered(properties).map { property in
      number(of: property.box) | (isEssential(property) ? Self.essential : 0)
    }
    items.append(
      Item(kind: kind, names: names, content: content, properties: numbers, isHidden: isHidden))
    return items.count
  }

  /// Adds a grid, and returns its number. It has its own size; its other properties are those of the whole grid.
  mutating func addGrid(
    rows: Int, columns: Int, size: PixelSize, properties: [HEIFItems.Property], tiles: [Int], isHidden: Bool
  ) -> Int {
    let sides = Self.word(size.width) + Self.word(size.height)
    let others = properties.filter { $0.box.name != "ispe" }
    var numbers = [addProperty(Self.box("ispe", [0, 0, 0, 0] + sides))]
    for property in Self.ordered(others) {
      let isTransform = HEIFItems.transforms.contains(property.box.name)
      numbers.append(number(of: property.box) | (isTransform ? Self.essential : 0))
    }
    items.append(
      Item(
        kind: "grid", names: nil, content: .bytes([0, 1, UInt8(rows - 1), UInt8(columns - 1)] + sides),
        properties: numbers, isHidden: isHidden))
    refer("dimg", from: items.count, to: tiles)
    return items.count
  }

  /// Adds a property that readers may ignore to an item.
  mutating func add(property name: BoxName, _ content: [UInt8], to item: Int) {
    items[item - 1].properties.append(addProperty(Self.box(name, content)))
  }

  mutating func refer(_ kind: BoxName, from item: Int, to others: [Int]) {
    references += Self.box(kind, Self.short(item) + Self.short(others.count) + others.flatMap(Self.short))
  }

  /// The file whose picture is the item `primary`; `nil` if there are more items than the format can number.
  func file(primary: Int) -> Data? {
    guard items.count < 0x8000, propertyCount < 0x8000, items.allSatisfy({ $0.properties.count < 0x100 })
    else { return nil }
    let head = Self.box("ftyp", brands)
    // Offsets are known only when the length of everything before the content is known.
    let start = head.count + meta(primary, start: 0).count + 8
    let end = offsets(from: start).end
    guard end < 1 << 31 else { return nil }
    var file = Data(capacity: end)
    file.append(contentsOf: head)
    file.append(contentsOf: meta(primary, start: start))
    file.append(contentsOf: Self.word(end - start + 8) + BoxName("mdat").bytes)
    var written: Set<Content> = []
    for item in items where written.insert(item.content).inserted {
      switch item.content {
      case .bytes(let bytes): file.append(contentsOf: bytes)
      case .parts(let parts):
        for part in parts {
          file.append(source[source.startIndex + part.lowerBound..<source.startIndex + part.upperBound])
        }
      case .none, .beyond: break
      }
    }
    return file
  }

  /// The places of all items, if the first is at an offset.
  private func offsets(from start: Int) -> (places: [Content: Range<Int>], end: Int) {
    var places: [Content: Range<Int>] = [:]
    var end = start
    for item in items where item.content != .beyond && item.content != .none && places[item.content] == nil {
      places[item.content] = end..<end + item.content.byteCount
      end += item.content.byteCount
    }
    places[.beyond] = end..<end + 1
    return (places, end)
  }

  private func meta(_ primary: Int, start: Int) -> [UInt8] {
    let offsets = offsets(from: start).places
    var places: [UInt8] = []
    var table = Self.word(0) + Self.short(items.count)
    // Numbers of properties have two bytes if there are more than one byte can number.
    let isWide = propertyCount >= 0x80
    var associations = Self.word(isWide ? 1 : 0) + Self.word(items.count)
    var placed = 0
    for (index, item) in items.enumerated() {
      if let place = offsets[item.content] {
        places += Self.short(index + 1) + Self.short(0) + Self.short(1)
        places += Self.word(place.lowerBound) + Self.word(place.count)
        placed += 1
      }
      let flags: [UInt8] = [2, 0, 0, item.isHidden ? 1 : 0]
      let names = item.names.map { source.span.copy(from: $0.lowerBound, byteCount: $0.count) } ?? [0]
      table += Self.box("infe", flags + Self.short(index + 1) + [0, 0] + item.kind.bytes + names)
      associations += Self.short(index + 1) + [UInt8(item.properties.count)]
      for number in item.properties {
        associations += isWide ? Self.short(number) : [UInt8(number & 0x7F | number >> 8)]
      }
    }
    let handler = Self.box(
      "hdlr", Self.word(0) + Self.word(0) + BoxName("pict").bytes + Array(repeating: 0, count: 13))
    let content =
      Self.word(0) + handler + Self.box("pitm", Self.word(0) + Self.short(primary))
      + Self.box("iloc", Self.word(0) + [0x44, 0] + Self.short(placed) + places)
      + Self.box("iinf", table)
      + (references.isEmpty ? [] : Self.box("iref", Self.word(0) + references))
      + Self.box("iprp", Self.box("ipco", properties) + Self.box("ipma", associations))
    return Self.box("meta", content)
  }

  // MARK: Properties

  private mutating func number(of property: HEIFBox) -> Int {
    if let number = numbers[property.content] { return number }
    let content = source.span.copy(from: property.content.lowerBound, byteCount: property.content.count)
    let number = addProperty(Self.box(property.name, content))
    numbers[property.content] = number
    return number
  }

  /// Adds a box, unless it is there already.
  private mutating func addProperty(_ box: [UInt8]) -> Int {
    if let number = numbersOfBytes[box] { return number }
    properties += box
    propertyCount += 1
    numbersOfBytes[box] = propertyCount
    return propertyCount
  }

  private static func ordered(_ properties: [HEIFItems.Property]) -> [HEIFItems.Property] {
    properties.filter { $0.box.name == "ispe" }
      + properties.filter { $0.box.name != "ispe" && !HEIFItems.transforms.contains($0.box.name) }
      + properties.filter { HEIFItems.transforms.contains($0.box.name) }
  }

  /// Properties that every reader may ignore, whatever a file says about them.
  private static let describing: Set<BoxName> = [
    "ispe", "pixi", "colr", "pasp", "auxC", "clli", "mdcv", "cclv", "amve", "rloc", "udes", "altt",
  ]

  /// Whether a reader must know a property: that of the codec, those that turn and crop, and unknown ones as the
  /// other file says.
  private func isEssential(_ property: HEIFItems.Property) -> Bool {
    ["av1C", "hvcC"].contains(property.box.name) || HEIFItems.transforms.contains(property.box.name)
      || property.isEssential && !Self.describing.contains(property.box.name)
  }

  // MARK: Bytes

  private static func box(_ name: BoxName, _ content: [UInt8]) -> [UInt8] {
    word(content.count + 8) + name.bytes + content
  }

  private static func word(_ value: Int) -> [UInt8] { value.bigEndianBytes(4) }

  private static func short(_ value: Int) -> [UInt8] { value.bigEndianBytes(2) }
}

extension BoxName {
  fileprivate var bytes: [UInt8] { value.bigEndianBytes(4) }
}
