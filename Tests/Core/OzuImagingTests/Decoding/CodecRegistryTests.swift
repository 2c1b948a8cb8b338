import Foundation
import OzuImaging
import Testing

@Suite("Codec registry")
struct CodecRegistryTests {
  private let still = ImageHeader(type: .png, storedSize: PixelSize(8, 4))

  @Test("a codec that is registered later is asked first")
  func laterWins() throws {
    var other = still
    other.storedSize = PixelSize(2, 2)
    var codecs = CodecRegistry()
    codecs.register(decoder: FakeDecoder(types: [.png, .jpeg], header: still))
    codecs.register(decoder: FakeDecoder(header: other))
    #expect(try codecs.header(of: Signature.png) == other)
    #expect(try codecs.header(of: Signature.jpeg) == still)
    #expect(codecs.decodableTypes == [.png, .jpeg])

    codecs.register(encoder: FakeEncoder(type: .jpeg, text: "old"))
    codecs.register(encoder: FakeEncoder(type: .jpeg, text: "new"))
    #expect(codecs.encodableTypes == [.jpeg])
    #expect(try codecs.encode(.flat(.opaqueRed, size: PixelSize(1, 1)), as: .jpeg) == Data("new".utf8))
  }

  @Test("a registry is a value")
  func value() {
    var codecs = CodecRegistry()
    let copy = codecs
    codecs.register(decoder: FakeDecoder(header: still))
    #expect(copy.decodableTypes == [])
  }

  static let refusals: [(Data, ImageDecodingError, String)] = [
    (Data(), .emptyData, "there are no bytes"),
    (Data("<html>".utf8), .notAnImage(kind: "an HTML page"), "this is an HTML page, not an image"),
    (Data([0, 1, 2]), .notAnImage(kind: nil), "this is not an image in a known format"),
    (
      Data("GIF89a".utf8), .unsupportedType(.gif, reason: "no decoder is registered for it"),
      "GIF cannot be read: no decoder is registered for it"
    ),
    (
      Data([0xFF, 0x0A]), .unsupportedType(.jxl, reason: "built without JXL"),
      "JPEG XL cannot be read: built without JXL"
    ),
  ]

  @Test("bytes that no decoder reads are refused with a reason", arguments: refusals)
  func refuses(data: Data, error: ImageDecodingError, text: String) {
    var codecs = CodecRegistry()
    codecs.register(decoder: FakeDecoder(header: still))
    codecs.explainAbsence(of: .jxl, "built without JXL")
    #expect(throws: error) { _ = try codecs.decoder(for: data) }
    #expect(throws: error) { _ = try codecs.header(of: data) }
    #expect(throws: error) { _ = try codecs.picture(from: data) }
    #expect("\(error)" == text)
  }

