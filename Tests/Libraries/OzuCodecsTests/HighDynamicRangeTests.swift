import Foundation
import OzuCodecs
import OzuStandardCodecs
import Testing

@testable import OzuImaging

@Suite("Pictures of high dynamic range")
struct HighDynamicRangeTests {
  /// A grey ramp in 16 bits.
  private static func ramp(
    _ count: Int, transfer: UInt8 = 16, primaries: UInt8 = 9, chunks: [(name: String, content: [UInt8])] = []
  ) -> PNGFile {
    var samples: [UInt8] = []
    for value in 0..<count {
      let word = value * 65_535 / (count - 1)
      for _ in 0..<3 { samples += [UInt8(word >> 8), UInt8(word & 255)] }
    }
    return PNGFile(
      size: PixelSize(count, 1), colorType: 2, bitDepth: 16, samples: samples,
      chunks: [("cICP", [primaries, transfer, 0, 1])] + chunks)
  }

  private static func levels(_ light: Int) -> (name: String, content: [UInt8]) {
    ("cLLI", PNGFile.big(light * 10_000) + PNGFile.big(0))
  }

  private static var kept: DecodingContext { DecodingContext(colorPolicy: .keep, pixelFormats: .asStored) }

  private static func words(_ bitmap: Bitmap) -> [Int] {
    bitmap.withUnsafeBytes { bytes in
      (0..<bitmap.size.width).map { Int(bytes.load(fromByteOffset: $0 * 8 + 2, as: UInt16.self)) }
    }
  }

  @Test("are tone-mapped, resized or not", arguments: [UInt8(16), 18], [true, false])
  func converted(transfer: UInt8, isSmaller: Bool) throws {
    let file = Self.ramp(512, transfer: transfer).data
    let resize = isSmaller ? Resize(PixelSize(64, 1), mode: .fill) : nil
    let picture = try CodecRegistry.standard.picture(from: file, resize: resize)
    #expect(picture.bitmap.format == .bgra8 && picture.bitmap.colorSpace == .sRGB)
    #expect(picture.notes.contains { $0.contains("tone-mapped") })
    let width = picture.size.width
    var last = -1
    for x in 0..<width {
      let value = Int(picture.bitmap[x, 0].green)
      #expect(value >= last)
      last = value
    }
    #expect(picture.bitmap[width - 1, 0].green >= 254)
    // 100 cd/m² under PQ; 0.5 under HLG is 50.
    let half = Int(picture.bitmap[width / 2, 0].green)
    #expect(transfer == 16 ? 150...200 ~= half : 110...150 ~= half, "\(half)")
  }

  @Test("use the peak that the file declares, if it is plausible")
  func peaks() throws {
    func middle(_ chunks: [(name: String, content: [UInt8])]) throws -> (Int, [String]) {
      let picture = try CodecRegistry.standard.picture(from: Self.ramp(101, chunks: chunks).data)
      return (Int(picture.bitmap[70, 0].green), picture.notes)
    }
    let assumed = try middle([])
    #expect(assumed.1.contains { $0.contains("assumed") })
    let bright = try middle([Self.levels(4000)])
    #expect(bright.0 < assumed.0 && bright.1.count == 1)
    for lie in [0, 400_000] {
      let result = try middle([Self.levels(lie)])
      #expect(result.0 == assumed.0 && result.1.contains { $0.contains("ignored") }, "\(result)")
    }
    // Too short to be a level.
    #expect(try middle([("cLLI", [1, 2])]).0 == assumed.0)
  }

  @Test("stay as stored if that is asked for, in all bits, also resized")
  func keeping() throws {
    let file = Self.ramp(2048).data
    let whole = try CodecRegistry.standard.picture(from: file, context: Self.kept).bitmap
    #expect(whole.format == .rgba16 && whole.colorSpace == .coded(primaries: 9, transfer: 16))
    #expect(Self.words(whole)[1024] == 1024 * 65_535 / 2047)
    let small = try CodecRegistry.standard.picture(
      from: file, resize: Resize(PixelSize(512, 1), mode: .fill), context: Self.kept
    ).bitmap
    #expect(small.format == .rgba16)
    for (x, word) in Self.words(small).enumerated() where 4..<508 ~= x {
      #expect(abs(Double(word) - (Double(x) * 4 + 1.5) * 65_535 / 2047) < 64)
    }
  }

  @Test(
    "are written and read with an error of a thousandth, and keep their encoding",
    arguments: [ImageType.png, .avif, .jxl],
    [UInt8(16), 18, 13])
  func roundTrip(type: ImageType, transfer: UInt8) throws {
    guard CodecRegistry.standard.encodableTypes.contains(type) else { return }
    let source = try CodecRegistry.standard.picture(
      from: Self.ramp(1024, transfer: transfer).data, context: Self.kept
    ).bitmap
    let data = try CodecRegistry.standard.encode(source, as: type, options: EncodingOptions(isLossless: true))
    let read = try CodecRegistry.standard.picture(from: data, context: Self.kept).bitmap
    #expect(read.format == .rgba16)
    #expect(read.colorSpace == .coded(primaries: 9, transfer: Int(transfer)))
    let worst = zip(Self.words(source), Self.words(read)).map { abs($0 - $1) }.max() ?? .max
    #expect(worst <= 64, "\(type.displayName): \(worst)")
  }

  @Test(
    "are refused by encoders that cannot store their encoding", arguments: [ImageType.jpeg, .webp],
    [UInt8(16), 13])
  func refused(type: ImageType, transfer: UInt8) throws {
    guard CodecRegistry.standard.encodableTypes.contains(type) else { return }
    let source = try CodecRegistry.standard.picture(
      from: Self.ramp(64, transfer: transfer).data, context: Self.kept
    ).bitmap
    #expect(throws: ImageEncodingError.self) { try CodecRegistry.standard.encode(source, as: type) }
  }

  @Test("are found in the cicp tag of an ICC profile")
  func profile() {
    var profile = [UInt8](repeating: 0, count: 128)
    profile += PNGFile.big(1) + Array("cicp".utf8) + PNGFile.big(144) + PNGFile.big(12)
    profile += Array("cicp".utf8) + [0, 0, 0, 0, 9, 18, 0, 1]
    let encoding = ColorEncoding.profile(ICCProfile(name: nil, data: Data(profile)))
    #expect(HighDynamicRange(encoding) == HighDynamicRange(primaries: 9, transfer: 18))
    for length in 0..<profile.count {
      #expect(HighDynamicRange(.profile(ICCProfile(name: nil, data: Data(profile[..<length])))) == nil)
    }
  }

  @Test("need no more memory than their plan declares, and have 8 bits if 16 are not allowed")
  func memory() throws {
    let file = Self.ramp(4096).data
    // 24 rows and a bitmap of 8 bits fit, one of 16 bits does not.
    let limits = DecodingLimits(decodedByteCount: (192 + 6) * 4096)
    let picture = try CodecRegistry.standard.picture(from: file, context: DecodingContext(limits: limits))
    #expect(picture.notes.contains { $0.contains("8 bits") })
    #expect(picture.bitmap.colorSpace == .sRGB)
  }
}
