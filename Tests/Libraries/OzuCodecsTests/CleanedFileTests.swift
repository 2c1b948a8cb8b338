import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("Cleaned files")
struct CleanedFileTests {
  static let names = [
    "matrix/jpeg-baseline-420.jpg", "matrix/jpeg-progressive-444.jpg", "matrix/jpeg-arithmetic.jpg",
    "matrix/jpeg-restart-rows.jpg", "matrix/jpeg-cmyk-noprofile.jpg", "matrix/jpeg-rgb-colourspace.jpg",
    "icc/display-p3-two-segments-reversed.jpg", "matrix/png-rgba8.png", "matrix/png-palette.png",
    "matrix/png-trns-rgb.png", "matrix/anim.png", "matrix/webp-lossy.webp", "matrix/webp-lossless-alpha.webp",
    "matrix/webp-lossy-alpha.webp", "matrix/anim-lossy.webp", "matrix/gif-palette.gif", "matrix/anim.gif",
  ].filter(isDecodable)

  private static let exif = EXIFFile()
  private static let secret = Data("SECRET".utf8)

  private static func segment(_ marker: UInt8, _ content: Data) -> Data {
    Data([0xFF, marker] + TaggedFile.big(content.count + 2, 2)) + content
  }

  private static let packet = TaggedFile.xmp(
    "<dc:rights>SECRET rights</dc:rights>", attributes: "photoshop:City=\"SECRET\"")
  private static let iptc = Data(TaggedFile.dataSet(90, "SECRET") + TaggedFile.dataSet(80, "Somebody"))

  /// A file with every kind of metadata that its format has, content credentials among them, and bytes after its end.
  private static func dirty(_ name: String, exif: Data = exif.data) throws -> Data {
    let file = try fixture(name)
    let end = Data([0xFF, 0xD8]) + secret + Data([0xFF, 0xD9])
    switch URL(filePath: name).pathExtension {
    case "jpg":
      let resources =
        Data("Photoshop 3.0\u{0}8BIM".utf8) + [4, 4, 0, 0] + TaggedFile.big(iptc.count, 4) + iptc
        + Data(count: iptc.count % 2)
      let box =
        Data([0x4A, 0x50, 0, 1, 0, 0, 0, 1, 0, 0, 0, 60]) + Data("jumb".utf8) + [0, 0, 0, 40]
        + Data("jumdc2pa".utf8) + secret
      let segments =
        segment(0xE1, Data("Exif\0\0".utf8) + exif)
        + segment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + packet) + segment(0xED, resources)
        + segment(0xEB, box) + segment(0xEC, secret) + segment(0xFE, secret)
      return file.prefix(2) + segments + file.dropFirst(2) + end
    case "png":
      func chunk(_ name: String, _ content: Data) -> Data {
        Data(TaggedFile.big(content.count, 4)) + Data(name.utf8) + content + Data(count: 4)
      }
      let chunks =
        chunk("eXIf", exif) + chunk("tEXt", Data("Comment\0".utf8) + secret)
        + chunk("tEXt", Data("exif:GPSLatitude\0".utf8) + Self.exif.place)
        + chunk("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + packet) + chunk("caBX", secret)
        + chunk("tIME", Data(count: 7)) + chunk("prVt", secret)
      return file.prefix(33) + chunks + file.dropFirst(33) + end
    case "webp":
      let size = try CodecRegistry.standard.header(of: file).storedSize
      let full = WebPContainer.insert(EncodedMetadata(exif: exif, xmp: packet), into: file, size: size)
      let chunks = full.dropFirst(12) + Data("C2PA".utf8) + [6, 0, 0, 0] + secret
      return Data("RIFF".utf8) + TaggedFile.big(chunks.count + 4, 4).reversed() + Data("WEBP".utf8) + chunks
        + end
    default:
      let trailer = [UInt8(1)] + (0...255).reversed().map { UInt8($0) } + [0]
      let application: [UInt8] = [0x21, 0xFF, 11]
      var blocks = Data([0x21, 0xFE, 6]) + Self.secret
      blocks += [0] + application
      blocks += Data("XMP DataXMP".utf8) + Self.packet
      blocks += trailer + application
      blocks += Data("C2PA_GIF".utf8) + [1, 0, 0, 6]
      blocks += Self.secret + [0]
      return file.dropLast() + blocks + [0x3B] + end
    }
  }