  @Test("a type that no encoder writes is refused")
  func noEncoder() {
    #expect(throws: ImageEncodingError.unsupportedType(.avif)) {
      _ = try CodecRegistry().encode(.flat(.opaqueRed, size: PixelSize(1, 1)), as: .avif)
    }
    #expect("\(ImageEncodingError.unsupportedType(.avif))" == "AVIF cannot be written")
    #expect(
      "\(ImageEncodingError.tooLarge(.webp, PixelSize(20_000, 1)))" == "20000x1 pixels are too many for WebP")
  }

  struct Excess: CustomTestStringConvertible {
    var header = ImageHeader(type: .png, storedSize: PixelSize(1000, 1000))
    var limits: DecodingLimits
    var resize: Resize?
    var violation: DecodingLimits.Violation

    var testDescription: String { "\(violation)" }
  }

  static let excesses: [Excess] = [
    Excess(limits: DecodingLimits(side: 999), violation: .init(.side, value: 1000, limit: 999)),
    Excess(
      limits: DecodingLimits(pixelCount: 999_999),
      violation: .init(.pixelCount, value: 1_000_000, limit: 999_999)),
    Excess(
      limits: DecodingLimits(decodedByteCount: 3_999_999),
      violation: .init(.decodedByteCount, value: 4_000_000, limit: 3_999_999)),
    Excess(
      limits: DecodingLimits(encodedByteCount: 7),
      violation: .init(.encodedByteCount, value: 8, limit: 7)),
    // The result is limited too, not only the source, and so is the memory of the resampler.
    Excess(
      header: ImageHeader(type: .png, storedSize: PixelSize(1, 1)), limits: .default,
      resize: Resize(PixelSize(100_000, 1), mode: .fill, allowsUpscaling: true),
      violation: .init(.side, value: 100_000, limit: 65_535)),
    Excess(
      header: ImageHeader(type: .png, storedSize: PixelSize(1, 1)), limits: DecodingLimits(side: 100_000),
      resize: Resize(PixelSize(100_000, 100_000), allowsUpscaling: true),
      violation: .init(.decodedByteCount, value: 40_021_835_024, limit: 512 << 20)),
    // A column one pixel wide takes rows of 16 bytes.
    Excess(
      header: ImageHeader(type: .png, storedSize: PixelSize(1, 1000)),
      limits: DecodingLimits(decodedByteCount: 15_999),
      violation: .init(.decodedByteCount, value: 16_000, limit: 15_999)),
    // A copy that is turned upright is counted too.
    Excess(
      header: ImageHeader(type: .png, storedSize: PixelSize(1000, 1), orientation: .left),
      limits: DecodingLimits(decodedByteCount: 19_999),
      violation: .init(.decodedByteCount, value: 20_000, limit: 19_999)),
  ]

  @Test("a file beyond a limit is refused before it is decoded", arguments: excesses)
  func limits(_ excess: Excess) {
    let decoder = FakeDecoder(header: excess.header)
    var codecs = CodecRegistry()
    codecs.register(decoder: decoder)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    #expect(throws: ImageDecodingError.limitExceeded(excess.violation)) {
      _ = try codecs.picture(
        from: Signature.png, resize: excess.resize,
        context: DecodingContext(limits: excess.limits, pool: pool))
    }
    #expect(decoder.decodes == [])
    #expect(pool.statistics.peakLentByteCount == 0)
  }

  @Test("a header beyond the limits is still returned when it is asked for")
  func headerIsReturned() throws {
    var codecs = CodecRegistry()
    codecs.register(
      decoder: FakeDecoder(header: ImageHeader(type: .png, storedSize: PixelSize(30_000, 30_000))))
    #expect(try codecs.header(of: Signature.png).size == PixelSize(30_000, 30_000))
  }

  @Test("a cancelled decode does not begin")
  func cancelled() {
    let decoder = FakeDecoder(header: still)
    var codecs = CodecRegistry()
    codecs.register(decoder: decoder)
    #expect(throws: ImageDecodingError.cancelled) {
      _ = try codecs.picture(from: Signature.png, context: DecodingContext(isCancelled: { true }))
    }
    #expect(decoder.decodes == [])
  }

  @Test(
    "a picture without pixels is corrupt", arguments: [PixelSize(0, 5), PixelSize(5, 0), PixelSize(-1, 1)])
  func emptyPicture(size: PixelSize) {
    var codecs = CodecRegistry()
    codecs.register(decoder: FakeDecoder(header: ImageHeader(type: .png, storedSize: size)))
    #expect(throws: ImageDecodingError.corrupt(.png, stage: "header", reason: "a picture of \(size) pixels"))
    {
      _ = try codecs.picture(from: Signature.png)
    }
  }

  @Test("a decoder that makes another size than planned is an error")
  func wrongSize() {
    var codecs = CodecRegistry()
    codecs.register(
      decoder: FakeDecoder(header: still) { _ in .flat(.opaqueRed, size: PixelSize(3, 3)) })
    #expect(
      throws: ImageDecodingError.corrupt(.png, stage: "pixels", reason: "decoded to 3x3 instead of 8x4")
    ) {
      _ = try codecs.picture(from: Signature.png)
    }
  }
}
