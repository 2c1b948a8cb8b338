import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("Encoders")
struct EncoderTests {
  private let codecs = CodecRegistry.standard

  @Test("keep the pixels of a PNG", arguments: [PixelSize(1, 1), PixelSize(37, 23), PixelSize(256, 3)])
  func pngOpaque(size: PixelSize) throws {
    let bitmap = waves(size)
    let data = try codecs.encode(bitmap, as: .png)
    let picture = try codecs.picture(from: data)
    #expect(picture.bitmap == bitmap)
    #expect(picture.header?.hasAlpha == false)
  }

  @Test("keep the transparency of a PNG, and premultiplied colours")
  func pngAlpha() throws {
    let bitmap = waves(PixelSize(64, 40), isOpaque: false)
    let picture = try codecs.picture(from: codecs.encode(bitmap, as: .png))
    #expect(picture.bitmap == bitmap)
    #expect(!picture.bitmap.isOpaque)
  }

  @Test("write no alpha if all pixels are opaque")
  func pngUnneededAlpha() throws {
    let bitmap = Bitmap(size: PixelSize(9, 9), isOpaque: false) { x, y in
      Pixel(red: UInt8(x), green: UInt8(y), blue: 7)
    }
    #expect(try codecs.header(of: codecs.encode(bitmap, as: .png)).hasAlpha == false)
  }

  @Test("mark a PNG as sRGB")
  func pngChunk() throws {
    let data = try codecs.encode(waves(PixelSize(4, 4)), as: .png)
    #expect(data.range(of: Data("sRGB".utf8)) != nil)
  }

  @Test("keep a JPEG similar", arguments: [(0.95, 40.0), (0.9, 38.0), (0.85, 35.0), (0.3, 25.0)])
  func jpeg(quality: Double, decibels: Double) throws {
    let bitmap = waves(PixelSize(200, 150))
    let options = EncodingOptions(compressionQuality: quality)
    let picture = try codecs.picture(from: codecs.encode(bitmap, as: .jpeg, options: options))
    #expect(picture.bitmap.signalToNoise(against: bitmap) > decibels)
  }

  @Test(
    "lower the quality until the file fits, and not further",
    arguments: [(ImageType.jpeg, 3000), (.jpeg, 6000), (.webp, 2000)])
  func byteLimit(type: ImageType, limit: Int) throws {
    let bitmap = waves(PixelSize(200, 150))
    func data(_ quality: Double, _ limit: Int?) throws -> Data {
      let options = EncodingOptions(compressionQuality: quality, maximumByteCount: limit)
      return try codecs.encode(bitmap, as: type, options: options)
    }
    let whole = try data(0.95, nil)
    #expect(whole.count > limit)
    let fitting = try data(0.95, limit)
    #expect(fitting.count <= limit && fitting.count > limit * 3 / 4)
    #expect(try data(0.95, whole.count) == whole)
    guard type == .jpeg else { return }
    // It is never lossless.
    let options = EncodingOptions(compressionQuality: 0.95, isLossless: true, maximumByteCount: limit)
    #expect(try codecs.encode(bitmap, as: type, options: options) == fitting)
  }

