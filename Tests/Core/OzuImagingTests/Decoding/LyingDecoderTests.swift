import Foundation
import Testing

@testable import OzuImaging

/// A decoder of an app that returns arbitrary values.
private struct LyingDecoder: ImageDecoding {
  var types: [ImageType] { [.png] }
  var scales = [8]
  var says = ImageHeader(type: .png, storedSize: PixelSize(40, 30))
  /// Makes the bitmap that is returned instead of the planned one.
  var gives: @Sendable (PixelSize) -> Bitmap = { .noise(size: $0) }
  var rendersItself = false
  var thumbnail: Bitmap?
  var demands = DecodingDemand()

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    LyingFile(self)
  }

  func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
    .opened(LyingFile(self))
  }
}

private final class LyingFile: ImageFile {
  private let decoder: LyingDecoder

  init(_ decoder: LyingDecoder) { self.decoder = decoder }

  var header: ImageHeader { decoder.says }
  var scales: [Int] { decoder.scales }

  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand { decoder.demands }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    decoder.gives(plan.decodedSize)
  }

  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if decoder.rendersItself { return decoder.gives(plan.outputSize) }
    return try renderFromPixels(plan, context: context)
  }

  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? { decoder.thumbnail }

  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? { decoder.gives(plan.decodedSize) }
}

/// Converts to a bitmap of another size.
private struct LyingConverter: ColorConverting {
  func convertToSRGB(
    _ bitmap: Bitmap, from encoding: ColorEncoding, colorModel: ImageHeader.ColorModel, pool: PixelBufferPool
  ) -> Bitmap? { .flat(.white, size: PixelSize(1, 1)) }
}

@Suite("Decoders that lie")
struct LyingDecoderTests {
  private static func codecs(_ decoder: LyingDecoder) -> CodecRegistry {
    var codecs = CodecRegistry()
    codecs.register(decoder: decoder)
    return codecs
  }

  private static func header(_ change: (inout ImageHeader) -> Void) -> ImageHeader {
    var header = ImageHeader(type: .png, storedSize: PixelSize(40, 30))
    change(&header)
    return header
  }

  static let headers: [(ImageHeader, String)] = [
    (header { $0.storedSize = PixelSize(-1, 30) }, "a picture of -1x30 pixels"),
    (header { $0.storedSize = PixelSize(40, .min) }, "a picture of 40x\(Int.min) pixels"),
    (header { $0.type = .jpeg }, "its decoder calls it JPEG"),
    (header { $0.frameCount = 0 }, "it has 0 frames"),
    (header { $0.frameCount = .min }, "it has \(Int.min) frames"),
    (header { $0.bitsPerComponent = 0 }, "colours of 0 bits"),
    (header { $0.bitsPerComponent = -8 }, "colours of -8 bits"),
    (
      header { $0.planeLayout = PlaneLayout(chromaStep: .init(horizontal: 0, vertical: 1)) },
      "chroma for each 0 by 1 pixels"
    ),
    (
      header { $0.planeLayout = PlaneLayout(chromaStep: .init(horizontal: 2, vertical: .max)) },
      "chroma for each 2 by \(Int.max) pixels"
    ),
    (
      header { $0.planeLayout = PlaneLayout(chromaStep: nil, source: .wholePlanes(bytesPerPixel: .max)) },
      "planes of \(Int.max) bytes a pixel"
    ),
  ]

  @Test("about their files are refused before the header is used", arguments: headers)
  func impossibleHeader(says: ImageHeader, reason: String) {
    let codecs = Self.codecs(LyingDecoder(says: says))
    let error = ImageDecodingError.corrupt(.png, stage: "header", reason: reason)
    #expect(throws: error) { try codecs.header(of: Signature.png) }
    for resize in [nil, Resize(PixelSize(5, 5)), Resize(PixelSize(5, 5), light: .linear)] {
      #expect(throws: error) { try codecs.picture(from: Signature.png, resize: resize) }
      let incremental = IncrementalDecoder(codecs: codecs, resize: resize)
      incremental.append(Signature.png)
      #expect(throws: error) { try incremental.preview() }
    }
    #expect(throws: error) { try codecs.deferredPicture(from: Signature.png) }
  }

  static let recipes: [Resize?] = [
    nil, Resize(PixelSize(11, 9)), Resize(PixelSize(11, 9), light: .linear),
    Resize(PixelSize(20, 20), mode: .aspectFill, crops: true),
    Resize(PixelSize(80, 60), mode: .fill, allowsUpscaling: true),
  ]
  static let sizes = [
    PixelSize(1, 1), PixelSize(30, 40), PixelSize(40, 29), PixelSize(39, 30), PixelSize(41, 31),
  ]

