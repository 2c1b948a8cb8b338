import Foundation
import OzuTesting
import Testing

@testable import Ozu
@testable import OzuCodecs

@Suite("Photographs with gain maps: brightened for a headroom, or written again with their map")
struct GainMapKeepingTests {
  private static let codecs = CodecRegistry.standard

  /// A photograph of another gain in each quarter, stored in some orientation.
  private static func photograph(_ orientation: Int = 1) throws -> Data {
    let numbers = GainMap(
      size: PixelSize(60, 40), bytes: 0..<0, channels: [.init(minimum: 0, maximum: 2)], alternateHeadroom: 2)
    let gains = Bitmap(size: numbers.size, isOpaque: true) { x, y in
      let value: UInt8 = x < 30 ? (y < 20 ? 255 : 170) : (y < 20 ? 85 : 0)
      return Pixel(red: value, green: value, blue: value)
    }
    let base = Bitmap(size: PixelSize(240, 160), isOpaque: true) { x, y in
      Pixel(red: UInt8(60 + x / 2), green: UInt8(60 + y / 2), blue: 120)
    }
    let exif: [UInt8] = [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0,
      0,
    ]
    var notes: [String] = []
    return try codecs.encode(
      base, with: GainMapPicture(numbers, bitmap: gains.converted(to: .gray8)),
      options: EncodingOptions(compressionQuality: 0.95, metadata: EncodedMetadata(exif: Data(exif))),
      notes: &notes)
  }

  private static func request(_ orientation: Int = 1) throws -> ImageRequest {
    ImageRequest(.data(try photograph(orientation), key: "photograph \(orientation)"))
  }

  private static var kept: OutputFormat {
    var format = OutputFormat(.jpeg, options: EncodingOptions(compressionQuality: 0.95))
    format.keepsGainMap = true
    return format
  }

  /// Values of green in 16 bits, at a grid of points that lies off the edges of quarters.
  private static func words(_ bitmap: Bitmap) -> [Int] {
    bitmap.withUnsafeBytes { bytes in
      (0..<8).flatMap { row in
        (0..<8).map { column in
          let x = (2 * column + 1) * bitmap.size.width / 16
          let y = (2 * row + 1) * bitmap.size.height / 16
          return Int(bytes.load(fromByteOffset: y * bitmap.bytesPerRow + x * 8 + 2, as: UInt16.self))
        }
      }
    }
  }

  private static let recipes: [(resize: Resize?, steps: [any ImageProcessing])] = [
    (nil, []), (Resize(PixelSize(120, 80)), []),
    (Resize(PixelSize(100, 100), mode: .aspectFill, crops: true), []),
    (Resize(region: PixelRectangle(x: 100, y: 20, width: 100, height: 120)), []),
    (
      Resize(PixelSize(120, 80)), [Crop.crop(.rectangle(PixelRectangle(x: 40, y: 10, width: 60, height: 60)))]
    ),
    (
      nil,
      [
        Crop.crop(.proportions(PixelSize(1, 1), .left)), .turn(.right), .resize(PixelSize(50, 50)),
        .turn(.flip),
      ]
    ),
  ]

