import Foundation
import OzuCodecs
import OzuTesting
import Testing

@testable import Ozu

@Suite("Encoded files: metadata, profiles, frames, and notes")
struct WrittenFileTests {
  private let pipeline = ImagePipeline.testing()
  private let codecs = CodecRegistry.standard

  private func source(_ name: String) throws -> ImageRequest {
    ImageRequest(.data(try FixtureFiles.data(name), key: name))
  }

  private func metadata(_ image: EncodedImage) throws -> ImageMetadata {
    try codecs.metadata(of: image.data, limits: .default)
  }

  @Test(
    "EXIF data by the policy, upright and in the size of the file",
    arguments: [ImageType.jpeg, .png, .webp, .avif, .jxl], MetadataPolicy.allCases)
  func exif(type: ImageType, policy: MetadataPolicy) async throws {
    var format = OutputFormat(type)
    format.metadata = policy
    let request = try source("matrix/heic-420.heic").resized(to: PixelSize(64, 64))
    let image = try await pipeline.encoded(for: request, as: format)
    let found = try metadata(image)
    let keepsCamera = policy == .keepWithoutPlace || policy == .keepAll
    #expect(found.exif != nil || !keepsCamera)
    let header = try codecs.header(of: image.data)
    #expect(header.orientation == .up)
    #expect(header.metadata?.camera == (keepsCamera ? "Canon EOS M" : nil))
    #expect(header.metadata?.hasThumbnail != true)
    // Dots that are given stand in the place of those of the source.
    format.resolution = ImageResolution(dotsPerInch: 240)
    let other = try await pipeline.encoded(for: request, as: format)
    #expect(abs((try metadata(other).resolution?.horizontal ?? 0) - 240) < 0.5)
    #expect(other.isNew)
  }

  @Test("the resolution is turned with the picture", arguments: [Turn.right, .around])
  func turnedResolution(turn: Turn) async throws {
    let (stored, turned) = (
      ImageResolution(horizontal: 300, vertical: 150), ImageResolution(horizontal: 150, vertical: 300)
    )
    let bitmap = Bitmap(size: PixelSize(20, 10), isOpaque: true) { _, _ in
      Pixel(red: 9, green: 9, blue: 9)
    }
    let data = try codecs.encode(
      bitmap, as: .jpeg, options: EncodingOptions(metadata: EncodedMetadata(resolution: stored)))
    var format = OutputFormat.jpeg
    format.metadata = .keepWithoutPlace
    // An angle is another step for the same.
    let steps: [any ImageProcessing] = [turn, Rotate(degrees: turn == .right ? -270 : 180)]
    for step in steps {
      let request = ImageRequest(.data(data, key: "a fax")).with { $0.processors = [step] }
      let image = try await pipeline.encoded(for: request, as: format)
      #expect(try metadata(image).resolution == (turn == .right ? turned : stored))
    }
  }

