import Foundation
import OzuBase
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

#if HEIF
  import OzuLibraryCodecs
#endif

/// Files that hold the same picture and are written in other ways, as telephones and cameras do.
@Suite("HEIC and AVIF of telephones and cameras")
struct HEIFVariantTests {
  private static let codecs = CodecRegistry.standard
  private static let types = ["heic", "avif"].filter { isDecodable("x.\($0)") }

  private func coded(_ type: String) throws -> ItemFile.Coded { try #require(try ItemFile.Coded(type)) }

  private func decoded(_ data: Data) throws -> Bitmap { try Self.codecs.picture(from: data).bitmap }

  // MARK: Properties

  private static let orders: [(type: String, order: Int, essential: Int)] = types.flatMap { type in
    (0..<6).flatMap { order in (0..<3).map { (type, order, $0) } }
  }

  @Test(
    "properties of a picture may have every order, and be essential or not", arguments: orders)
  func properties(type: String, order: Int, essential: Int) throws {
    let coded = try coded(type)
    // 32 x 16 in the middle, turned, and then mirrored.
    let turns = [ItemFile.crop(32, 16), ItemFile.turn(1), ItemFile.mirror(1)]
    let plain = ItemFile(type, coded, [ItemFile.color, ItemFile.depths] + turns)
    let expected = try decoded(plain.data)
    #expect(expected.size == PixelSize(16, 32))
    var variant = plain
    // Those that turn keep their order among themselves: it says what is shown.
    let describing = variant.items[0].properties.filter { !turns.contains($0) }
    let mixed: [[ItemFile.Property]] = [
      turns + describing, turns + describing.reversed(), turns.prefix(1) + describing + turns.suffix(2),
      turns.prefix(2) + describing + turns.suffix(1), describing.prefix(1) + turns + describing.dropFirst(),
      describing.reversed() + turns,
    ]
    variant.items[0].properties = mixed[order].map { property in
      // A crop that is not essential makes another picture of an AVIF for readers that leave it out.
      let isForced =
        property.name == "hvcC" || property.name == "av1C" || type == "avif" && property.name == "clap"
      return ItemFile.Property(
        box: property.box, isEssential: essential == 0 ? property.isEssential : essential == 1 || isForced)
    }
    let header = try Self.codecs.header(of: variant.data)
    #expect(header.orientation.applied(to: header.storedSize) == PixelSize(16, 32))
    #expect(try decoded(variant.data) == expected)
  }

  @Test("properties of a grid may have every order", arguments: types)
  func gridProperties(type: String) throws {
    let plain = try grid(type, rows: 1, columns: 2, [ItemFile.color, ItemFile.turn(3)])
    let expected = try decoded(plain.data)
    #expect(expected.size == PixelSize(64, 128))
    for shift in 1..<3 {
      var variant = plain
      let properties = plain.items[0].properties
      variant.items[0].properties = Array(properties[shift...] + properties[..<shift])
      #expect(try decoded(variant.data) == expected, "\(shift)")
    }
  }

  private func grid(
    _ type: String, rows: Int, columns: Int, _ properties: [ItemFile.Property] = []
  ) throws -> ItemFile {
    let coded = try coded(type)
    let (width, height) = (coded.width * columns, coded.height * rows)
    var file = ItemFile(type, coded)
    let content =
      [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + BoxFile.big(width, 2) + BoxFile.big(height, 2)
    file.items = [
      .init(id: 1, kind: "grid", content: content, properties: [ItemFile.size(width, height)] + properties)
    ]
    let tiles = Array(100..<100 + rows * columns)
    file.items += tiles.map { ItemFile.picture($0, coded) }
    file.refer("dimg", from: 1, to: tiles)
    return file
  }

  // MARK: References

  /// The names of the changes to the file of a telephone.
  private static let additions: [String] = [
    "EXIF of both", "EXIF of both, the other way round", "XMP of both", "thumbnail of both",
    "gain map of both",
    "gain map of both, the other way round", "all of both", "alpha of both", "depth", "matte", "flawed matte",
    "depth of both", "uri", "groups", "missing items", "item without a place", "one reference twice",
    "unknown kinds",
  ]

  private static let notes = [
    "depth": "depth", "depth of both": "depth", "flawed matte": "a portrait matte",
    "matte": "a portrait matte, mattes of what it shows",
  ]

  private static let variants = types.flatMap { type in additions.map { (type, $0) } }
  /// Each as a picture and as a grid; every second of them is each in one of these forms.
  private static let shapes = variants.enumerated().flatMap { index, variant in
    (index % 2 == 0 ? ["picture", "grid"] : ["grid", "picture"]).map { (variant, $0) }
  }

  private static let exif: [UInt8] =
    [0, 0, 0, 0] + Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x0F, 0, 2, 0, 0, 0, 4]
    + Array("Ozu\0".utf8)
    + [0, 0, 0, 0]
  private static let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
  private static let xmpNames = [0] + Array("application/rdf+xml\0".utf8)
  /// No gain to two stops, for a headroom of two stops.
  private static let gains: [UInt8] =
    [0, 0, 0, 0, 0, 0x40] + [0, 2, 0, 2, 1, 0, 0].flatMap { BoxFile.big($0, 4) + BoxFile.big(1, 4) }

  /// A picture with EXIF data, XMP, a thumbnail and a gain map, each of which refers to the picture alone.
  private func telephone(
    _ picture: ItemFile, _ coded: ItemFile.Coded, map: [ItemFile.Property] = []
  ) -> ItemFile {
    var file = picture
    file.brands.append("tmap")
    let gain = ItemFile.purpose("urn:com:apple:photo:2020:aux:hdrgainmap")
    file.items += [
      ItemFile.picture(2, coded, [gain] + map),
      .init(
        id: 3, kind: "tmap", content: Self.gains, properties: [file.items[0].properties[0], ItemFile.color]),
      .init(id: 4, kind: "Exif", content: Self.exif),
      .init(id: 5, kind: "mime", names: Self.xmpNames, content: Self.xmp),
      ItemFile.picture(6, coded),
    ]
    file.refer("dimg", from: 3, to: [1, 2])
    file.refer("auxl", from: 2, to: [1])
    file.refer("cdsc", from: 4, to: [1])
    file.refer("cdsc", from: 5, to: [1])
    file.refer("thmb", from: 6, to: [1])
    return file
  }

  private func add(_ addition: String, to file: inout ItemFile, _ coded: ItemFile.Coded) {
    func refer(_ items: [Int], to others: [Int]) {
      for index in file.references.indices
      where items.contains(file.references[index].from) && file.references[index].kind != "dimg" {
        file.references[index].to = others
      }
    }
    func auxiliary(_ id: Int, _ name: String, to others: [Int], isWhole: Bool = true) {
      var item = ItemFile.picture(id, coded, [ItemFile.purpose(name)])
      if !isWhole { item.properties.removeFirst() }
      file.items.append(item)
      file.refer("auxl", from: id, to: others)
    }
    let depth = "urn:mpeg:hevc:2015:auxid:2", matte = "urn:com:apple:photo:2018:aux:portraiteffectsmatte"
    switch addition {
    case "EXIF of both": refer([4], to: [1, 3])
    case "EXIF of both, the other way round": refer([4], to: [3, 1])
    case "XMP of both": refer([5], to: [1, 3])
    case "thumbnail of both": refer([6], to: [1, 3])
    case "gain map of both": refer([2], to: [1, 3])
    case "gain map of both, the other way round": refer([2], to: [3, 1])
    case "all of both": refer([2, 4, 5, 6], to: [1, 3])
    case "alpha of both":
      for index in file.references.indices where file.references[index].from == 7 {
        file.references[index].to = [1, 3]
      }
    case "depth": auxiliary(8, depth, to: [1])
    case "matte":
      auxiliary(8, matte, to: [1])
      auxiliary(9, "urn:com:apple:photo:2019:aux:semanticskymatte", to: [1, 3])
    case "flawed matte": auxiliary(8, matte, to: [1], isWhole: false)
    case "depth of both": auxiliary(8, depth, to: [3, 1])
    case "uri":
      file.items.append(
        .init(id: 8, kind: "uri ", names: [0] + Array("tag:apple.com,2023:photo\0".utf8), content: [1, 2, 3]))
      file.refer("cdsc", from: 8, to: [1, 3])
    case "groups":
      let members = [1, 3].flatMap { BoxFile.big($0, 4) }
      file.others = BoxFile.box(
        "grpl", BoxFile.box("altr", [0, 0, 0, 0, 0, 0, 0, 90, 0, 0, 0, 2] + members))
    case "missing items":
      file.refer("auxl", from: 77, to: [1])
      file.refer("cdsc", from: 78, to: [1, 79])
      file.refer("thmb", from: 80, to: [1])
    case "item without a place":
      file.items.append(.init(id: 8, kind: "Exif", content: nil))
      file.refer("cdsc", from: 8, to: [1])
    case "one reference twice":
      file.refer("auxl", from: 2, to: [1])
      file.refer("cdsc", from: 4, to: [1, 1])
    default:
      file.items.append(
        .init(
          id: 8, kind: "abcd", content: [9],
          properties: [.init(box: BoxFile.box("efgh", [1]), isEssential: true)]))
      file.refer("ijkl", from: 8, to: [1])
    }
  }

  @Test(
    "the other items of a file change neither picture nor metadata", arguments: Cases.every(2, of: shapes))
  func references(variant: (type: String, addition: String), shape: String) throws {
    let coded = try coded(variant.type)
    let base =
      shape == "grid"
      ? try grid(variant.type, rows: variant.type == "heic" ? 6 : 8, columns: 8)
      : ItemFile(variant.type, coded)
    // The map has the shape of the grid.
    let isWide = shape == "grid" && variant.type == "heic"
    var plain = telephone(base, coded, map: isWide ? [ItemFile.crop(64, 48)] : [])
    // A grid may have alpha that is one picture, which few libraries read.
    let hasAlpha = variant.addition == "alpha of both" && shape == "picture"
    if hasAlpha {
      plain.items.append(
        ItemFile.picture(7, coded, [ItemFile.purpose("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")]))
      plain.refer("auxl", from: 7, to: [1])
    }
    var file = plain
    add(variant.addition, to: &file, coded)
    #expect(file.data != plain.data || variant.addition == "alpha of both")
    let header = try Self.codecs.header(of: file.data)
    #expect(header.gainMap != nil && header.hasAlpha == hasAlpha)
    #expect(header.notes == (Self.notes[variant.addition].map { ["it also holds \($0)"] } ?? []))
    #expect(header.metadata?.camera == "Ozu")
    #expect(header.metadata?.hasThumbnail == (variant.type == "heic"))
    let metadata = try Self.codecs.metadata(of: file.data)
    #expect(try metadata == Self.codecs.metadata(of: plain.data))
    #expect(metadata.exif != nil && metadata.xmp != nil)
    let bitmap = try decoded(file.data)
    var bare = base
    if hasAlpha {
      bare.items.append(plain.items[plain.items.count - 1])
      bare.refer("auxl", from: 7, to: [1])
    }
    #expect(try bitmap == decoded(bare.data))
    #expect(bitmap.size == (shape == "grid" ? PixelSize(512, isWide ? 384 : 512) : PixelSize(64, 64)))
    let bright = try Self.codecs.picture(from: file.data, context: DecodingContext().brightened(toStops: 2))
    #expect(bright.bitmap.format == .rgba16, "\(bright.notes)")
  }

  @Test(
    "a file may have only the brand of a coding, or of MIAF",
    arguments: ["avci", "avcs", "j2ki", "jpeg", "miaf", "vvic"])
  func brands(brand: String) throws {
    guard Self.types.contains("heic") else { return }
    let plain = ItemFile("heic", try coded("heic"))
    var file = plain
    file.brands = [brand]
    #expect(try decoded(file.data) == decoded(plain.data))
  }

  @Test("a tile may stand twice in a grid, and tiles in every order", arguments: types)
  func tiles(type: String) throws {
    let expected = try decoded(grid(type, rows: 2, columns: 2).data)
    var file = try grid(type, rows: 2, columns: 2)
    file.references[0].to = [103, 101, 100, 102]
    #expect(try decoded(file.data) == expected)
    file.references[0].to = [102, 102, 100, 102]
    #expect(try decoded(file.data) == expected)
  }

  @Test("a thumbnail that is turned or cropped in another way than the picture is not taken for it")
  func thumbnails() throws {
    guard Self.types.contains("heic") else { return }
    let coded = try coded("heic")
    func hasSame(_ picture: [ItemFile.Property], _ thumbnail: [ItemFile.Property]) throws -> Bool {
      var file = ItemFile("heic", coded, picture)
      file.items.append(ItemFile.picture(2, coded, thumbnail))
      file.refer("thmb", from: 2, to: [1])
      return try #require(HEIFExcerpt(file.data, type: .heic)).thumbnail() != nil
    }
    #expect(try hasSame([], []))
    #expect(try hasSame([ItemFile.turn(1)], [ItemFile.turn(1)]))
    #expect(try hasSame([ItemFile.turn(2)], [ItemFile.mirror(0), ItemFile.mirror(1)]))
    #expect(try !hasSame([ItemFile.turn(1)], []))
    #expect(try !hasSame([], [ItemFile.turn(2)]))
    #expect(try !hasSame([ItemFile.turn(1), ItemFile.mirror(0)], [ItemFile.mirror(0), ItemFile.turn(1)]))
    #expect(try hasSame([ItemFile.crop(48, 32)], [ItemFile.crop(48, 32)]))
    #expect(try !hasSame([ItemFile.crop(48, 32)], []))
    #expect(try !hasSame([], [ItemFile.crop(32, 32)]))
    #if HEIF
      var file = ItemFile("heic", coded)
      file.items.append(ItemFile.picture(2, coded, []))
      file.refer("thmb", from: 2, to: [1])
      let opened = try HEIFDecoder().open(file.data, limits: .default)
      func thumbnail(_ side: Int) throws -> Bitmap? {
        try opened.embeddedThumbnail(atLeast: PixelSize(side, side), context: DecodingContext())
      }
      #expect(try thumbnail(64)?.size == PixelSize(64, 64))
      #expect(try thumbnail(65) == nil)
    #endif
  }

  @Test("an excerpt of an excerpt is the same, whatever is broken in the file", arguments: types)
  func mutants(type: String) throws {
    var file = telephone(try grid(type, rows: 1, columns: 2, [ItemFile.turn(1)]), try coded(type))
    add("all of both", to: &file, try coded(type))
    let data = file.data
    let end = try #require(BoxFile(data).boxes(["meta"])?.last).upperBound
    let count = Cases.count(200, of: 20_000)
    var random = SeededGenerator(seed: 46)
    var excerpts = 0
    for mutant in 0..<count {
      var bytes = Array(data)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 8..<end, using: &random)
        bytes[place] =
          [0, 1, 0x7F, 0xFF, bytes[place] ^ 1, bytes[place] &+ 1].randomElement(using: &random) ?? 0
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &random)) }
      let type = ImageType(rawValue: type)
      guard let excerpt = HEIFExcerpt(Data(bytes), type: type)?.picture() else { continue }
      excerpts += 1
      #expect(excerpt.count <= bytes.count + 4096, "seed 46, mutant \(mutant)")
      #expect(HEIFExcerpt(excerpt, type: type)?.picture() == excerpt, "seed 46, mutant \(mutant)")
      if type == .heic { _ = try? HEIFInspection.largestPixelCount(excerpt.span, limits: .default) }
    }
    #expect(excerpts > count / 10)
  }

  @Test("a file that ends before its picture is truncated", arguments: types)
  func truncated(type: String) throws {
    let data = ItemFile(type, try coded(type)).data
    // A file of 16 bytes says its brands.
    for length in 16..<data.count {
      if type == "avif", length == data.count - 1 {
        #expect(try Self.codecs.header(of: data.prefix(length)).storedSize == PixelSize(64, 64))
      }
      do throws(ImageDecodingError) {
        _ = try Self.codecs.picture(from: data.prefix(length))
        Issue.record("not refused")
      } catch {
        guard case .truncated(ImageType(rawValue: type), _) = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  @Test("chroma of 12 bits is as smooth in a picture of 8 bits as in one of 16")
  func chroma() throws {
    guard Self.types.contains("avif") else { return }
    let data = try fixture("deep/avif-420-12bit.avif")
    let eight = try Self.codecs.picture(from: data, context: DecodingContext(colorPolicy: .keep)).bitmap
    let deep = try Self.codecs.picture(
      from: data, context: DecodingContext(colorPolicy: .keep, pixelFormats: .asStored)
    ).bitmap
    #expect(deep.format == .rgba16 && eight.format == .bgra8)
    var most = 0
    for y in 0..<eight.size.height {
      for x in 0..<eight.size.width {
        let wide = deep.withUnsafeBytes { bytes in
          (0..<3).map {
            bytes.load(fromByteOffset: y * deep.bytesPerRow + x * 8 + $0 * 2, as: UInt16.self)
          }
        }
        let pixel = eight[x, y]
        for (own, other) in zip([pixel.red, pixel.green, pixel.blue], wide) {
          most = max(most, abs(Int(own) - (Int(other) + 128) / 257))
        }
      }
    }
    #expect(most <= 2)
  }
}
