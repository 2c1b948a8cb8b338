import Foundation
import OzuTesting
import Testing

@testable import Ozu
@testable import OzuCodecs

@Suite("Pictures with unconverted colours, in the caches and in files")
struct KeptColorsTests {
  private static let codecs = CodecRegistry.standard
  private static let size = PixelSize(256, 16)

  /// Only the beginning of a profile, which is enough if nothing is converted.
  private static let profile: Data = {
    var bytes = [UInt8](repeating: 0, count: 132)
    bytes[3] = 132
    bytes.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
    return Data(bytes)
  }()

  struct Case: Sendable, CustomTestStringConvertible {
    var colorSpace: ColorSpaceTag
    var isOpaque = true
    var format = PixelFormat.rgba16
    var policy = ColorPolicy.keepForFile

    var testDescription: String { "\(colorSpace), \(format), \(isOpaque ? "opaque" : "alpha"), \(policy)" }
    /// Whether a rendition may have losses.
    var isLossy: Bool { format == .bgra8 && isOpaque && colorSpace == KeptColorsTests.named }
  }

  private static let named = ColorSpaceTag.icc(name: "unnamed profile")

  private static let cases: [Case] = [
    Case(colorSpace: .coded(primaries: 9, transfer: 16)),
    Case(colorSpace: .coded(primaries: 9, transfer: 16), isOpaque: false),
    Case(colorSpace: .coded(primaries: 9, transfer: 16), policy: .keep),
    Case(colorSpace: .coded(primaries: 9, transfer: 18)),
    Case(colorSpace: .coded(primaries: 12, transfer: 13)),
    Case(colorSpace: .coded(primaries: 12, transfer: 13), format: .bgra8),
    Case(colorSpace: .coded(primaries: 9, transfer: 1), isOpaque: false),
    Case(colorSpace: .sRGB), Case(colorSpace: .sRGB, isOpaque: false),
    Case(colorSpace: named), Case(colorSpace: named, isOpaque: false), Case(colorSpace: named, policy: .keep),
    Case(colorSpace: named, format: .bgra8), Case(colorSpace: named, isOpaque: false, format: .bgra8),
    Case(colorSpace: named, format: .bgra8, policy: .keepProfile),
  ]