  @Test(
    "reach a score with the fewest bytes, and keep a limit on bytes before it",
    arguments: [(ImageType.jpeg, 60.0), (.jpeg, 80), (.webp, 70)])
  func score(type: ImageType, target: Double) throws {
    let bitmap = waves(PixelSize(200, 150))
    func data(_ change: (inout EncodingOptions) -> Void) throws -> Data {
      var options = EncodingOptions(targetScore: target)
      change(&options)
      return try codecs.encode(bitmap, as: type, options: options)
    }
    let file = try data { _ in }
    let score = try SSIMULACRA2.score(of: codecs.picture(from: file).bitmap, original: bitmap)
    // Half a point below counts as reached.
    #expect(score >= target - 0.5 && score < target + 6)
    #expect(try data { $0.compressionQuality = 0.1 } == file)
    #expect(try data { $0.maximumByteCount = file.count / 2 }.count <= file.count / 2)
    // Where pixels are kept exactly there is nothing to search.
    let png = try codecs.encode(bitmap, as: .png, options: EncodingOptions(targetScore: target))
    #expect(try png == codecs.encode(bitmap, as: .png))
    let tiny = waves(PixelSize(7, 7))
    let options = EncodingOptions(compressionQuality: 0.5)
    var aimed = options
    aimed.targetScore = target
    #expect(
      try codecs.encode(tiny, as: type, options: aimed) == codecs.encode(tiny, as: type, options: options))
  }

  @Test("say how many bytes a picture takes at least", arguments: [ImageType.jpeg, .png], [0.85, 0])
  func byteLimitMissed(type: ImageType, quality: Double) throws {
    let options = EncodingOptions(compressionQuality: quality, maximumByteCount: 100)
    #expect {
      try codecs.encode(waves(PixelSize(200, 150)), as: type, options: options)
    } throws: { error in
      guard case .tooManyBytes(type, let byteCount, limit: 100)? = error as? ImageEncodingError else {
        return false
      }
      return byteCount > 100 && "\(error)".contains("more than the limit of 100")
    }
  }

  @Test("make smaller JPEGs for a lower quality, and accept any number")
  func jpegQuality() throws {
    let bitmap = waves(PixelSize(200, 150))
    let sizes = try [-1, 0, 0.3, 0.6, 0.89, 0.9, 1, 2].map { quality in
      try codecs.encode(bitmap, as: .jpeg, options: .init(compressionQuality: quality)).count
    }
    #expect(sizes == sizes.sorted())
    #expect(sizes[0] == sizes[1])
    #expect(sizes[6] == sizes[7])
    let none = try codecs.encode(bitmap, as: .jpeg, options: .init(compressionQuality: .nan))
    #expect(none.count == sizes[0])
  }

  @Test("store chroma at full size from 0.9 on", arguments: [(0.89, UInt8(0x22)), (0.9, 0x11)])
  func jpegSampling(quality: Double, sampling: UInt8) throws {
    let data = try codecs.encode(
      waves(PixelSize(32, 32)), as: .jpeg, options: .init(compressionQuality: quality))
    let frame = try #require(data.range(of: Data([0xFF, 0xC0]))).lowerBound
    #expect(data[frame + 11] == sampling)
  }

  @Test("blend transparent pixels over white in a JPEG")
  func jpegAlpha() throws {
    let bitmap = Bitmap(size: PixelSize(16, 16), isOpaque: false) { x, _ in
      x < 8 ? Pixel(red: 0, green: 0, blue: 0, alpha: 0) : Pixel(red: 128, green: 0, blue: 0, alpha: 128)
    }
    let options = EncodingOptions(compressionQuality: 1)
    let result = try codecs.picture(from: codecs.encode(bitmap, as: .jpeg, options: options)).bitmap
    let white = Bitmap(size: PixelSize(16, 16)) { x, _ in
      x < 8 ? Pixel(red: 255, green: 255, blue: 255) : Pixel(red: 255, green: 127, blue: 127)
    }
    #expect(result.largestDifference(from: white) <= 3)
    // A score is that of what is written.
    let aimed = EncodingOptions(targetScore: 85)
    let file = try codecs.encode(bitmap, as: .jpeg, options: aimed)
    #expect(try file == codecs.encode(white, as: .jpeg, options: aimed))
  }

  static let optional: [ImageType] = [.webp, .avif, .jxl]
    .filter(CodecRegistry.standard.encodableTypes.contains)

  @Test("keep every pixel of an opaque picture when asked to", arguments: optional)
  func lossless(type: ImageType) throws {
    let bitmap = waves(PixelSize(61, 43))
    let data = try codecs.encode(bitmap, as: type, options: .init(isLossless: true))
    #expect(try codecs.picture(from: data).bitmap == bitmap)
  }

  @Test("keep pictures and their transparency similar", arguments: optional)
  func lossy(type: ImageType) throws {
    let bitmap = waves(PixelSize(120, 80))
    let data = try codecs.encode(bitmap, as: type, options: .init(compressionQuality: 0.9))
    #expect(try codecs.picture(from: data).bitmap.signalToNoise(against: bitmap) > 33)
    let faint = Bitmap(size: PixelSize(64, 64), isOpaque: false) { x, _ in
      x < 32 ? Pixel(red: 0, green: 0, blue: 0, alpha: 0) : Pixel(red: 100, green: 60, blue: 20, alpha: 128)
    }
    let result = try codecs.picture(from: codecs.encode(faint, as: type)).bitmap
    #expect(result[4, 32].alpha < 10)
    #expect(abs(Int(result[60, 32].alpha) - 128) < 10)
    #expect(abs(Int(result[60, 32].red) - 100) < 12)
  }

  @Test("write even pictures at every effort: libjxl 0.7 ends the process at its eighth", arguments: optional)
  func even(type: ImageType) throws {
    let grey = Bitmap(size: PixelSize(37, 29)) { _, _ in Pixel(red: 128, green: 128, blue: 128) }
    for effort in EncodingOptions.Effort.allCases {
      for isLossless in [false, true] {
        let options = EncodingOptions(isLossless: isLossless, effort: effort)
        let result = try codecs.picture(from: codecs.encode(grey, as: type, options: options)).bitmap
        #expect(result.largestDifference(from: grey) <= 2)
      }
    }
  }

  @Test("make smaller files for a lower quality", arguments: optional)
  func quality(type: ImageType) throws {
    let bitmap = waves(PixelSize(200, 150))
    let sizes = try [0.2, 0.5, 0.95].map {
      try codecs.encode(bitmap, as: type, options: .init(compressionQuality: $0)).count
    }
    #expect(sizes == sizes.sorted())
    var options = EncodingOptions(compressionQuality: 0.2)
    options.qualities = [type: 0.95]
    #expect(try codecs.encode(bitmap, as: type, options: options).count == sizes[2])
  }

  @Test(
    "make AVIF smaller than WebP, and WebP smaller than JPEG, of a photograph at one quality",
    .enabled(if: [.webp, .avif].allSatisfy(optional.contains)), arguments: [0.5, 0.7, 0.85])
  func orderOfFormats(quality: Double) throws {
    let file = Repository.url("Sources/Apps/OzuCLI/Resources/Photos/canyon-wren-480.png")
    let picture = try codecs.picture(from: Data(contentsOf: file))
    let sizes = try [ImageType.avif, .webp, .jpeg].map {
      try codecs.encode(picture, as: $0, options: .init(compressionQuality: quality)).count
    }
    #expect(sizes == sizes.sorted())
  }

  @Test("refuse a picture that is too large for JPEG")
  func jpegTooLarge() {
    let size = PixelSize(65_501, 1)
    let bitmap = Bitmap(size: size) { _, _ in Pixel(red: 0, green: 0, blue: 0) }
    #expect(throws: ImageEncodingError.tooLarge(.jpeg, size)) { try codecs.encode(bitmap, as: .jpeg) }
  }
}
