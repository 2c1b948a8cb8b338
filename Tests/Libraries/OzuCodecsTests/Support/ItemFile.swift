import Foundation

/// A HEIF or AVIF file as its items, their properties and their references, which tests change and write.
struct ItemFile {
  struct Item {
    let id: Int
    let kind: String
    /// Its name, and the type of its content.
    var names: [UInt8] = [0]
    /// `nil` for an item without a place.
    var content: [UInt8]?
    var properties: [Property] = []
  }

  struct Property: Equatable {
    var box: [UInt8]
    var isEssential = false

    var name: String { String(decoding: box[4..<8], as: UTF8.self) }
  }

  let type: String
  var brands: [String]
  var items: [Item]
  var references: [(kind: String, from: Int, to: [Int])] = []
  /// Boxes beside the tables.
  var others: [UInt8] = []

  /// A coded picture, of 64 x 64 pixels unless said otherwise, with the configuration of its decoder.
  struct Coded {
    let kind: String
    let configuration: Property
    let bytes: [UInt8]
    let width: Int
    let height: Int

    init?(_ type: String) throws {
      let isAVIF = type == "avif"
      let data = try fixture(isAVIF ? "parts/grid.avif" : "matrix/heic-420.heic")
      self.init(type, data, item: isAVIF ? 1 : 0, side: 64)
    }

    /// The first item of a file, or another one.
    init?(_ type: String, _ data: Data, item: Int = 0, side: Int) {
      (width, height) = (side, side)
      let file = BoxFile(data)
      kind = type == "avif" ? "av01" : "hvc1"
      guard let configuration = file.box(["meta", "iprp", "ipco", type == "avif" ? "av1C" : "hvcC"]),
        let extent = file.extent(at: item)
      else { return nil }
      self.configuration = Property(box: configuration, isEssential: true)
      bytes = Array(file.bytes[extent])
    }
  }

  /// A file of one picture, the item 1, with these properties behind its size and configuration.
  init(_ type: String, _ coded: Coded, _ properties: [Property] = []) {
    self.type = type
    brands = ["mif1", type]
    items = [Self.picture(1, coded, properties)]
  }

  static func picture(_ id: Int, _ coded: Coded, _ properties: [Property] = []) -> Item {
    Item(
      id: id, kind: coded.kind, content: coded.bytes,
      properties: [size(coded.width, coded.height), coded.configuration] + properties)
  }

  static func size(_ width: Int, _ height: Int) -> Property {
    Property(box: BoxFile.box("ispe", [0, 0, 0, 0] + BoxFile.big(width, 4) + BoxFile.big(height, 4)))
  }

  /// Anticlockwise, in quarters.
  static func turn(_ quarters: UInt8) -> Property {
    Property(box: BoxFile.box("irot", [quarters]), isEssential: true)
  }

  static func mirror(_ axis: UInt8) -> Property {
    Property(box: BoxFile.box("imir", [axis]), isEssential: true)
  }

  /// Around the middle.
  static func crop(_ width: Int, _ height: Int) -> Property {
    let numbers = [width, 1, height, 1, 0, 1, 0, 1].flatMap { BoxFile.big($0, 4) }
    return Property(box: BoxFile.box("clap", numbers), isEssential: true)
  }

  /// sRGB in BT.601 of full range.
  static let color = Property(box: BoxFile.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80]))
  static let depths = Property(box: BoxFile.box("pixi", [0, 0, 0, 0, 3, 8, 8, 8]))

  /// Says what an auxiliary picture is for.
  static func purpose(_ name: String) -> Property {
    Property(box: BoxFile.box("auxC", [0, 0, 0, 0] + Array(name.utf8) + [0]), isEssential: true)
  }

  mutating func refer(_ kind: String, from item: Int, to others: [Int]) {
    references.append((kind, item, others))
  }

  var data: Data {
    let meta = meta(start: 0)
    let head = BoxFile.box("ftyp", Array(type.utf8) + [0, 0, 0, 0] + brands.flatMap { Array($0.utf8) })
    let start = head.count + meta.count + 8
    return Data(head + self.meta(start: start) + BoxFile.box("mdat", items.flatMap { $0.content ?? [] }))
  }

  private func meta(start: Int) -> [UInt8] {
    var boxes: [[UInt8]] = []
    var associations: [UInt8] = []
    var entries: [UInt8] = []
    var places: [UInt8] = []
    var place = start
    for item in items {
      let id = BoxFile.big(item.id, 2)
      entries += BoxFile.box(
        "infe", [2, 0, 0, item.id == 1 ? 0 : 1] + id + [0, 0] + Array(item.kind.utf8) + item.names)
      if let content = item.content {
        places += id + [0, 0, 0, 1] + BoxFile.big(place, 4) + BoxFile.big(content.count, 4)
        place += content.count
      }
      guard !item.properties.isEmpty else { continue }
      associations += id + [UInt8(item.properties.count)]
      for property in item.properties {
        let index = boxes.firstIndex(of: property.box) ?? boxes.count
        if index == boxes.count { boxes.append(property.box) }
        associations.append(UInt8(index + 1) | (property.isEssential ? 0x80 : 0))
      }
    }
    let handler: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + Array(repeating: 0, count: 13)
    let bound = items.count { !$0.properties.isEmpty }
    let placed = items.count { $0.content != nil }
    var content = BoxFile.box("hdlr", handler) + BoxFile.box("pitm", [0, 0, 0, 0, 0, 1])
    content += BoxFile.box("iloc", [0, 0, 0, 0, 0x44, 0] + BoxFile.big(placed, 2) + places)
    content += BoxFile.box("iinf", [0, 0, 0, 0] + BoxFile.big(items.count, 2) + entries)
    if !references.isEmpty {
      content += BoxFile.box(
        "iref",
        [0, 0, 0, 0]
          + references.flatMap { reference in
            BoxFile.box(
              reference.kind,
              BoxFile.big(reference.from, 2) + BoxFile.big(reference.to.count, 2)
                + reference.to.flatMap { BoxFile.big($0, 2) })
          })
    }
    content += BoxFile.box(
      "iprp",
      BoxFile.box("ipco", boxes.flatMap { $0 })
        + BoxFile.box("ipma", [0, 0, 0, 0] + BoxFile.big(bound, 4) + associations))
    return BoxFile.box("meta", [0, 0, 0, 0] + content + others)
  }
}

extension BoxFile {
  /// The place of an item by its index in the table, if all are in one piece and numbers have four bytes.
  func extent(at index: Int) -> Range<Int>? {
    guard let table = boxes(["meta", "iloc"])?.last, bytes[table.lowerBound + 8] == 0 else { return nil }
    let base = integer(at: table.lowerBound + 12, 2) & 0xF0 == 0 ? 0 : 4
    let entry = table.lowerBound + 20 + index * (14 + base)
    let start = (base == 0 ? 0 : integer(at: entry, 4)) + integer(at: entry + base + 2, 4)
    return start..<start + integer(at: entry + base + 6, 4)
  }
}
