import Foundation
import OzuStandardCodecs
import Testing

@testable import OzuCodecs
@testable import OzuImaging

@Suite("High dynamic range and wide colours from HEIC, TIFF and files with ICC profiles")
struct HighDynamicRangeSourcesTests {
  private static let codecs = CodecRegistry.standard
  private static let count = 256

  /// A profile that declares its colours by the `cicp` tag and nothing else.
  private static func profile(primaries: UInt8, transfer: UInt8) -> Data {
    var bytes = [UInt8](repeating: 0, count: 128)
    bytes.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
    bytes += PNGFile.big(1) + Array("cicp".utf8) + PNGFile.big(144) + PNGFile.big(12)
    bytes += Array("cicp".utf8) + [0, 0, 0, 0, primaries, transfer, 0, 1]
    bytes.replaceSubrange(0..<4, with: PNGFile.big(bytes.count))
    return Data(bytes)
  }

  private static let ramp = (0..<count).flatMap { (x: Int) -> [Int] in [x * 257, (255 - x) * 200, x * 100] }

  /// The ramp as a TIFF of 16 bits with a profile.
  private static func tiff(_ profile: Data) -> Data {
    TIFFFile(
      size: PixelSize(count, 1), bits: 16, photometric: 2, samplesPerPixel: 3, profile: profile,
      strips: [ramp.flatMap { TIFFFile.little($0, 2) }]
    ).data
  }

  /// The same as a PNG, with numbers of H.273 in the chunk cICP.
  private static func png(primaries: UInt8, transfer: UInt8) -> Data {
    PNGFile(
      size: PixelSize(count, 1), colorType: 2, bitDepth: 16,
      samples: ramp.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
      chunks: [("cICP", [primaries, transfer, 0, 1])]
    ).data
  }

  private static func words(_ bitmap: Bitmap) -> [Int] {
    bitmap.withUnsafeBytes { bytes in
      (0..<bitmap.size.width).flatMap { x in
        (0..<3).map { Int(bytes.load(fromByteOffset: x * 8 + $0 * 2, as: UInt16.self)) }
      }
    }
  }