  @Test("have the coded pixels of the original, and nothing else", arguments: names)
  func nothing(name: String) throws {
    let plain = try fixture(name)
    let dirty = try Self.dirty(name)
    let cleaned = try CleanedFile(dirty, keeping: [])
    #expect(cleaned.data.range(of: Self.secret) == nil && cleaned.data.range(of: Self.exif.place) == nil)
    #expect(cleaned.data.range(of: Data("Maker".utf8)) == nil)
    #expect(cleaned.dropped.contains("content credentials (C2PA)"))
    #expect(cleaned.dropped.contains { $0.contains("bytes after the picture") })
    // The metadata that were added are all that goes, except for what the fixture has of its own.
    let bare = try CleanedFile(plain, keeping: [])
    if !name.hasSuffix(".webp") || cleaned.data.count == bare.data.count {
      #expect(cleaned.data == bare.data)
    }
    // Without anything more to drop.
    let again = try CleanedFile(cleaned.data, keeping: [])
    #expect(again.data == cleaned.data && again.dropped.isEmpty && again.notes.isEmpty)
    if let scan = plain.range(of: Data([0xFF, 0xDA])), cleaned.type == .jpeg {
      #expect(cleaned.data.suffix(plain.count - scan.lowerBound) == plain[scan.lowerBound...])
    }
    if bare.dropped.isEmpty {
      #expect(try frames(of: cleaned.data) == frames(of: plain))
    }
  }

  /// All frames of a file.
  private func frames(of file: Data) throws -> [Bitmap] {
    let picture = try CodecRegistry.standard.picture(from: file)
    guard let animation = picture.animation else { return [picture.bitmap] }
    return try (0..<animation.frameCount).map { try animation.frame(at: $0) }
  }

  @Test("look the same with orientation and profile, and tell nothing", arguments: names)
  func appearance(name: String) throws {
    let dirty = try Self.dirty(name)
    let cleaned = try CleanedFile(dirty)
    #expect(cleaned.data.range(of: Self.secret) == nil && cleaned.data.range(of: Self.exif.place) == nil)
    let registry = CodecRegistry.standard
    let (before, after) = (try registry.header(of: dirty), try registry.header(of: cleaned.data))
    #expect(after.orientation == before.orientation && after.colorEncoding == before.colorEncoding)
    #expect(after.metadata == nil && after.frameCount == before.frameCount)
    if !name.hasSuffix(".png") { #expect(try frames(of: cleaned.data) == frames(of: dirty)) }
    #expect(
      try registry.picture(from: cleaned.data).bitmap
        == registry.picture(from: CleanedFile(cleaned.data).data).bitmap)
  }

