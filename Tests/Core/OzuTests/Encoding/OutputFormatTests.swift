import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Output formats: negotiated, chosen for the picture, told apart")
struct OutputFormatTests {
  @Test(
    "the formats that a client accepts",
    arguments: [
      (nil, [.jpeg, .png]), ("", [.jpeg, .png]), ("*/*", [.jpeg, .png]),
      ("image/*,*/*;q=0.8", [.jpeg, .png]),
      ("image/avif,image/webp,image/apng,image/*,*/*;q=0.8", [.avif, .webp, .jpeg, .png]),
      ("image/webp,*/*", [.webp, .jpeg, .png]),
      ("image/webp;q=0.9, image/avif;q=0.5", [.webp, .avif, .jpeg, .png]),
      ("image/avif;q=0,image/webp", [.webp, .jpeg, .png]),
      ("IMAGE/WEBP ; Q=0.5 , image/avif;q=0.5", [.avif, .webp, .jpeg, .png]),
      ("image/webp;q=nonsense", [.jpeg, .png]), ("webp, avif,,;;q=1", [.jpeg, .png]),
      ("image/webp;v=1;q=0.3", [.webp, .jpeg, .png]), ("image/jxl,*/*", [.jxl, .jpeg, .png]),
      ("image/webp,image/jxl,image/avif", [.avif, .jxl, .webp, .jpeg, .png]),
      ("image/avif;q=0.8,image/jxl", [.jxl, .avif, .jpeg, .png]), ("image/jxl;q=0", [.jpeg, .png]),
    ] as [(String?, [ImageType])])
  func negotiation(accept: String?, types: [ImageType]) {
    #expect(OutputFormat.negotiated(accept: accept).types == types)
  }

  @Test(
    "a format is sent to a client that names it where the table of formats says so",
    arguments: ImageFormat.known)
  func negotiation(of format: ImageFormat) {
    let types = format.isNegotiated ? [format.type, .jpeg, .png] : [.jpeg, .png]
    for name in format.mediaTypes { #expect(OutputFormat.negotiated(accept: name).types == types) }
  }

  @Test(
    "the first format that suits the picture, animated or not",
    arguments: [
      (OutputFormat.automatic, true, false, [.jpeg, .png]), (.automatic, false, false, [.png, .jpeg]),
      (.automatic, true, true, [.png, .jpeg]), (.jpeg, false, true, [.jpeg]),
      (.negotiated(accept: "image/webp"), false, false, [.webp, .png, .jpeg]),
      (.negotiated(accept: "image/avif, image/webp"), true, false, [.avif, .webp, .jpeg, .png]),
      (.negotiated(accept: "image/avif, image/webp"), true, true, [.webp, .png, .avif, .jpeg]),
    ] as [(OutputFormat, Bool, Bool, [ImageType])])
  func choice(format: OutputFormat, isOpaque: Bool, moves: Bool, types: [ImageType]) {
    #expect(format.candidates(isOpaque: isOpaque, moves: moves, .standard) == types)
    var still = format
    still.keepsAnimation = false
    #expect(
      still.candidates(isOpaque: isOpaque, moves: moves, .standard)
        == format.candidates(isOpaque: isOpaque, moves: false, .standard))
  }

  @Test("every option is part of the key")
  func identity() {
    let changes: [(inout EncodingOptions) -> Void] = [
      { $0.compressionQuality = 0.5 }, { $0.isLossless = true }, { $0.maximumByteCount = 1000 },
      { $0.effort = .high }, { $0.metadata.exif = Data([1]) }, { $0.isProgressive = true },
      { $0.colorLimit = 16 }, { $0.chromaSubsampling = .full }, { $0.qualities = [.webp: 0.3] },
      { $0.targetScore = 75 }, { $0.efforts = [.webp: .low] },
      {
        $0.maximumByteCount = 1000
        $0.enforcesByteLimit = false
      },
    ]
    let blocks: [(inout EncodedMetadata) -> Void] = [
      { $0.exif = Data([1]) }, { $0.xmp = Data([1]) }, { $0.colorProfile = Data([1]) },
      { $0.resolution = ImageResolution(dotsPerInch: 72) },
      { $0.lightLevels = LightLevels(maximumContent: 1000) },
    ]
    let fields: [(inout OutputFormat) -> Void] = [
      { $0.metadata = .keepAll }, { $0.metadata = .keepWithoutPlace }, { $0.colorProfile = .embed },
      { $0.resolution = ImageResolution(dotsPerInch: 72) }, { $0.keepsAnimation = false },
      { $0.keepsGainMap = true },
    ]
    // A new option must be added here and to `identifier`.
    #expect(Mirror(reflecting: EncodingOptions()).children.count == changes.count)
    #expect(Mirror(reflecting: EncodedMetadata()).children.count == blocks.count)
    // The types, the options, and two policies for metadata.
    #expect(Mirror(reflecting: OutputFormat.webp).children.count == fields.count + 1)
    var formats: [OutputFormat] = [
      .webp, .png, .automatic, .negotiated(accept: "image/webp"), .negotiated(accept: "image/avif"),
    ]
    for change in changes {
      var options = EncodingOptions()
      change(&options)
      formats.append(OutputFormat(.webp, options: options))
    }
    for change in blocks.dropFirst() {
      var options = EncodingOptions()
      change(&options.metadata)
      formats.append(OutputFormat(.webp, options: options))
    }
    for change in fields {
      var format = OutputFormat.webp
      change(&format)
      formats.append(format)
    }
    #expect(Set(formats.map(\.identifier)).count == formats.count)
    #expect(OutputFormat.negotiated(accept: "*/*").identifier == OutputFormat.automatic.identifier)
    // Another quality of AVIF does not make the WebPs again, and a quality is one wherever it is given.
    var other = EncodingOptions(compressionQuality: 0.2)
    other.qualities = [.webp: 0.85, .avif: 0.4]
    #expect(OutputFormat(.webp, options: other).identifier == OutputFormat.webp.identifier)
  }

  @Test("a record can be read back, and damaged bytes are refused")
  func records() {
    let header = ImageHeader(
      type: .gif, storedSize: PixelSize(20, 10), orientation: .up, bitsPerComponent: 8, colorModel: .indexed,
      hasAlpha: true, frameCount: 12)
    let record = EncodedRecord(
      type: .webp, size: PixelSize(10, 5), frameCount: 1, checksum: "sum", notes: ["a note"],
      rendition: RenditionRecord(
        header: header, stamp: nil,
        validity: OriginalValidity(
          receptionDate: .distantPast, freshUntil: .distantFuture, bodyIdentity: "1", mayUseOffline: true),
        notes: []
      ),
      sourceByteCount: 1234)
    let bytes = record.data
    let read = EncodedRecord(bytes)
    #expect(read?.data == bytes)
    #expect(read?.rendition.header?.frameCount == 12)
    #expect(read?.sourceByteCount == 1234)
    for count in 0..<bytes.count { #expect(EncodedRecord(bytes.prefix(count)) == nil) }
    #expect(EncodedRecord(bytes + [0]) == nil)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      var other = bytes
      other[Int.random(in: 0..<other.count, using: &random)] = .random(in: 0...255, using: &random)
      // It is read or refused, and does not crash.
      _ = EncodedRecord(other)?.data
    }
  }
}