  @Test(
    "a JPEG of which nothing changes is stored as JPEG XL and given back, without metadata that are not kept",
    arguments: MetadataPolicy.allCases)
  func transcoded(policy: MetadataPolicy) async throws {
    func file(_ type: ImageType, of request: ImageRequest) async throws -> EncodedImage {
      var format = OutputFormat(type, options: EncodingOptions(isLossless: true))
      format.metadata = policy
      return try await pipeline.encoded(for: request, as: format)
    }
    let name = try #require(FixtureFiles.names(in: ["orientation"]).filter { $0.hasSuffix("1.jpg") }.first)
    let jpeg = try FixtureFiles.data(name)
    let stored = try await file(.jxl, of: source(name))
    #expect(stored.type == .jxl)
    let key = "stored as \(policy)"
    let restored = try await file(.jpeg, of: ImageRequest(.data(stored.data, key: key)))
    let kept: KeptMetadata =
      switch policy {
      case .strip: []
      case .keepCopyright: .copyright
      case .keepWithoutPlace, .keepAll: [.copyright, .details]
      }
    let expected = policy == .keepAll ? jpeg : try CleanedFile(jpeg, keeping: kept).data
    #expect(restored.data == expected)
    #expect(try metadata(restored).exif == nil || policy != .strip)
    // Another size is encoded: it has no JPEG to give back.
    let small = try await file(.jxl, of: source(name).resized(to: PixelSize(20, 20)))
    #expect(throws: ImageDecodingError.self) {
      try codecs.transcoded(small.data, .restore, by: .jxl, limits: .default)
    }
    // So is a picture that lies on its side as stored.
    let turned = try #require(FixtureFiles.names(in: ["orientation"]).filter { $0.hasSuffix("6.jpg") }.first)
    let upright = try await file(.jxl, of: source(turned))
    #expect(try codecs.header(of: upright.data).orientation == .up)
  }

  @Test("orientation is applied once", arguments: 1...8, [MetadataPolicy.strip, .keepAll])
  func orientation(number: Int, policy: MetadataPolicy) async throws {
    let names = try FixtureFiles.names(in: ["orientation"]).filter { $0.hasSuffix("\(number).jpg") }
    let name = try #require(names.first)
    var format = OutputFormat.jpeg
    format.metadata = policy
    let request = try source(name)
    let upright = try await pipeline.image(for: request)
    let image = try await pipeline.encoded(for: request, as: format)
    let again = try codecs.picture(from: image.data)
    #expect(again.size == upright.size)
    let colors = { (picture: Picture) in
      [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75)].map { x, y in
        picture.bitmap[Int(Double(picture.size.width) * x), Int(Double(picture.size.height) * y)].red > 128
      }
    }
    #expect(colors(again) == colors(upright))
    #expect(try codecs.header(of: image.data).orientation == .up)
  }

  @Test(
    "a profile is embedded with its pixels where the format has a place for it, and applied elsewhere",
    arguments: [ImageType.jpeg, .png, .webp, .avif, .gif])
  func profile(type: ImageType) async throws {
    let request = try source("icc/display-p3-two-segments-reversed.jpg")
    var format = OutputFormat(type, options: EncodingOptions(isLossless: type != .jpeg))
    let converted = try await pipeline.encoded(for: request, as: format)
    #expect(try metadata(converted).colorProfile == nil)
    format.colorProfile = .embed
    let embedded = try await pipeline.encoded(for: request, as: format)
    let original = try codecs.metadata(
      of: FixtureFiles.data("icc/display-p3-two-segments-reversed.jpg"), limits: .default)
    #expect(try metadata(embedded).colorProfile?.data == (type == .gif ? nil : original.colorProfile?.data))
    #expect((embedded.data == converted.data) == (type == .gif))
    // Both look the same to a reader that manages colours, and no rendition was made of unconverted pixels.
    let (a, b) = (
      try codecs.picture(from: embedded.data).bitmap, try codecs.picture(from: converted.data).bitmap
    )
    let (x, y) = (a.size.width / 2, a.size.height / 2)
    #expect(
      abs(Int(a[x, y].red) - Int(b[x, y].red)) < 12 && abs(Int(a[x, y].green) - Int(b[x, y].green)) < 12)
    let shown = try await pipeline.image(for: request)
    #expect(shown.bitmap.colorSpace == .sRGB)
  }

  /// A GIF in black, with white where a frame has a rectangle.
  private func movingFile(_ size: PixelSize, _ rectangles: [PixelRectangle?]) throws -> Data {
    let writer = try codecs.animationEncoder(for: .gif)
      .makeWriter(canvas: size, loopCount: 0, options: EncodingOptions())
    for part in rectangles {
      let frame = Bitmap(size: size) { x, y in
        guard let part, x >= part.x, y >= part.y, x < part.x + part.size.width, y < part.y + part.size.height
        else { return Pixel.black }
        return Pixel.white
      }
      try writer.append(frame, duration: .milliseconds(100))
    }
    return try writer.finish()
  }

  @Test(
    "a trim leaves what is no border in any frame of an animation",
    arguments: [
      [.trim()], [Turn.right, .trim(evenAxes: .horizontal), Turn.left],
      // The second one removes what lies between, and the third nothing.
      [.trim(), Composition([.pad(to: PixelSize(90, 90), color: .white), .trim()]), .trim()],
    ] as [[any ImageProcessing]])
  func trim(steps: [any ImageProcessing]) async throws {
    // As much is above as below, so nothing is different with even axes.
    let parts = [
      PixelRectangle(x: 10, y: 5, width: 6, height: 6), nil,
      PixelRectangle(x: 30, y: 8, width: 12, height: 7),
    ]
    let request = ImageRequest(.data(try movingFile(PixelSize(60, 20), parts), key: "moving")).with {
      $0.processors = steps
    }
    let file = try await pipeline.encoded(for: request, as: OutputFormat(.gif))
    let moving = try #require(try codecs.picture(from: file.data).animation)
    let frames = try moving.delays.indices.map { try moving.frame(at: $0) }
    #expect(file.size == PixelSize(32, 10) && frames.map(\.size) == Array(repeating: file.size, count: 3))
    for (frame, part) in zip(frames, parts) {
      let isWhite = { (x: Int, y: Int) in frame[x, y] == Pixel.white }
      #expect(isWhite(0, 0) == (part?.x == 10) && isWhite(31, 9) == (part?.x == 30))
    }
  }

  @Test("attention falls on one place in all frames of an animation")
  func attention() async throws {
    let size = PixelSize(60, 20)
    let writer = try codecs.animationEncoder(for: .gif)
      .makeWriter(canvas: size, loopCount: 0, options: EncodingOptions())
    for left in [0, 36] {
      let frame = Bitmap(size: size) { x, y in
        let isDetail = (left..<left + 20).contains(x) && (x / 4 + y / 4) % 2 == 0
        return isDetail ? Pixel.white : Pixel.black
      }
      try writer.append(frame, duration: .milliseconds(100))
    }
    let request = ImageRequest(.data(try writer.finish(), key: "moving")).with {
      $0.processors = [.crop(.attention(PixelSize(1, 1)))]
    }
    let file = try await pipeline.encoded(for: request, as: OutputFormat(.gif))
    // The detail leaves the part; it would stay in it, and there would be one frame.
    let moved = try #require(try codecs.picture(from: file.data).animation)
    let frames = try moved.delays.indices.map { try moved.frame(at: $0) }
    #expect(frames.count == 2 && frames[0].size == PixelSize(20, 20))
    #expect((0..<20).allSatisfy { frames[1][$0, 10] == Pixel.black })
  }

  @Test(
    "animations move on, resized and processed, in every state of the caches",
    arguments: ["gif", "png", "avif"], [ImageType.webp, .png, .gif])
  func animation(source name: String, type: ImageType) async throws {
    let files = MemoryFileSystem()
    let request = try source("matrix/anim.\(name)").with {
      $0.resize = Resize(PixelSize(20, 20), mode: .aspectFit)
      $0.processors = [ColorAdjustment.grayscale]
    }
    let original = try #require(try codecs.picture(from: FixtureFiles.data("matrix/anim.\(name)")).animation)
    let format = OutputFormat(type, options: EncodingOptions(isLossless: true))
    var all: [Data] = []
    for state in 0..<3 {
      let pipeline = ImagePipeline.testing(files: files)
      if state == 1 { _ = try await pipeline.image(for: request) }
      let image = try await pipeline.encoded(for: request, as: format)
      #expect(image.frameCount == original.frameCount && !image.isFirstFrameOnly)
      all.append(image.data)
      await pipeline.flush()
    }
    #expect(Set(all).count == 1)
    let moving = try #require(try codecs.picture(from: all[0]).animation)
    #expect(moving.loopCount == original.loopCount)
    let frames = try moving.delays.indices.map { try moving.frame(at: $0) }
    #expect(frames.allSatisfy { $0.size == PixelSize(20, 20) || max($0.size.width, $0.size.height) == 20 })
    let length = { (delays: [Duration]) in delays.reduce(.zero, +) }
    #expect(abs((length(moving.delays) - length(original.delays)) / .milliseconds(1)) <= 20)
    let colored = frames.contains { frame in
      (0..<frame.size.width).contains { x in
        let pixel = frame[x, frame.size.height / 2]
        return abs(Int(pixel.red) - Int(pixel.blue)) > 8
      }
    }
    #expect(!colored)
    // The result says so when the caller wants a still picture, or the format cannot be animated.
    var still = format
    still.keepsAnimation = false
    for format in [still, .jpeg] {
      let image = try await pipeline.encoded(for: request, as: format)
      #expect(image.frameCount == 1 && image.isFirstFrameOnly)
    }
  }

  @Test("a format whose encoder fails makes way for the next, and notes tell what was left out")
  func nextFormat() async throws {
    struct Broken: ImageEncoding {
      var type: ImageType { .webp }
      var keepsAlpha: Bool { true }
      func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        throw .failed(.webp, reason: "not installed")
      }
    }
    let pipeline = ImagePipeline.testing { $0.decoding.codecs.register(encoder: Broken()) }
    let request = try source("metadata/exif.jpg")
    let image = try await pipeline.encoded(for: request, as: .negotiated(accept: "image/webp"))
    #expect(image.type == .jpeg)
    await #expect(throws: ImageError.self) { try await pipeline.encoded(for: request, as: .webp) }
    var data = try FixtureFiles.data("metadata/exif.jpg")
    let mark = try #require(data.range(of: Data("II*\0".utf8)) ?? data.range(of: Data("MM\0*".utf8)))
    data.replaceSubrange(mark.upperBound..<mark.upperBound + 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
    var format = OutputFormat.png
    format.metadata = .keepAll
    let noted = try await pipeline.encoded(for: ImageRequest(.data(data, key: "broken")), as: format)
    #expect(noted.notes.contains { $0.hasPrefix("EXIF data are left out") })
    #expect(
      pipeline.cachedEncoded(for: ImageRequest(.data(data, key: "broken")), as: format)?.notes == noted.notes)
  }

  @Test("notes name the blocks for which a format has no place, or none that is long enough")
  func blocksWithoutPlace() async throws {
    func notes(_ request: ImageRequest, _ type: ImageType) async throws -> [String] {
      var format = OutputFormat(type)
      format.metadata = .keepAll
      return try await pipeline.encoded(for: request, as: format).notes.filter { $0.contains("left out") }
    }
    let camera = try source("metadata/exif.jpg")
    #expect(try await notes(camera, .jpeg).isEmpty)
    #expect(try await notes(camera, .gif) == ["EXIF data are left out: GIF is written without metadata"])
    let bitmap = try codecs.picture(from: FixtureFiles.data("metadata/exif.jpg")).bitmap
    for byteCount in [65_504, 65_505] {
      let blocks = EncodedMetadata(xmp: Data(repeating: 0x20, count: byteCount))
      let data = try codecs.encode(bitmap, as: .png, options: EncodingOptions(metadata: blocks))
      let found = try await notes(ImageRequest(.data(data, key: "\(byteCount)")), .jpeg)
      let note = "XMP is left out: 65505 bytes, and a JPEG has room for 65504"
      #expect(found == (byteCount > 65_504 ? [note] : []))
    }
  }
}