  /// A PNG with a ramp of 16-bit values for each colour.
  private static func ramp(_ kind: Case) throws -> Data {
    let bitmap = Bitmap(
      size: size, format: .rgba16, isOpaque: kind.isOpaque, colorSpace: kind.colorSpace
    ) { bytes, bytesPerRow in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let alpha = kind.isOpaque ? 65_535 : 65_535 - y * 4000
          for (channel, share) in [1.0, 0.7, 0.4].enumerated() {
            let value = (Double(x * 16 + y) / 4095 * share * Double(alpha)).rounded()
            bytes.storeBytes(
              of: UInt16(value), toByteOffset: y * bytesPerRow + x * 8 + channel * 2, as: UInt16.self)
          }
          bytes.storeBytes(of: UInt16(alpha), toByteOffset: y * bytesPerRow + x * 8 + 6, as: UInt16.self)
        }
      }
    }
    var options = EncodingOptions()
    if kind.colorSpace == named { options.metadata.colorProfile = profile }
    return try codecs.encode(bitmap.converted(to: kind.format), as: .png, options: options)
  }

  /// All values in 16 bits.
  private static func words(_ bitmap: Bitmap) -> [Int] {
    let wide = bitmap.converted(to: .rgba16)
    return wide.withUnsafeBytes { bytes in
      (0..<wide.size.height).flatMap { y in
        (0..<wide.size.width * 4).map { x in
          Int(bytes.load(fromByteOffset: y * wide.bytesPerRow + x * 2, as: UInt16.self))
        }
      }
    }
  }

  private static func difference(_ one: Bitmap, _ other: Bitmap) -> Int {
    zip(words(one), words(other)).map { abs($0 - $1) }.max() ?? .max
  }

  private static func request(_ kind: Case) throws -> ImageRequest {
    ImageRequest(.data(try ramp(kind), key: kind.testDescription)).with {
      $0.colorPolicy = kind.policy
      $0.storagePolicy = .all
    }
  }

  @Test(
    "are read from disk after a restart with the same bits, primaries and transfer function", arguments: cases
  )
  func renditions(kind: Case) async throws {
    let files = MemoryFileSystem()
    let source = try Self.codecs.picture(
      from: try Self.ramp(kind), context: DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
    ).bitmap
    #expect(source.format == kind.format && source.colorSpace == kind.colorSpace)
    let request = try Self.request(kind).with { $0.processors = [Turn.flip, Turn.flip] }
    let first = ImagePipeline.testing(files: files)
    let made = try await first.response(for: request)
    #expect(made.source == .original)
    let bitmap = made.picture.bitmap
    let wanted = kind.policy == .keepProfile ? PixelFormat.bgra8 : kind.format
    #expect(bitmap.format == wanted && bitmap.colorSpace == kind.colorSpace)
    #expect(Self.difference(source, bitmap) == 0)
    await first.flush()

    let next = ImagePipeline.testing(files: files)
    let read = try await next.response(for: request)
    #expect(read.source == .rendition)
    #expect(read.picture.bitmap.format == wanted && read.picture.bitmap.colorSpace == kind.colorSpace)
    #expect(read.picture.bitmap.isOpaque == kind.isOpaque)
    #expect(read.picture.header?.colorEncoding == made.picture.header?.colorEncoding)
    // A photograph in 8 bits stays in 8 bits.
    #expect(Self.difference(source, read.picture.bitmap) <= (kind.isLossy ? 4000 : 0))
    // And by the blocking call.
    let third = ImagePipeline.testing(files: files)
    let looked = await Task.detached { third.cache.image(for: request, layers: .renditions) }.value
    #expect(looked?.bitmap.format == wanted && looked?.bitmap.colorSpace == kind.colorSpace)
  }

  @Test("are kept apart from converted pictures in every layer")
  func keys() async throws {
    let files = MemoryFileSystem()
    let kept = try Self.request(Self.cases[0]).with { $0.processors = [Turn.flip] }
    let converted = kept.with { $0.colorPolicy = .convertToSRGB }
    #expect(kept.key != converted.key)
    for pipeline in [ImagePipeline.testing(files: files), .testing(files: files)] {
      let one = try await pipeline.image(for: kept).bitmap
      let other = try await pipeline.image(for: converted).bitmap
      #expect(one.colorSpace == Self.cases[0].colorSpace && one.format == .rgba16)
      #expect(other.colorSpace == .sRGB && other.format == .bgra8)
      await pipeline.flush()
    }
  }

  @Test("are those of a pipeline that keeps profiles, for every request without a treatment of its own")
  func ofPipeline() async throws {
    let files = MemoryFileSystem()
    let kind = Case(colorSpace: Self.named, format: .bgra8)
    let request = ImageRequest(.data(try Self.ramp(kind), key: "a")).with { $0.storagePolicy = .all }
    let smaller = request.with { $0.resize = Resize(PixelSize(width: 4, height: 4)) }
    for isFirst in [true, false] {
      let pipeline = ImagePipeline.testing(files: files) { $0.decoding.colorPolicy = .keepProfile }
      let picture = try await pipeline.image(for: request)
      #expect(picture.bitmap.colorSpace == Self.named && picture.bitmap.format == .bgra8)
      // Made from the larger one, whose colours are the same.
      let response = try await pipeline.response(for: smaller)
      #expect(response.picture.bitmap.colorSpace == Self.named)
      #expect(response.source == (isFirst ? .derived : .rendition))
      let converted = try await pipeline.image(for: request.with { $0.colorPolicy = .convertToSRGB })
      #expect(converted.bitmap.colorSpace == .sRGB)
      var format = OutputFormat(.png)
      for (profile, wanted) in [(ColorProfilePolicy.convert, ColorSpaceTag.sRGB), (.keep, Self.named)] {
        format.colorProfile = profile
        let file = try await pipeline.encoded(for: request, as: format)
        let context = DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
        #expect(try Self.codecs.picture(from: file.data, context: context).bitmap.colorSpace == wanted)
      }
      await pipeline.flush()
      // As long as it holds the folder, the next one would follow it and leave its entries.
      await pipeline.diskCache?.close()
    }
    // A pipeline with another treatment makes its own pictures in the same folder, and an explicit treatment finds them.
    for isFirst in [true, false] {
      let other = ImagePipeline.testing(files: files) { $0.decoding.colorPolicy = .convertToSRGB }
      for request in [request, smaller] {
        let response = try await other.response(for: request)
        #expect(response.picture.bitmap.colorSpace == .sRGB)
        if !isFirst, request.resize != nil { #expect(response.source == .rendition) }
        let asked = try await other.response(for: request.with { $0.colorPolicy = .convertToSRGB })
        #expect(asked.source == .memory)
      }
      await other.flush()
      await other.diskCache?.close()
    }
    // The standard of a platform without colour management in its toolkits.
    #if os(Linux)
      #expect(try await ImagePipeline.testing().image(for: request).bitmap.colorSpace == .sRGB)
    #endif
  }

  @Test("stay under their profile in a picture that is made of a larger one on disk")
  func derivedFromDisk() async throws {
    let files = MemoryFileSystem()
    let large = try Self.request(Case(colorSpace: Self.named, format: .bgra8, policy: .keepProfile)).with {
      $0.resize = Resize(PixelSize(128, 8))
    }
    let first = ImagePipeline.testing(files: files) { $0.decoding.colorPolicy = .convertToSRGB }
    _ = try await first.image(for: large)
    await first.flush()
    let next = ImagePipeline.testing(files: files) { $0.decoding.colorPolicy = .convertToSRGB }
    let response = try await next.response(for: large.with { $0.resize = Resize(PixelSize(32, 2)) })
    #expect(response.source == .derived && response.picture.bitmap.format == .bgra8)
    #expect(response.picture.bitmap.colorSpace == Self.named)
  }

  @Test("are not stored if the encoding of renditions cannot state their colours")
  func unsupportedColors() async throws {
    let files = MemoryFileSystem()
    let request = try Self.request(Self.cases[0]).with { $0.processors = [Turn.flip] }
    for _ in 0..<2 {
      let pipeline = ImagePipeline.testing(files: files) {
        $0.caching.renditionEncoding = { _, _ in RenditionEncoding(.jpeg) }
      }
      let response = try await pipeline.response(for: request)
      #expect(response.source == .original && response.picture.bitmap.format == .rgba16)
      await pipeline.flush()
    }
  }

  @Test("are decoded at once by their policy, although whole pictures are not")
  func decompression() async throws {
    let pipeline = ImagePipeline.testing { $0.decoding.isDecompressionEnabled = false }
    let picture = try await pipeline.image(for: try Self.request(Self.cases[0]))
    #expect(picture.bitmap.format == .rgba16 && picture.bitmap.colorSpace == Self.cases[0].colorSpace)
  }

  @Test("16 bits of a fetcher's pixels stay on disk")
  func pixels() async throws {
    let files = MemoryFileSystem()
    let bitmap = try Self.codecs.picture(
      from: try Self.ramp(Case(colorSpace: .sRGB)), context: DecodingContext(pixelFormats: .asStored)
    ).bitmap
    let source = ImageSource.picture(Picture(bitmap), key: "pixels")
    let request = ImageRequest(source, processors: [Turn.flip, Turn.flip])
    for expected in [ImageResponse.Source.original, .rendition] {
      let pipeline = ImagePipeline.testing(files: files)
      let response = try await pipeline.response(for: request)
      #expect(response.source == expected && response.picture.bitmap.format == .rgba16)
      #expect(Self.difference(response.picture.bitmap, bitmap) == 0)
      await pipeline.flush()
    }
  }

  @Test(
    "ramps keep their values to a thousandth through the cache, a resize 1:1 and an encoder",
    arguments: [ImageType.png, .avif, .jxl],
    cases.filter { $0.format == .rgba16 && $0.policy == .keepForFile })
  func files(type: ImageType, kind: Case) async throws {
    // libjxl parses the profile.
    guard Self.codecs.encodableTypes.contains(type), type != .jxl || kind.colorSpace != Self.named else {
      return
    }
    let files = MemoryFileSystem()
    let source = try Self.codecs.picture(
      from: try Self.ramp(kind), context: DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
    ).bitmap
    var format = OutputFormat(type, options: EncodingOptions(isLossless: true))
    format.colorProfile = .keep
    let request = try Self.request(kind).with {
      $0.resize = Resize(Self.size, mode: .fill, light: .linear)
      $0.processors = [Turn.mirror, .resize(Self.size), Turn.mirror]
    }
    for expected in [ImageResponse.Source.original, .rendition] {
      let pipeline = ImagePipeline.testing(files: files)
      let file = try await pipeline.encoded(for: request, as: format)
      #expect(file.source == expected)
      let read = try Self.codecs.picture(
        from: file.data, context: DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
      ).bitmap
      #expect(read.format == .rgba16 && read.colorSpace == kind.colorSpace)
      let worst = Self.difference(source, read)
      #expect(worst <= 64, "\(type.displayName): \(worst) of 65,535")
      await pipeline.flush()
    }
  }

  @Test("are converted for a format that has no place for them", arguments: [ImageType.jpeg, .webp])
  func converted(type: ImageType) async throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    let request = try Self.request(Case(colorSpace: .coded(primaries: 12, transfer: 13)))
    var format = OutputFormat(type)
    format.colorProfile = .keep
    let kept = try await ImagePipeline.testing().encoded(for: request, as: format)
    format.colorProfile = .convert
    let converted = try await ImagePipeline.testing().encoded(for: request, as: format)
    #expect(kept.data == converted.data)
  }

  @Test("state their light levels, in files and from disk", arguments: [ImageType.png, .avif, .jxl])
  func lightLevels(type: ImageType) async throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    let levels = LightLevels(maximumContent: 1500, maximumAverage: type == .jxl ? nil : 200)
    let bitmap = try Self.codecs.picture(
      from: try Self.ramp(Self.cases[0]),
      context: DecodingContext(colorPolicy: .keepForFile, pixelFormats: .asStored)
    ).bitmap
    let options = EncodingOptions(metadata: EncodedMetadata(lightLevels: levels))
    let data = try Self.codecs.encode(bitmap, as: type, options: options)
    let request = ImageRequest(.data(data, key: "bright"), processors: [Turn.flip]).with {
      $0.colorPolicy = .keepForFile
    }
    let files = MemoryFileSystem()
    for _ in 0..<2 {
      let pipeline = ImagePipeline.testing(files: files)
      #expect(try await pipeline.image(for: request).header?.lightLevels == levels)
      await pipeline.flush()
    }
    var format = OutputFormat(type)
    format.colorProfile = .keep
    let file = try await ImagePipeline.testing().encoded(for: request, as: format)
    #expect(try Self.codecs.header(of: file.data).lightLevels == levels)
    // Tone-mapped pictures have no such light levels.
    format.colorProfile = .convert
    let converted = try await ImagePipeline.testing().encoded(for: request, as: format)
    #expect(try Self.codecs.header(of: converted.data).lightLevels == nil)
  }
}