  @Test("about the size of their pixels are refused", arguments: sizes, recipes)
  func otherSize(size: PixelSize, resize: Resize?) {
    for rendersItself in [false, true] {
      let codecs = Self.codecs(LyingDecoder(gives: { _ in .noise(size: size) }, rendersItself: rendersItself))
      let error = #expect(throws: ImageDecodingError.self) {
        try codecs.picture(from: Signature.png, resize: resize)
      }
      guard case .corrupt(.png, stage: "pixels", _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      let incremental = IncrementalDecoder(codecs: codecs, resize: resize)
      incremental.append(Signature.png)
      #expect(throws: ImageDecodingError.self) { try incremental.preview() }
    }
  }

  @Test(
    "about the format of their pixels have them converted", arguments: PixelFormat.allCases, recipes)
  func formats(format: PixelFormat, resize: Resize?) throws {
    for (rendersItself, policy) in [
      (false, PixelFormatPolicy.bgra8), (true, .bgra8), (false, .asStored), (true, .asStored),
    ] {
      func picture(_ gives: @escaping @Sendable (PixelSize) -> Bitmap) throws -> Bitmap {
        let codecs = Self.codecs(LyingDecoder(gives: gives, rendersItself: rendersItself))
        let context = DecodingContext(pixelFormats: policy)
        return try codecs.picture(from: Signature.png, resize: resize, context: context).bitmap
      }
      // The header declares colours of 8 bits, so no other format was asked for.
      let shown = try picture { .noise(size: $0).converted(to: format) }
      #expect(shown.format == .bgra8)
      #expect(try shown == picture { .noise(size: $0).converted(to: format).converted(to: .bgra8) })
    }
  }

  @Test("about the format of a preview have it converted", arguments: PixelFormat.allCases, recipes)
  func previews(format: PixelFormat, resize: Resize?) throws {
    func preview(_ gives: @escaping @Sendable (PixelSize) -> Bitmap) throws -> Bitmap {
      let incremental = IncrementalDecoder(codecs: Self.codecs(LyingDecoder(gives: gives)), resize: resize)
      incremental.append(Signature.png)
      return try #require(try incremental.preview()).bitmap
    }
    let shown = try preview { .noise(size: $0).converted(to: format) }
    #expect(shown.format == .bgra8)
    #expect(try shown == preview { .noise(size: $0).converted(to: format).converted(to: .bgra8) })
  }

  @Test("about their thumbnail have it left out, or converted", arguments: PixelFormat.allCases)
  func thumbnails(format: PixelFormat) throws {
    let resize = Resize(PixelSize(4, 3), allowsEmbeddedThumbnail: true)
    for size in [PixelSize(8, 6), PixelSize(4, 3), PixelSize(3, 3), PixelSize(1, 1), PixelSize(6, 8)] {
      let thumbnail = Bitmap.flat(.white, size: size).converted(to: format)
      let decoder = LyingDecoder(gives: { .flat(.black, size: $0) }, thumbnail: thumbnail)
      let picture = try Self.codecs(decoder).picture(from: Signature.png, resize: resize)
      let isUsed = size == PixelSize(8, 6) || size == PixelSize(4, 3)
      #expect(picture.bitmap == .flat(isUsed ? .white : .black, size: PixelSize(4, 3)))
    }
  }

  @Test("about the memory that they need get no budget for it", arguments: recipes)
  func demands(resize: Resize?) throws {
    func price(_ demand: DecodingDemand) -> Int {
      DecodePlan(of: LyingFile(LyingDecoder(demands: demand)), resize: resize, context: .init()).byteCount
    }
    for bytes in [-1, -1 << 40, .min] {
      #expect(price(DecodingDemand(byteCount: bytes, keptByteCount: bytes)) == price(DecodingDemand()))
    }
    let codecs = Self.codecs(LyingDecoder(demands: DecodingDemand(byteCount: .max, keptByteCount: .max)))
    let error = #expect(throws: ImageDecodingError.self) {
      try codecs.picture(from: Signature.png, resize: resize)
    }
    guard case .limitExceeded = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("scales that do not exist are not used")
  func scales() throws {
    for scales in [[], [0], [-8, .max], [.min, 9]] {
      let codecs = Self.codecs(LyingDecoder(scales: scales))
      let picture = try codecs.picture(from: Signature.png, resize: Resize(PixelSize(4, 4)))
      #expect(picture.size == PixelSize(4, 3))
    }
  }

  @Test("the result of a converter is not used if it has another size", arguments: recipes)
  func converters(resize: Resize?) throws {
    let says = Self.header { $0.colorEncoding = .coded(primaries: 9, transfer: 1) }
    var codecs = Self.codecs(
      LyingDecoder(says: says, gives: { Bitmap.noise(size: $0).withColorSpace(.encoded(name: "wide")) }))
    let plain = try codecs.picture(from: Signature.png, resize: resize)
    codecs.register(colorConverter: LyingConverter())
    let picture = try codecs.picture(from: Signature.png, resize: resize)
    #expect(picture.bitmap == plain.bitmap)
    #expect(picture.notes.count == 1)
  }
}
