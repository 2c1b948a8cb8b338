import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Ozu's own readers read the metadata blocks of written files.
@Suite("Blocks beside the pixels of written files")
struct WrittenMetadataTests {
  private let codecs = CodecRegistry.standard
  static let types = [ImageType.jpeg, .png, .webp, .avif, .jxl]
    .filter(CodecRegistry.standard.encodableTypes.contains)

  /// A profile for red, green and blue.
  static func profile() throws -> Data {
    let source = try fixture("icc/display-p3-two-segments-reversed.jpg")
    return try #require(CodecRegistry.standard.metadata(of: source).colorProfile).data
  }

  /// A profile that needs several segments of a JPEG and is mostly zero.
  static func longProfile(byteCount: Int = 140_001) throws -> Data {
    var profile = try profile()
    profile += Data(count: byteCount - profile.count)
    profile.replaceSubrange(..<4, with: PNGFile.big(byteCount))
    return profile
  }

  @Test("contain no profile for other colours, and none that makes the file unreadable", arguments: types)
  func uselessProfile(type: ImageType) throws {
    let gray = TableProfile(deviceClass: "mntr", space: "GRAY").data
    // libjxl writes all those zeros in a few bytes, and then refuses to read them.
    for profile in [Data("no profile".utf8), gray] + (type == .jxl ? [try Self.longProfile()] : []) {
      #expect(throws: ImageEncodingError.self) {
        try codecs.encode(
          waves(PixelSize(8, 8)), as: type,
          options: EncodingOptions(isLossless: true, metadata: .init(colorProfile: profile)))
      }
    }
  }

  @Test("are read as they were written", arguments: types, [true, false])
  func roundTrip(type: ImageType, isLossless: Bool) throws {
    // Blocks with odd lengths, which RIFF pads; a profile that needs several segments of a JPEG.
    let profile = try type == .jxl ? Self.profile() : Self.longProfile()
    let metadata = EncodedMetadata(
      exif: EXIFFile().data + (EXIFFile().data.count % 2 == 0 ? Data([0]) : Data()), xmp: sideways,
      colorProfile: profile, resolution: ImageResolution(horizontal: 300, vertical: 150))
    for isOpaque in [true, false] {
      let bitmap = waves(PixelSize(64, 48), isOpaque: isOpaque)
      var options = EncodingOptions(isLossless: isLossless)
      let plain = try codecs.encode(bitmap, as: type, options: options)
      options.metadata = metadata
      let file = try codecs.encode(bitmap, as: type, options: options)
      let found = try codecs.metadata(of: file)
      #expect(found.notes.isEmpty)
      #expect(found.exif == metadata.exif)
      #expect(found.xmp == metadata.xmp)
      // Lossy JPEG XL has its own colour space; the library returns sRGB, not the colours of the file's profile.
      if type != .jxl || isLossless {
        #expect(found.colorProfile?.data == profile)
        #expect(try codecs.header(of: file).colorProfileName == "sP3")
      }
      #expect(abs((found.resolution?.horizontal ?? 0) - 300) < 0.02)
      #expect(abs((found.resolution?.vertical ?? 0) - 150) < 0.02)
      // The pixels are the same.
      let context = DecodingContext(colorPolicy: .keep)
      let pixels = try codecs.picture(from: file, context: context).bitmap.withColorSpace(.sRGB)
      let others = try codecs.picture(from: plain, context: context).bitmap.withColorSpace(.sRGB)
      let turned = others.upright(from: try codecs.header(of: file).orientation, pool: .shared)
      if type != .jxl || isLossless { #expect(pixels == turned) }
    }
  }

  @Test("contain the resolution if there is no other block", arguments: types)
  func resolutionAlone(type: ImageType) throws {
    let options = EncodingOptions(metadata: .init(resolution: .init(dotsPerInch: 240)))
    let file = try codecs.encode(waves(PixelSize(8, 8)), as: type, options: options)
    #expect(abs((try codecs.header(of: file).dotsPerInch ?? 0) - 240) < 0.02)
    #expect(try codecs.encoder(for: type).keptMetadata == .all)
  }

  @Test("are not written by default", arguments: types)
  func none(type: ImageType) throws {
    let file = try codecs.encode(waves(PixelSize(8, 8)), as: type)
    #expect(try codecs.metadata(of: file) == ImageMetadata())
  }

  @Test("are left out of a JPEG if they are longer than a segment")
  func longSegments() throws {
    for (byteCount, isKept) in [(65_527, true), (65_528, false)] {
      let exif = EXIFFile().data + Data(count: byteCount - EXIFFile().data.count)
      let options = EncodingOptions(metadata: .init(exif: exif))
      let file = try codecs.encode(waves(PixelSize(8, 8)), as: .jpeg, options: options)
      #expect(try codecs.metadata(of: file).exif == (isKept ? exif : nil))
    }
  }

  @Test("are read from files of other programs")
  func foreign() throws {
    for name in ["exif.jpg", "exif.avif", "exif.jxl", "exif.tif"] where isDecodable(name) {
      let metadata = try codecs.metadata(of: fixture("metadata/\(name)"))
      #expect(metadata.exif.map { EXIFMetadata.find(in: $0.span)?.camera } == "Ozu Works Still 50")
      #expect(metadata.resolution?.horizontal == 300)
    }
    let profile = try codecs.metadata(of: fixture("icc/display-p3-two-segments-reversed.jpg")).colorProfile
    #expect(profile?.name == "sP3")
    let turned = try codecs.metadata(of: fixture("orientation/odd/jpeg-xmp-only-6.jpg"))
    #expect(turned.xmp?.isEmpty == false)
    guard isDecodable("heic-420.heic") else { return }
    let heic = try codecs.metadata(of: fixture("matrix/heic-420.heic"))
    #expect(heic.exif.map { EXIFMetadata.find(in: $0.span)?.camera } == "Canon EOS M")
    // Also after the pixels were decoded.
    let file = try codecs.open(fixture("matrix/heic-420.heic"))
    _ = try file.decode(DecodePlan(of: file, resize: nil, context: .init()), context: .init())
    #expect(file.readMetadata() == heic)
  }

  @Test(
    "of broken files are read without a crash", arguments: fixtures(in: "mutants") + fixtures(in: "bombs"))
  func mutants(path: String) throws {
    guard let file = try? codecs.open(fixture(path)) else { return }
    let metadata = file.readMetadata()
    #expect(metadata.exif?.count ?? 0 <= ImageMetadata.largestBlock)
  }

  @Test("of more than four megabytes are left out, with a note")
  func large() throws {
    let options = EncodingOptions(
      metadata: .init(xmp: Data(repeating: 0x20, count: ImageMetadata.largestBlock + 1)))
    let file = try codecs.encode(waves(PixelSize(8, 8)), as: .png, options: options)
    let metadata = try codecs.metadata(of: file)
    #expect(metadata.xmp == nil && metadata.notes.count == 1)
  }

  /// Without it, colours that stay as they are would be written as those of another space.
  @Test(
    "have the profile and the resolution of a bitmap, or of the picture in an icon",
    arguments: ["BMP", "ICO"])
  func enclosed(kind: String) throws {
    func little(_ values: [Int]) -> Data { Data(values.flatMap { PNGFile.big($0).reversed() }) }
    let profile = try Self.profile()
    var source: Data
    if kind == "BMP" {
      // Version 5 of the header, one white pixel, the profile behind it.
      let fields = [142 + profile.count, 0, 138, 124, 1, 1, 24 << 16 | 1, 0, 4, 11_811, 23_622]
      source = Data("BM".utf8) + little(fields)
      source += Data(count: 138 - source.count)
      source.replaceSubrange(70..<74, with: little([0x4D42_4544]))
      source.replaceSubrange(126..<134, with: little([128, profile.count]))
      source += Data([255, 255, 255, 0]) + profile
    } else {
      let metadata = EncodedMetadata(
        exif: EXIFFile(orientation: 1).data, colorProfile: profile, resolution: .init(dotsPerInch: 300))
      let png = try codecs.encode(
        waves(PixelSize(8, 8)), as: .png, options: EncodingOptions(metadata: metadata))
      source = Data([0, 0, 1, 0, 1, 0, 8, 8, 0, 0, 1, 0, 32, 0]) + little([png.count, 22]) + png
    }
    let kept = try codecs.picture(from: source, context: DecodingContext(colorPolicy: .keepProfile))
    #expect(kept.bitmap.colorSpace == .icc(name: "sP3"))
    var notes: [String] = []
    let written = try codecs.metadata(of: source).encoded(
      policy: .keepAll, size: kept.size, colorSpace: kept.bitmap.colorSpace, notes: &notes)
    #expect(written.colorProfile == profile && notes.isEmpty)
    #expect(abs((written.resolution?.horizontal ?? 0) - 300) < 0.02)
    let vertical = kind == "BMP" ? 600.0 : 300
    #expect(abs((written.resolution?.vertical ?? 0) - vertical) < 0.02)
    #expect((written.exif != nil) == (kind == "ICO"))
  }

  // MARK: Colours

  @Test("keep the look of colours, converted or with their profile", arguments: types)
  func colors(type: ImageType) throws {
    let source = try fixture("icc/display-p3-two-segments-reversed.jpg")
    let converted = try codecs.picture(from: source)
    let kept = try codecs.picture(
      from: source, context: DecodingContext(colorPolicy: ColorProfilePolicy.embed.colorPolicy))
    #expect(kept.bitmap.colorSpace == .icc(name: "sP3"))
    let small = try codecs.picture(
      from: source, resize: Resize(PixelSize(20, 20)), context: DecodingContext(colorPolicy: .keepProfile))
    #expect(small.bitmap.colorSpace == kept.bitmap.colorSpace)
    var notes: [String] = []
    let metadata = try codecs.metadata(of: source).encoded(
      policy: .strip, size: kept.size, colorSpace: kept.bitmap.colorSpace, notes: &notes)
    #expect(metadata.colorProfile != nil)
    let options = EncodingOptions(compressionQuality: 1, isLossless: true, metadata: metadata)
    let written = try codecs.picture(from: codecs.encode(kept, as: type, options: options))
    let difference = written.bitmap.largestDifference(from: converted.bitmap)
    #expect(difference <= (type == .jpeg ? 40 : 0))
    #expect(written.bitmap.meanDifference(from: converted.bitmap) < 1)
  }

  @Test("that are not red, green and blue under a profile are still converted")
  func keepProfile() throws {
    let context = DecodingContext(colorPolicy: .keepProfile)
    for name in ["matrix/jpeg-gray.jpg", "matrix/jpeg-cmyk-noprofile.jpg", "matrix/png-rgb16.png"] {
      let data = try fixture(name)
      #expect(try codecs.picture(from: data, context: context).bitmap == codecs.picture(from: data).bitmap)
    }
    // A profile for grey on a grey picture, and a truncated one.
    for profile in [TableProfile(deviceClass: "mntr", space: "GRAY").data, try Self.profile().dropLast()] {
      let plain = try codecs.encode(waves(PixelSize(8, 8)), as: .jpeg)
      let data = JPEGSegments.insert(EncodedMetadata(colorProfile: Data(profile)), into: plain)
      #expect(try codecs.metadata(of: data).colorProfile?.data == Data(profile))
      #expect(try codecs.picture(from: data, context: context).bitmap.colorSpace == .sRGB)
    }
  }

  @Test("that would have to be written with a profile of more than four megabytes are converted")
  func largeProfile() throws {
    guard Self.types.contains(.webp) else { return }
    let plain = try codecs.encode(waves(PixelSize(8, 8)), as: .webp)
    for (byteCount, isKept) in [(ImageMetadata.largestBlock, true), (ImageMetadata.largestBlock + 1, false)] {
      let profile = try Self.longProfile(byteCount: byteCount)
      let data = WebPContainer.insert(
        EncodedMetadata(colorProfile: profile), into: plain, size: PixelSize(8, 8))
      let picture = try codecs.picture(from: data, context: DecodingContext(colorPolicy: .keepProfile))
      #expect((picture.bitmap.colorSpace != .sRGB) == isKept)
      #expect(try codecs.metadata(of: data).colorProfile?.data == (isKept ? profile : nil))
    }
  }

  // MARK: Passes and chroma

  @Test(
    "are in JPEGs of one scan or several, with the requested chroma",
    arguments: [
      (ChromaSubsampling.automatic, 0.5, UInt8(0x22)), (.automatic, 0.95, 0x11), (.full, 0.5, 0x11),
      (.half, 0.95, 0x21), (.quarter, 0.95, 0x22),
    ], [false, true])
  func jpegFrame(chroma: (ChromaSubsampling, Double, UInt8), isProgressive: Bool) throws {
    let options = EncodingOptions(
      compressionQuality: chroma.1, metadata: .init(exif: EXIFFile().data), isProgressive: isProgressive,
      chromaSubsampling: chroma.0)
    let data = try codecs.encode(waves(PixelSize(40, 24)), as: .jpeg, options: options)
    // The markers up to the frame header, by their lengths.
    var position = 2
    while data[position] == 0xFF, ![0xC0, 0xC2].contains(data[position + 1]) {
      position += 2 + Int(data[position + 2]) << 8 + Int(data[position + 3])
    }
    #expect(data[position + 1] == (isProgressive ? 0xC2 : 0xC0))
    #expect([11, 14, 17].map { data[position + $0] } == [chroma.2, 0x11, 0x11])
    #expect(try codecs.header(of: data).isProgressive == isProgressive)
  }

  @Test("are in AVIF files with the requested chroma")
  func avifChroma() throws {
    guard Self.types.contains(.avif) else { return }
    for (chroma, step) in [
      (ChromaSubsampling.full, (1, 1)), (.half, (2, 1)), (.quarter, (2, 2)), (.automatic, (1, 1)),
    ] {
      let options = EncodingOptions(compressionQuality: 0.5, chromaSubsampling: chroma)
      let layout = try codecs.header(of: codecs.encode(waves(PixelSize(40, 24)), as: .avif, options: options))
        .planeLayout
      #expect(layout?.chromaStep?.horizontal == step.0 && layout?.chromaStep?.vertical == step.1)
    }
  }

  /// The search for a score would try formats whose files do not get smaller by it three times for nothing.
  @Test("are chosen by the search for a score in JPEG only")
  func searchedChroma() throws {
    for type in codecs.encodableTypes {
      #expect(try codecs.encoder(for: type).hasChromaSubsampling == (type == .jpeg))
    }
  }

  @Test("are in a WebP whose edges are sharper if full chroma is requested")
  func webpChroma() throws {
    guard Self.types.contains(.webp) else { return }
    let red = Bitmap(size: PixelSize(64, 64)) { x, y in
      (x / 3 + y / 3) % 2 == 0 ? Pixel(red: 255, green: 0, blue: 0) : Pixel(red: 0, green: 0, blue: 255)
    }
    func difference(_ chroma: ChromaSubsampling) throws -> Double {
      let options = EncodingOptions(compressionQuality: 0.95, chromaSubsampling: chroma)
      return try codecs.picture(from: codecs.encode(red, as: .webp, options: options)).bitmap
        .meanDifference(from: red)
    }
    #expect(try difference(.full) < difference(.automatic))
  }

  @Test("are in progressive JPEG XL files with similar or equal pixels", arguments: [true, false])
  func jxlPasses(isLossless: Bool) throws {
    guard Self.types.contains(.jxl) else { return }
    let bitmap = waves(PixelSize(300, 280))
    let options = EncodingOptions(compressionQuality: 0.9, isLossless: isLossless, isProgressive: true)
    let data = try codecs.encode(bitmap, as: .jxl, options: options)
    let once = try codecs.encode(
      bitmap, as: .jxl, options: EncodingOptions(compressionQuality: 0.9, isLossless: isLossless))
    #expect(data != once)
    let decoded = try codecs.picture(from: data).bitmap
    #expect(isLossless ? decoded == bitmap : decoded.signalToNoise(against: bitmap) > 35)
  }
}