  @Test("say that a picture lies on its side if its orientation goes", arguments: [1, 6])
  func orientation(value: Int) throws {
    let dirty = try Self.dirty("matrix/jpeg-gray.jpg", exif: EXIFFile(orientation: value).data)
    let cleaned = try CleanedFile(dirty, keeping: [])
    #expect(
      cleaned.notes.isEmpty == (value == 1) && cleaned.dropped.contains("the orientation") == (value == 6))
    #expect(try CodecRegistry.standard.header(of: cleaned.data).orientation == .up)
    #expect(try CleanedFile(dirty).data.range(of: Data("Exif".utf8)) == nil || value == 6)
  }

  @Test(
    "keep everything but the place",
    arguments: ["matrix/jpeg-baseline-420.jpg", "matrix/png-rgba8.png", "matrix/webp-lossy.webp"].filter(
      isDecodable))
  func details(name: String) throws {
    let dirty = try Self.dirty(name)
    let cleaned = try CleanedFile(dirty, keeping: .everythingButPlace)
    #expect(
      cleaned.data.range(of: Self.exif.place) == nil && cleaned.data.range(of: Self.exif.makerNote) == nil)
    #expect(
      cleaned.data.range(of: EXIFFile.thumbnail) == nil && cleaned.data.range(of: EXIFFile.padding) == nil)
    let header = try CodecRegistry.standard.header(of: cleaned.data)
    #expect(header.metadata?.camera == "Maker M1" && header.metadata?.captureDate == "2024:05:06 07:08:09")
    #expect(header.metadata?.hasPlace == false && header.metadata?.hasThumbnail == false)
    #expect(header.orientation == .right)
    for part in ["the place", "the maker note", "the thumbnail", "XMP"] {
      #expect(cleaned.dropped.contains(part), "\(part)")
    }
    let values = try CodecRegistry.standard.metadata(of: cleaned.data).values
    #expect(values.copyright == "SECRET rights")
    if name.hasSuffix(".jpg") {
      // Names of people stay, those of towns go.
      #expect(values.artist == "Somebody" && !values.otherTags.contains { $0.name == "City" })
    }
    // The names of people are a part of their own.
    let nameless = try CleanedFile(dirty, keeping: .details)
    let others = try CodecRegistry.standard.metadata(of: nameless.data).values
    #expect(others.artist == nil && others.copyright == nil && others.make == "Maker")
    #expect(nameless.dropped.contains("the names") || !name.hasSuffix(".jpg"))
  }

  @Test("keep the rights of any block in the one of the format")
  func copyright() throws {
    for name in ["matrix/jpeg-baseline-420.jpg", "matrix/png-rgba8.png"] {
      let cleaned = try CleanedFile(Self.dirty(name), keeping: .copyright)
      let values = try CodecRegistry.standard.metadata(of: cleaned.data).values
      #expect(values.copyright == "SECRET rights" && values.make == nil && values.orientation == nil)
    }
    let gif = try CleanedFile(Self.dirty("matrix/anim.gif"), keeping: .copyright)
    #expect(gif.data.range(of: Data([0x21, 0xFE, 13]) + Data("SECRET rights".utf8) + [0, 0x3B]) != nil)
  }

  @Test(
    "end their scan where that of the original ends, at whatever marker",
    arguments: [[0x67, 0xA1, 0x66, 0xB2], [0x01], [0xC4, 0xFF], [0xE1, 0xFF, 0xFF, 0x53]] as [[UInt8]])
  func brokenEnd(end: [UInt8]) throws {
    // Whether a scan that is too short is damaged or cut off depends on what is behind it.
    var file = Data(try fixture("matrix/jpeg-baseline-420.jpg").dropLast(60))
    file += [0xFF] + end
    let cleaned = try CleanedFile(file, keeping: .appearance)
    #expect(cleaned.notes == ["the file has no end"])
    #expect((try? frames(of: cleaned.data)) == (try? frames(of: file)))
    #expect(try CleanedFile(cleaned.data, keeping: .appearance).data == cleaned.data)
  }

  @Test(
    "of damaged and cut ones show what these show",
    arguments: fixtures(in: "mutants").filter { name in
      isDecodable(name) && ["gif", "jpg", "png", "webp"].contains { name.hasSuffix($0) }
    })
  func damaged(name: String) throws {
    let file = try fixture(name)
    guard let cleaned = try? CleanedFile(file, keeping: .appearance) else { return }
    for allowsTruncation in [false, true] {
      let context = DecodingContext(allowsTruncation: allowsTruncation)
      let before = try? CodecRegistry.standard.picture(from: file, context: context).bitmap
      let after = try? CodecRegistry.standard.picture(from: cleaned.data, context: context).bitmap
      #expect(before == nil || after == before, "truncation \(allowsTruncation)")
    }
  }

  /// libwebp reads a picture that is damaged on into the chunk behind it.
  @Test(
    "show the picture of the original, also of a damaged one",
    arguments: names.filter { !$0.hasSuffix("webp") }, 0..<4)
  func damagedPictures(name: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sound = try fixture(name)
    for round in 0..<60 {
      var data = sound
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 2..<data.count - 1, using: &random)
        let marker = [0xFF, .random(in: 0...255, using: &random)] as [UInt8]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: data[place] = .random(in: 0...255, using: &random)
        case 1: data.replaceSubrange(place..<place + 2, with: marker)
        case 2:
          let marker: UInt8 = [0xE1, 0xEE, 0xFE].randomElement(using: &random) ?? 0xE0
          data.insert(contentsOf: Self.segment(marker, Self.secret), at: place)
        default: data.replaceSubrange(place..<min(place + 3, data.count), with: marker + [0])
        }
      }
      guard let cleaned = try? CleanedFile(data) else { continue }
      // Of damaged data near the end of a file, libjpeg-turbo makes other pixels than of the same data before its end.
      let end = cleaned.type == .jpeg ? Data(count: 8192) : Data()
      if end.isEmpty || cleaned.notes.isEmpty, let before = try? frames(of: data + end) {
        #expect((try? frames(of: cleaned.data + end)) == before, "round \(round)")
      }
      #expect(try CleanedFile(cleaned.data).data == cleaned.data, "round \(round)")
    }
  }

  @Test("of GIF go on after zeros between two blocks, and end at any other byte")
  func zerosInGIF() throws {
    let plain = try fixture("matrix/anim.gif")
    let start = try #require(plain.range(of: Data([0x21, 0xF9]))).lowerBound
    for end in [[0x3B], [0x99, 1, 2]] as [[UInt8]] {
      let cleaned = try CleanedFile(plain[..<start] + [0, 0] + plain[start...].dropLast() + end)
      #expect(cleaned.data == plain && cleaned.notes.isEmpty)
      #expect(cleaned.dropped == (end.count == 1 ? [] : ["3 bytes after the picture: no part of it"]))
    }
  }

  @Test("of PNG that Xcode has changed have their chunks in the same order")
  func appleVariant() throws {
    var data = PNGFile(size: PixelSize(1, 1), colorType: 6, samples: [0, 0, 0, 0]).data
    data.insert(contentsOf: PNGFile.chunk("CgBI", [0x50, 0, 0x20, 2]), at: 8)
    #expect(try CleanedFile(data).data == data)
  }

  @Test(
    "keep the rights in compressed XMP and in the hexadecimal digits of older programs",
    arguments: ["iTXt", "xmp", "APP1", "exif"])
  func hiddenCopyright(kind: String) throws {
    let xmp = TaggedFile.xmp("<dc:rights>whose</dc:rights>")
    let content: Data
    if kind == "iTXt" {
      content = Data("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + PNGFile.zlib([UInt8](xmp))
    } else {
      let block =
        kind == "xmp"
        ? xmp
        : kind == "APP1"
          ? Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp
          : Data("MM\0*\0\0\0\u{8}\0\u{2}".utf8) + [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
            + [0x82, 0x98, 0, 2, 0, 0, 0, 6, 0, 0, 0, 38] + Data(count: 4) + Data("whose\0".utf8)
      let digits = block.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let text = Array("\n\(kind)\n    \(block.count)\n\(digits)\n".utf8)
      content = Data("Raw profile type \(kind)\0\0".utf8) + PNGFile.zlib(text)
    }
    let chunk =
      Data(TaggedFile.big(content.count, 4)) + Data((kind == "iTXt" ? "iTXt" : "zTXt").utf8) + content
      + Data(count: 4)
    let plain = try fixture("matrix/png-rgba8.png")
    let file = plain.prefix(33) + chunk + plain.dropFirst(33)
    let cleaned = try CleanedFile(file, keeping: .copyright)
    #expect(try CodecRegistry.standard.metadata(of: cleaned.data).values.copyright == "whose")
    #expect(cleaned.dropped.contains(kind == "iTXt" ? "XMP" : "metadata in a text"))
    // No viewer turns a picture by them.
    #expect(try CodecRegistry.standard.header(of: cleaned.data).orientation == .up)
    #expect(try CleanedFile(file).data == CleanedFile(plain).data)
  }

  @Test("keep no XMP with the details, in whatever text of a PNG it is", arguments: ["iTXt", "tEXt", "zTXt"])
  func xmpInText(kind: String) throws {
    let keyword = Array("XML:com.adobe.xmp\0".utf8) + [UInt8](repeating: 0, count: kind == "iTXt" ? 4 : 0)
    let packet = kind == "zTXt" ? [0] + PNGFile.zlib([UInt8](Self.packet)) : [UInt8](Self.packet)
    var dirty = PNGFile(size: PixelSize(1, 1), colorType: 6, samples: [0, 0, 0, 0])
    dirty.chunks = [(name: kind, content: keyword + packet)]
    let cleaned = try CleanedFile(dirty.data, keeping: .everythingButPlace)
    #expect(cleaned.data.range(of: Data("adobe".utf8)) == nil && cleaned.dropped.contains("XMP"))
  }

  @Test("are made of any bytes, whole or cut, or refused", arguments: names)
  func hostile(name: String) throws {
    var random = SeededGenerator(seed: 46)
    let dirty = try Self.dirty(name)
    for round in 0..<400 {
      var data = dirty
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        data[Int.random(in: 0..<min(data.count, 2000), using: &random)] =
          [0, 1, 0x7F, 0xFF].randomElement(using: &random) ?? 0
      }
      if round % 3 == 0 { data = data.prefix(Int.random(in: 0...data.count, using: &random)) }
      // Offsets count from the file's first byte, also in a slice.
      let slice = (Data([1, 2, 3]) + data).dropFirst(3)
      let cleaned = try? CleanedFile(data, keeping: .everythingButPlace)
      let same = try? CleanedFile(slice, keeping: .everythingButPlace)
      #expect(same == cleaned, "round \(round)")
      if let cleaned { #expect(cleaned.data.count <= data.count + 9000, "round \(round)") }
    }
  }

  @Test(
    "are turned upright without loss where their sides allow it", arguments: Array(2...8),
    [ChromaSubsampling.full, .half, .quarter])
  func upright(orientation: Int, chroma: ChromaSubsampling) throws {
    for isProgressive in [false, true] {
      let stored = ImageResolution(horizontal: 300, vertical: 150)
      let options = EncodingOptions(
        metadata: .init(resolution: stored), isProgressive: isProgressive, chromaSubsampling: chroma)
      let plain = try CodecRegistry.standard.encode(waves(PixelSize(64, 48)), as: .jpeg, options: options)
      func turned(_ file: Data, from orientation: Int) throws -> CleanedFile {
        let exif = Data("Exif\0\0".utf8) + EXIFFile(orientation: orientation).data
        return try CleanedFile(
          file.prefix(2) + Self.segment(0xE1, exif) + file.dropFirst(2), keeping: .everythingButPlace)
      }
      let before = try turned(plain, from: orientation)
      let after = before.turnedUpright(by: .standard)
      #expect(after.notes == ["it is stored upright now"])
      let header = try CodecRegistry.standard.header(of: after.data)
      #expect(header.orientation == .up && header.metadata?.camera == "Maker M1")
      #expect(header.isProgressive == isProgressive)
      #expect(header.storedSize == (orientation < 5 ? PixelSize(64, 48) : PixelSize(48, 64)))
      let metadata = try CodecRegistry.standard.metadata(of: after.data)
      let dots = orientation < 5 ? stored : ImageResolution(horizontal: 150, vertical: 300)
      #expect(metadata.resolution == dots)
      #expect(metadata.exif.flatMap { EXIFMetadata.resolution(in: $0.span) } == dots)
      // A transform of eight samples is rounded on the way.
      let (old, new) = (
        try CodecRegistry.standard.picture(from: before.data),
        try CodecRegistry.standard.picture(from: after.data)
      )
      #expect(old.bitmap.largestDifference(from: new.bitmap) <= 4)
      // Turned back, it has the coefficients that it had.
      let inverse = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation
      let back = try turned(after.data, from: inverse).turnedUpright(by: .standard)
      #expect(try picture(back.data) == picture(plain))
    }
  }

  private func picture(_ file: Data) throws -> Bitmap {
    try CodecRegistry.standard.picture(from: file).bitmap
  }

  @Test(
    "stay as they are if their sides do not allow it",
    arguments: [(2, PixelSize(60, 48)), (6, PixelSize(64, 44)), (3, PixelSize(64, 44))])
  func untouched(orientation: Int, size: PixelSize) throws {
    let plain = try CodecRegistry.standard.encode(waves(size), as: .jpeg)
    let exif = Data("Exif\0\0".utf8) + EXIFFile(orientation: orientation).data
    let cleaned = try CleanedFile(plain.prefix(2) + Self.segment(0xE1, exif) + plain.dropFirst(2))
    let same = cleaned.turnedUpright(by: .standard)
    #expect(same.data == cleaned.data)
    #expect(same.notes == ["it is not turned without loss: its sides are no multiples of its blocks"])
    // A damaged one too.
    let cut = try CleanedFile(Data(cleaned.data.dropLast(40)))
    #expect(cut.turnedUpright(by: .standard).data == cut.data)
    // And one beyond the limits.
    #expect(
      cleaned.turnedUpright(by: .standard, limits: DecodingLimits(decodedByteCount: 1000)).data
        == cleaned.data)
  }

  @Test(
    "stay as they are if they were cut in arithmetic coding and got an end, and are turned if they are whole",
    arguments: ["jpeg-arithmetic.jpg", "jpeg-arith-progressive.jpg"])
  func cutBeforeEnd(name: String) throws {
    let file = try fixture("matrix/\(name)")
    let exif = Self.segment(0xE1, Data("Exif\0\0".utf8) + EXIFFile(orientation: 5).data)
    let whole = try CleanedFile(file.prefix(2) + exif + file.dropFirst(2))
    #expect(whole.turnedUpright(by: .standard).notes == ["it is stored upright now"])
    for missing in stride(from: 200, through: 1000, by: 200) {
      let cut = try CleanedFile(whole.data.dropLast(missing) + Data([0xFF, 0xD9]))
      let same = cut.turnedUpright(by: .standard)
      #expect(same.data == cut.data)
      #expect(same.notes.contains { $0.contains("bytes are missing") }, "\(missing): \(same.notes)")
    }
  }

  /// A decoder that a file has taken over: it returns the same for any file that it is to turn.
  private struct LyingDecoder: LosslessTurning {
    let answer: Data
    var types: [ImageType] { [.jpeg] }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      try JPEGThumbnailDecoder().open(data, limits: limits)
    }

    func turned(
      _ data: Data, from orientation: Orientation, limits: DecodingLimits
    ) throws(ImageDecodingError) -> Data {
      answer
    }
  }

  @Test("are not replaced by another file of a decoder that was taken over")
  func lie() throws {
    let exif = Data("Exif\0\0".utf8) + EXIFFile(orientation: 6).data
    func file(_ size: PixelSize, _ middle: Data) throws -> Data {
      let plain = try CodecRegistry.standard.encode(waves(size), as: .jpeg)
      return plain.prefix(2) + middle + plain.dropFirst(2)
    }
    let cleaned = try CleanedFile(file(PixelSize(64, 48), Self.segment(0xE1, exif)))
    let lies = [
      Data(), Data("<html>".utf8), try file(PixelSize(64, 48), Data()), try file(PixelSize(4000, 48), Data()),
      try file(PixelSize(48, 64), Self.segment(0xE1, exif)),
    ]
    for lie in lies {
      var codecs = CodecRegistry.standard
      codecs.register(decoder: LyingDecoder(answer: lie))
      let same = cleaned.turnedUpright(by: codecs)
      #expect(same.data == cleaned.data)
      #expect(same.notes.first?.hasSuffix("the result is another picture") == true)
    }
  }

  @Test(
    "of other formats are refused",
    arguments: ["matrix/bmp-rgb24.bmp", "matrix/tiff-raw.tif", "matrix/avif-alpha.avif"])
  func refused(name: String) throws {
    let file = try fixture(name)
    #expect(throws: ImageDecodingError.self) { try CleanedFile(file) }
    #expect(throws: ImageDecodingError.emptyData) { try CleanedFile(Data()) }
    #expect(throws: ImageDecodingError.notAnImage(kind: "an HTML page")) {
      try CleanedFile(Data("<html>".utf8))
    }
  }
}
