import Foundation
import OzuBase
import OzuHTTP
import OzuTesting

@testable import Ozu

/// A pipeline on a fake network and a disk in memory, with pictures to load.
struct Fixture: Sendable {
  let client = FakeHTTPClient()
  let files: MemoryFileSystem
  let decoder = CountingDecoder()
  /// The date of its pipelines, in whole seconds. It stands still: what they remember for seconds must not depend on the
  /// machine. A fraction would be rounded in a stored response, which could then be fresh for a tenth of a microsecond.
  let date: Date
  let pipeline: ImagePipeline

  init(
    files: MemoryFileSystem = MemoryFileSystem(),
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) {
    self.files = files
    let (decoder, date) = (decoder, Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
    self.date = date
    pipeline = .testing(client: client, files: files) {
      $0.testing.currentDate = { date }
      $0.decoding.codecs.register(decoder: decoder)
      configure(&$0)
    }
  }

  /// A second pipeline on the same disk, with empty memory.
  func freshPipeline(
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    .testing(client: client, files: files) { [date] in
      $0.testing.currentDate = { date }
      configure(&$0)
    }
  }

  static let small = Resize(PixelSize(32, 24), mode: .aspectFill, crops: true)

  static func url(_ path: String) -> URL { URL(string: "https://example.com/\(path)")! }

  static let photo = PatternPicture(PixelSize(320, 240), tint: 2)

  /// A PNG file of 60 KB: noise cannot be compressed.
  static func noise() throws -> Data {
    var random = SeededGenerator(seed: 1)
    let noise = Bitmap(size: PixelSize(200, 100)) { _, _ in
      let bits = random.next()
      return Pixel(
        red: UInt8(truncatingIfNeeded: bits), green: UInt8(truncatingIfNeeded: bits >> 8),
        blue: UInt8(truncatingIfNeeded: bits >> 16))
    }
    return try CodecRegistry.standard.encode(noise, as: .png, options: EncodingOptions())
  }

  /// Serves a pattern under a path and returns its URL.
  @discardableResult
  func serve(
    _ path: String, _ picture: PatternPicture = Fixture.photo, as type: ImageType = .jpeg,
    change: (FakeHTTPReply) -> FakeHTTPReply = { $0 }
  ) throws -> URL {
    let url = Self.url(path)
    client.reply(to: url, with: change(.ok(try picture.data(as: type))))
    return url
  }

  /// The number of pictures and originals in both caches, once everything is written.
  func cachedCounts() async -> (memory: Int, disk: Int) {
    await pipeline.flush()
    return (pipeline.memoryCacheStatistics.count, pipeline.diskCache?.fileCount ?? 0)
  }
}

extension DiskCache {
  /// The number of entries without the lists of variants.
  var fileCount: Int { count - count(in: ImageCaches.variants) }
}

/// The built-in JPEG and PNG decoders, counted.
final class CountingDecoder: ImageDecoding {
  private let count = Atomic(0)

  var decodeCount: Int { count.load(ordering: .relaxed) }

  var types: [ImageType] { [.jpeg, .png] }

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    WatchedFile(try CodecRegistry.standard.open(data, limits: limits)) { [self] _ in
      count.add(1, ordering: .relaxed)
    }
  }
}

/// A file that counts its decodes.
final class WatchedFile: ImageFile {
  private let file: any ImageFile
  private let willDecode: @Sendable (DecodingContext) throws(ImageDecodingError) -> Void

  init(
    _ file: any ImageFile,
    willDecode: @escaping @Sendable (DecodingContext) throws(ImageDecodingError) -> Void
  ) {
    self.file = file
    self.willDecode = willDecode
  }

  var header: ImageHeader { file.header }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    try willDecode(context)
    return try file.decode(plan, context: context)
  }
}