  @Test(
    "are the same when they are brightened before they are written, or afterwards",
    arguments: recipes.indices,
    1...8)
  func kept(recipe: Int, orientation: Int) async throws {
    let pipeline = ImagePipeline.testing()
    let request = try Self.request(orientation).with {
      ($0.resize, $0.processors) = Self.recipes[recipe]
    }
    let file = try await pipeline.encoded(for: request, as: Self.kept)
    #expect(file.notes.isEmpty, "\(file.notes)")
    let header = try Self.codecs.header(of: file.data)
    let map = try #require(header.gainMap)
    #expect(header.orientation == .up)
    #expect(
      abs(map.size.width * 4 - file.size.width) <= 4 && abs(map.size.height * 4 - file.size.height) <= 4)
    let expected = try await pipeline.image(for: request.with { $0.headroomStops = 2 }).bitmap
    let after = try Self.codecs.picture(from: file.data, context: DecodingContext().brightened(toStops: 2))
      .bitmap
    #expect(expected.format == .rgba16 && after.size == expected.size)
    // The quarters differ by two thirds of a stop, which is more than 3000 steps of PQ.
    let worst = zip(Self.words(expected), Self.words(after)).map { abs($0 - $1) }.max() ?? .max
    #expect(worst < 2200, "\(worst)")
  }

  @Test(
    "lose their map with a note if it would be wrong or the format cannot contain it",
    arguments: [
      ([ColorAdjustment.grayscale], ImageType.jpeg), ([Crop.crop(.attention(PixelSize(1, 1)))], .jpeg),
      ([GaussianBlur(radius: 2)], .jpeg), ([], .png), ([], .webp),
    ] as [([any ImageProcessing], ImageType)])
  func lost(steps: [any ImageProcessing], type: ImageType) async throws {
    var format = OutputFormat(type)
    format.keepsGainMap = true
    let request = try Self.request().with { $0.processors = steps }
    let file = try await ImagePipeline.testing().encoded(for: request, as: format)
    #expect(try Self.codecs.header(of: file.data).gainMap == nil)
    #expect(file.notes.contains { $0.contains("gain map is left out") })
    // Without the option there is no note.
    let plain = try await ImagePipeline.testing().encoded(for: request, as: OutputFormat(type))
    #expect(plain.notes.isEmpty && plain.data == file.data)
  }

  @Test(
    "have the light levels of the brightened picture in files and from disk",
    arguments: [ImageType.png, .avif, .jxl])
  func lightLevels(type: ImageType) async throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    let request = try Self.request().with {
      $0.resize = Resize(PixelSize(60, 40))
      $0.headroomStops = 2
      $0.storagePolicy = .all
    }
    var format = OutputFormat(type)
    format.colorProfile = .keep
    let files = MemoryFileSystem()
    for _ in 0..<2 {
      let pipeline = ImagePipeline.testing(files: files)
      let levels = try #require(try await pipeline.image(for: request).header?.lightLevels)
      let peak = try #require(levels.maximumContent)
      #expect(100...812 ~= peak && levels.maximumAverage.map { 1..<peak ~= $0 } == true)
      let found = try Self.codecs.header(of: try await pipeline.encoded(for: request, as: format).data)
      #expect(found.lightLevels?.maximumContent == peak)
      #expect(type == .jxl || found.lightLevels == levels)
      await pipeline.flush()
    }
  }

  @Test("do not announce a map that was left out")
  func announcement() async throws {
    var format = OutputFormat.jpeg
    format.metadata = .keepAll
    let file = try await ImagePipeline.testing().encoded(for: try Self.request(), as: format)
    #expect(file.notes.contains { $0.contains("XMP") })
    #expect(try Self.codecs.header(of: file.data).notes.isEmpty)
    format.keepsGainMap = true
    let kept = try await ImagePipeline.testing().encoded(for: try Self.request(), as: format)
    let header = try Self.codecs.header(of: kept.data)
    #expect(kept.notes.isEmpty && header.gainMap != nil)
  }

  @Test("never share a picture with another headroom, in memory, on disk or in jobs")
  func identity() async throws {
    let files = MemoryFileSystem()
    let pipeline = ImagePipeline.testing(files: files)
    let small = try Self.request().with { $0.resize = Resize(PixelSize(60, 40)) }
    let stops: [Double?] = [nil, 0.5, 1, 2, 7]
    let requests = stops.map { stops in small.with { $0.headroomStops = stops } }
    #expect(Set(requests.map(\.key)).count == stops.count)
    #expect(small.with { $0.headroomStops = 0 }.key == small.key)
    #expect(small.with { $0.headroomStops = .nan }.key == small.key)
    #expect(requests[4].headroomStops == 6)
    // All at once, after a larger one from which smaller ones could be derived.
    _ = try await pipeline.image(for: small.with { $0.resize = Resize(PixelSize(200, 200)) })
    var all: [Bitmap] = []
    for request in requests { all.append(try await pipeline.image(for: request).bitmap) }
    for (index, bitmap) in all.enumerated() {
      #expect(bitmap.format == (index == 0 ? .bgra8 : .rgba16))
      #expect(all[..<index].allSatisfy { $0 != bitmap } || index == 4)
    }
    await pipeline.flush()
    let later = ImagePipeline.testing(files: files)
    for (request, bitmap) in zip(requests, all).dropFirst() {
      let task = later.task(for: request)
      let response = try await task.response
      #expect(response.source == .rendition)
      #expect(response.picture.bitmap == bitmap)
    }
    let even = try await later.image(for: small)
    #expect(even.bitmap.colorSpace == .sRGB)
  }

  @Test(
    "are written under PQ if the format can state it, and without the map otherwise",
    arguments: [ImageType.png, .avif, .jxl, .jpeg, .webp], [ColorProfilePolicy.convert, .keep])
  func written(type: ImageType, profile: ColorProfilePolicy) async throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    var format = OutputFormat(type)
    format.colorProfile = profile
    let request = try Self.request().with { $0.headroomStops = 2 }
    let file = try await ImagePipeline.testing().encoded(for: request, as: format)
    let isBright = ![ImageType.jpeg, .webp].contains(type)
    let header = try Self.codecs.header(of: file.data)
    #expect((header.colorEncoding == .coded(primaries: 1, transfer: 16)) == isBright)
    #expect(file.notes.contains { $0.contains("was applied") } == isBright)
    #expect(file.notes.contains { $0.contains("not applied") } == !isBright)
  }
}