  #if TIFF
    @Test(
      "a TIFF of 16 bits is tone-mapped by its profile as a PNG is by its chunk", arguments: [UInt8(16), 18])
    func tiff(transfer: UInt8) throws {
      guard Self.codecs.decodableTypes.contains(.tiff) else { return }
      let file = Self.tiff(Self.profile(primaries: 9, transfer: transfer))
      let picture = try Self.codecs.picture(from: file)
      #expect(picture.notes.contains { $0.contains("tone-mapped") })
      #expect(
        picture.bitmap == (try Self.codecs.picture(from: Self.png(primaries: 9, transfer: transfer))).bitmap)
      let kept = try Self.codecs.picture(
        from: file, context: DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
      ).bitmap
      #expect(kept.format == .rgba16 && Self.words(kept) == Self.ramp)
      guard case .icc = kept.colorSpace else {
        Issue.record("\(kept.colorSpace)")
        return
      }
    }

    @Test("a TIFF of 16 bits in Display P3 is converted, or kept with its profile, in all its bits")
    func wideGamut() throws {
      guard Self.codecs.decodableTypes.contains(.tiff) else { return }
      let source = try fixture("icc/display-p3-two-segments-reversed.jpg")
      let profile = try #require(try Self.codecs.metadata(of: source).colorProfile?.data)
      let file = Self.tiff(profile)
      let narrow = try Self.codecs.picture(from: file).bitmap
      #expect(narrow.format == .bgra8 && narrow.colorSpace == .sRGB)
      let context = DecodingContext(pixelFormats: .asStored)
      let converted = try Self.codecs.picture(from: file, context: context).bitmap
      #expect(converted.format == .rgba16 && converted.colorSpace == .sRGB)
      #expect(Self.words(converted) != Self.ramp)
      // If it is cut to 8 bits first, colours near the edge of sRGB are coarser.
      var sum = 0
      for x in 0..<Self.count {
        let (one, other) = (narrow[x, 0], converted.converted(to: .bgra8)[x, 0])
        let difference = abs(Int(one.red) - Int(other.red)) + abs(Int(one.green) - Int(other.green))
        #expect(difference <= 16, "\(one) \(other)")
        sum += difference
      }
      #expect(sum < Self.count)
      let keeping = DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
      let kept = try Self.codecs.picture(from: file, context: keeping).bitmap
      #expect(Self.words(kept) == Self.ramp)
      var options = EncodingOptions()
      options.metadata.colorProfile = profile
      let written = try Self.codecs.encode(kept, as: .png, options: options)
      let read = try Self.codecs.picture(from: written, context: keeping).bitmap
      #expect(read.colorSpace == kept.colorSpace && Self.words(read) == Self.ramp)
    }
  #endif

  @Test("files of 8 bits are tone-mapped by a profile too", arguments: [ImageType.jpeg, .png, .webp, .avif])
  func profiles(type: ImageType) throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    let bitmap = Bitmap(size: PixelSize(64, 64)) { x, y in
      Pixel(red: UInt8(x * 3), green: UInt8(y * 3), blue: 100)
    }
    var options = EncodingOptions(compressionQuality: 0.9)
    options.metadata.colorProfile = Self.profile(primaries: 9, transfer: 16)
    let file = try Self.codecs.encode(bitmap, as: type, options: options)
    let picture = try Self.codecs.picture(from: file)
    #expect(picture.notes.contains { $0.contains("tone-mapped") }, "\(picture.notes)")
    // 140 of 255 under PQ are 162 candelas per square metre: most of white.
    #expect(picture.bitmap[46, 46].red > 200)
    // Numbers without a meaning.
    options.metadata.colorProfile = Self.profile(primaries: 77, transfer: 16)
    let odd = try Self.codecs.picture(from: try Self.codecs.encode(bitmap, as: type, options: options))
    #expect(odd.notes.contains { $0.contains("cannot be used") } && odd.bitmap.colorSpace == .sRGB)
    #expect(abs(Int(odd.bitmap[46, 46].red) - 138) < 12)
  }

  /// A HEIC whose box `colr` declares PQ, with light levels among its properties.
  private static func heic(_ levels: [UInt8]) throws -> Data {
    var file = BoxFile(try fixture("matrix/heic-420.heic"))
    let place = try #require(file.firstRange(of: "nclx"))
    file.replace(at: place + 4, with: [0, 9, 0, 16])
    guard !levels.isEmpty else { return file.data }
    let table = try #require(file.boxes(["meta", "iprp", "ipco"])?.last)
    let bytes = file.data
    let count = HEIFBoxList(bytes.span, in: table.lowerBound + 8..<table.upperBound).boxes.count
    file.grow(["meta", "iprp", "ipco"], by: levels)
    let associations = try #require(file.boxes(["meta", "iprp", "ipma"])?.last)
    // The table is for one picture: a version, one item, its number, and the number of its properties.
    file.bytes[associations.lowerBound + 18] += 1
    file.grow(["meta", "iprp", "ipma"], by: [UInt8(count + 1)])
    return file.data
  }

  @Test("a HEIC is tone-mapped by its box, from the peak that it declares if that is plausible")
  func heic() throws {
    guard Self.codecs.decodableTypes.contains(.heic) else { return }
    let plain = try Self.codecs.picture(from: try fixture("matrix/heic-420.heic"))
    #expect(plain.notes.isEmpty)
    let assumed = try Self.codecs.picture(from: try Self.heic([]))
    #expect(assumed.header?.colorEncoding == .coded(primaries: 9, transfer: 16))
    #expect(assumed.notes.contains { $0.contains("tone-mapped") } && assumed.bitmap != plain.bitmap)
    #expect(assumed.notes.contains { $0.contains("assumed") })
    func light(_ most: Int) -> [UInt8] { BoxFile.box("clli", BoxFile.big(most, 2) + [0, 10]) }
    func display(_ peak: Int) -> [UInt8] {
      BoxFile.box("mdcv", [UInt8](repeating: 0, count: 16) + BoxFile.big(peak, 4) + BoxFile.big(0, 4))
    }
    for levels in [light(4000), display(4000 * 10_000)] {
      let stated = try Self.codecs.picture(from: try Self.heic(levels))
      #expect(stated.header?.lightLevels.map { $0.maximumContent ?? $0.masteringPeak } == 4000)
      #expect(stated.notes.count == 1 && stated.bitmap != assumed.bitmap)
    }
    for lie in [light(0), light(65_535), display(0), display(0xFFFF_FFFF)] {
      let picture = try Self.codecs.picture(from: try Self.heic(lie))
      #expect(picture.bitmap == assumed.bitmap && picture.notes.contains { $0.contains("assumed") })
    }
  }
}
