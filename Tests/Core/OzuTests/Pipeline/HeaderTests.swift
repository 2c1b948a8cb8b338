import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu
@testable import OzuCodecs

@Suite("A header loads no more of a file than it needs")
struct HeaderTests {
  /// A JPEG whose file is much longer than its picture.
  private static let long = try! Fixture.photo.data(as: .jpeg) + Data(count: 1_000_000)

  /// A JPEG with this number of unused bytes before its header.
  private static func late(_ count: Int) -> Data {
    let segments = Data(
      (0..<(count / 50_000)).flatMap { _ in [0xFF, 0xE9, 0xC3, 0x50] + [UInt8](repeating: 7, count: 49_998) })
    return long.prefix(2) + segments + long.dropFirst(2)
  }

  private func serve(
    _ fixture: Fixture, _ body: Data = long, tag: String = "\"1\"", ranges: Bool = true
  ) -> URL {
    let url = Fixture.url("a")
    let reply = FakeHTTPReply.ok(body).header("ETag", tag).header("Cache-Control", "max-age=600").inPieces(
      of: 16_384)
    fixture.client.reply(to: url, with: ranges ? reply.servingRanges() : reply)
    return url
  }

  private func size(_ fixture: Fixture, _ url: URL) async throws -> PixelSize {
    try await fixture.pipeline.header(for: ImageRequest(url: url)).size
  }

  @Test("the beginning is enough, and the next load asks for the rest", arguments: [false, true])
  func beginning(_ isRestarted: Bool) async throws {
    let fixture = Fixture()
    let url = serve(fixture)
    #expect(try await size(fixture, url) == PixelSize(320, 240))
    #expect(fixture.client.sentByteCount == 65_536)
    #expect(fixture.client.requests.map { $0.headers["Range"] } == ["bytes=0-65535"])
    await fixture.pipeline.flush()
    let pipeline = isRestarted ? fixture.freshPipeline() : fixture.pipeline
    #expect(Fixture.photo.resembles(try await pipeline.image(for: url).bitmap))
    #expect(fixture.client.sentByteCount == Self.long.count)
    #expect(fixture.client.requests.last?.headers["Range"] == "bytes=65536-")
    #expect(fixture.client.requests.last?.headers["If-Range"] == "\"1\"")
    #expect(fixture.client.requests.count == 2)
    // The second pipeline on a folder is read-only.
    guard !isRestarted else { return }
    await pipeline.flush()
    #expect(try await pipeline.data(for: url) == Self.long)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a decoder that lacks one more byte each time is asked a few times, then the whole file is loaded")
  func endlessRanges() async throws {
    let fixture = Fixture { $0.decoding.codecs.register(decoder: GreedyDecoder()) }
    #expect(try await size(fixture, serve(fixture)) == PixelSize(8, 6))
    #expect(3..<40 ~= fixture.client.requests.count)
  }

  private final class GreedyDecoder: ImageDecoding {
    private let count = Mutex(100_000)
    var types: [ImageType] { [.jpeg] }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      var header = ImageHeader(type: .jpeg, storedSize: PixelSize(8, 6))
      header.missingBytes = count.withLock { count in
        count += 2
        return count..<(count + 1)
      }
      return File(header: header)
    }

    private final class File: ImageFile {
      let header: ImageHeader

      init(header: ImageHeader) { self.header = header }

      func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
        throw .cancelled
      }
    }
  }

  @Test("a header further back needs a second range; one still further back needs the whole file")
  func second() async throws {
    let fixture = Fixture()
    let body = Self.late(100_000)
    #expect(try await size(fixture, serve(fixture, body)) == PixelSize(320, 240))
    #expect(fixture.client.sentByteCount == 192 << 10)
    #expect(fixture.client.requests.last?.headers["Range"] == "bytes=65536-196607")
    let other = Fixture()
    let longer = Self.late(250_000)
    let url = serve(other, longer)
    #expect(try await size(other, url) == PixelSize(320, 240))
    #expect(other.client.sentByteCount == longer.count)
    await other.pipeline.flush()
    #expect(try await other.pipeline.data(for: url) == longer)
    #expect(other.client.requests.count == 3)
  }

  @Test("an origin that sends no ranges is stopped")
  func noRanges() async throws {
    let fixture = Fixture()
    let url = serve(fixture, ranges: false)
    #expect(try await size(fixture, url) == PixelSize(320, 240))
    #expect(fixture.client.requests.count == 1)
    #expect(fixture.client.sentByteCount <= (192 << 10) + 16_384)
    // Its beginning is still kept.
    _ = serve(fixture)
    _ = try await fixture.pipeline.image(for: url)
    #expect(fixture.client.requests.last?.headers["Range"] == "bytes=196608-")
  }

  @Test(
    "a range that no body can have is refused, and the whole file is requested",
    arguments: [
      "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775806/*",
      "bytes 0-9223372036854775807/9223372036854775807",
    ])
  func endlessRange(_ range: String) async throws {
    let fixture = Fixture()
    let url = Fixture.url("a")
    fixture.client.reply { request in
      guard request.headers["Range"] != nil else { return .ok(Self.long) }
      var part = FakeHTTPReply.ok(Self.long.prefix(65_536)).header("Content-Range", range)
      part.status = 206
      return part
    }
    #expect(try await size(fixture, url) == PixelSize(320, 240))
    #expect(fixture.client.requests.map { $0.headers["Range"] } == ["bytes=0-65535", nil])
  }

  @Test("a body that is encoded, though no coding was offered, is requested whole, which is decoded")
  func encoded() async throws {
    let fixture = Fixture()
    fixture.client.reply { request in
      guard request.headers["Range"] != nil else { return .ok(Self.long) }
      return FakeHTTPReply.ok(Data([0x1F, 0x8B, 8])).header("Content-Encoding", "gzip")
    }
    #expect(try await size(fixture, Fixture.url("a")) == PixelSize(320, 240))
    #expect(fixture.client.requests.map { $0.headers["Range"] } == ["bytes=0-65535", nil])
  }

  @Test("nothing is kept of a body without a strong validator")
  func weak() async throws {
    let fixture = Fixture()
    let url = serve(fixture, tag: "W/\"1\"")
    #expect(try await size(fixture, url) == PixelSize(320, 240))
    #expect(Fixture.photo.resembles(try await fixture.pipeline.image(for: url).bitmap))
    #expect(fixture.client.requests.map { $0.headers["Range"] } == ["bytes=0-65535", nil])
  }

  @Test("a picture that changed between two ranges is requested again")
  func changed() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a")
    let reply = { (body: Data, tag: String) in
      FakeHTTPReply.ok(body).header("ETag", tag).servingRanges()
    }
    let small = try PatternPicture(PixelSize(40, 30)).data(as: .jpeg)
    fixture.client.reply(to: url, with: [reply(Self.late(100_000), "\"1\""), reply(small, "\"2\"")])
    #expect(try await size(fixture, url) == PixelSize(40, 30))
    #expect(try await fixture.pipeline.image(for: url).size == PixelSize(40, 30))
  }

  @Test(
    "without a tag ranges are joined if the file is a minute older than the answer, and has the same date in both",
    arguments: [(60, nil, true), (59, nil, false), (60, 10, false)] as [(Double, Double?, Bool)])
  func dated(_ age: Double, _ ageOfRest: Double?, _ isJoined: Bool) async throws {
    let fixture = Fixture()
    let (body, now) = (Self.late(100_000), Date(timeIntervalSince1970: 1_767_355_200))
    fixture.client.reply { request in
      let range = request.headers["Range"]
      let changed = range == "bytes=0-65535" ? age : ageOfRest ?? age
      let reply = FakeHTTPReply.ok(body).header("Date", HTTPDate.string(from: now))
        .header("Last-Modified", HTTPDate.string(from: now.addingTimeInterval(-changed)))
      guard range == "bytes=65536-196607" else { return reply.servingRanges() }
      // This origin ignores If-Range.
      var part = reply
      part.status = 206
      part.headers["Content-Range"] = "bytes 65536-196607/\(body.count)"
      part.body = Data(body.dropFirst(65_536).prefix(131_072))
      return part
    }
    #expect(try await size(fixture, Fixture.url("a")) == PixelSize(320, 240))
    #expect((fixture.client.requests.last?.headers["Range"] == "bytes=65536-196607") == isJoined)
  }

  @Test("a small picture is loaded whole, and is stored", arguments: [true, false])
  func small(_ ranges: Bool) async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .png)
    let url = serve(fixture, body, ranges: ranges)
    #expect(try await size(fixture, url) == PixelSize(320, 240))
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == body)
    #expect(try await fixture.pipeline.header(for: ImageRequest(url: url)).type == .png)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a GIF is counted to its end, and is stored")
  func gif() async throws {
    let fixture = Fixture()
    let gif = try FixtureFiles.data("matrix/anim.gif")
    var long = gif
    // Comments between the last frame and the end.
    long.removeLast()
    for _ in 0..<800 { long += Data([0x21, 0xFE, 0xFF] + [UInt8](repeating: 7, count: 255) + [0]) }
    long.append(0x3B)
    let url = serve(fixture, long)
    let header = try await fixture.pipeline.header(for: ImageRequest(url: url))
    #expect(header == (try CodecRegistry.standard.header(of: gif)))
    #expect(header.frameCount > 1)
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == long)
    #expect(fixture.client.sentByteCount <= long.count + 65_536)
  }

  @Test(
    "whether a BMP of 32 bits has alpha is known at its end, unless a pixel of its beginning has some",
    arguments: [(32, 0, 0), (32, 0, 128), (32, 128, 0), (24, 0, 0)])
  func alphaOfBMP(bits: Int, firstAlpha: UInt8, lastAlpha: UInt8) async throws {
    let side = 170
    func little(_ numbers: UInt32...) -> Data {
      Data(numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } })
    }
    let row = (side * bits / 8 + 3) / 4 * 4
    var pixels = Data(repeating: 7, count: row * side)
    if bits == 32 {
      for pixel in 0..<side * side { pixels[4 * pixel + 3] = pixel == side ? firstAlpha : 0 }
      pixels[pixels.count - 1] = lastAlpha
    }
    // A header of 40 bytes, and four masks behind it for 32 bits.
    let masks = bits == 32 ? little(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000) : Data()
    let body =
      Data("BM".utf8) + little(0, 0, UInt32(54 + masks.count), 40, UInt32(side), UInt32(side))
      + little(UInt32(bits) << 16 | 1, bits == 32 ? 6 : 0, UInt32(pixels.count), 2835, 2835, 0, 0) + masks
      + pixels
    let fixture = Fixture()
    let url = serve(fixture, body)
    let header = try await fixture.pipeline.header(for: ImageRequest(url: url))
    #expect(header == (try CodecRegistry.standard.header(of: body)))
    #expect(header.hasAlpha == (firstAlpha > 0 || lastAlpha > 0))
    #expect(fixture.client.sentByteCount == (bits == 32 && firstAlpha == 0 ? body.count : 65_536))
    // The second request of the header brought the rest; otherwise the load asks for it. No byte is sent twice.
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == body)
    #expect(fixture.client.requests.count == 2)
    #expect(fixture.client.sentByteCount == body.count)
  }

  @Test(
    "the directory at the end of a TIFF is requested, and gives the same header as the whole file",
    arguments: ["large/one-strip.tif", "large/strips.tif"])
  func tiff(_ name: String) async throws {
    // The pixels are pushed apart, so that the directory is far from the beginning.
    let original = try FixtureFiles.data(name)
    let shift = 400_000
    let directory = original.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    try #require(original.prefix(4) == Data([0x49, 0x49, 42, 0]) && directory > 1_000)
    // The first strip begins after the head. All offsets behind it move.
    let fixture = Fixture { $0.decoding.codecs = ImagePipeline.Configuration().decoding.codecs }
    let long = TIFFShifter(original).shifted(by: shift)
    let expected = try CodecRegistry.standard.header(of: long)
    #expect(expected.size == (try CodecRegistry.standard.header(of: original)).size)
    let url = serve(fixture, long)
    #expect(try await fixture.pipeline.header(for: ImageRequest(url: url)) == expected)
    #expect(fixture.client.requests.count == 2)
    #expect(fixture.client.sentByteCount <= 110_000)
    #expect(try await fixture.pipeline.data(for: url) == long)
  }

  @Test(
    "a picture behind a JPEG is in its header, from a range of its beginning or from the whole file",
    arguments: ["gain map", "other picture", "no ranges", "cut"])
  func behindJPEG(_ kind: String) async throws {
    func noise(_ size: PixelSize) -> Bitmap {
      Bitmap(size: size, isOpaque: true) { x, y in
        let value = UInt8(truncatingIfNeeded: ((x &* 7919 ^ y &* 104_729) &* 2_654_435) >> 9)
        return Pixel(red: value, green: value &* 3, blue: value &* 7)
      }
    }
    let numbers = GainMap(
      size: PixelSize(250, 250), bytes: 0..<0, channels: [.init(minimum: 0, maximum: 2)], alternateHeadroom: 2
    )
    let gains = noise(numbers.size).converted(to: .gray8)
    let picture = noise(PixelSize(500, 500))
    let options = EncodingOptions(compressionQuality: 0.95)
    let codecs = CodecRegistry.standard
    var notes: [String] = []
    let plain = try codecs.encode(picture, as: .jpeg, options: options)
    var body =
      kind == "other picture"
      ? JPEGGainMapFile.joined(plain, plain)
      : try codecs.encode(
        picture, with: GainMapPicture(numbers, bitmap: gains), options: options, notes: &notes)
    if kind == "cut" { body = body.prefix(220_000) }
    try #require(plain.count > 230_000 && notes.isEmpty)
    let expected = try codecs.header(of: body)
    #expect((expected.gainMap != nil) == (kind == "gain map" || kind == "no ranges"))
    #expect(expected.notes.isEmpty == (expected.gainMap != nil))
    let fixture = Fixture()
    let url = serve(fixture, body, ranges: kind != "no ranges")
    #expect(try await fixture.pipeline.header(for: ImageRequest(url: url)) == expected)
    let needsWhole = kind == "no ranges" || kind == "cut"
    #expect(needsWhole || fixture.client.requests.count == 2)
    #expect(needsWhole || fixture.client.sentByteCount == 80 << 10)
    #expect(try await fixture.pipeline.data(for: url) == body)
  }

  @Test(
    "a TIFF that only its decoder understands is loaded whole",
    arguments: [
      [0x49, 0x49, 42, 0, 0xFF, 0xFF, 0xFF, 0x7F], [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0],
      [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0xFF, 0xFF],
      [0x49, 0x49, 43, 0, 8, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8),
      // Camera RAW: a version of DNG; a maker and sub-directories.
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0xC6, 1, 0, 4, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0],
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0, 0x0F, 1, 2, 0, 2, 0, 0, 0, 0x41, 0, 0, 0]
        + [0x4A, 1, 4, 0, 1, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func oddDirectories(_ bytes: [UInt8]) {
    #expect(SparseFile(beginning: Data(bytes), byteCount: 1_000).next(within: .max) == nil)
  }

  @Test("a TIFF that is said to be longer than memory has no directory to ask for")
  func endlessTIFF() {
    let head = Data([0x49, 0x49, 43, 0, 8, 0, 0, 0, 0xF6] + [UInt8](repeating: 0xFF, count: 6) + [0x7F])
    for count in [Int.max, Int.max - 8, (4 << 30) + 1] {
      #expect(SparseFile(beginning: head, byteCount: count).next(within: .max) == nil)
    }
  }

  @Test(
    "an origin's answer to a range request is used, or the whole file is requested",
    arguments: [(404, 1), (416, 2), (200, 1)])
  func answers(_ status: Int, _ requestCount: Int) async throws {
    let fixture = Fixture()
    let body = Self.long
    fixture.client.reply { request in
      request.headers["Range"] == nil ? .ok(body) : status == 200 ? .ok(Data("<html>".utf8)) : .status(status)
    }
    let result = await Result { try await size(fixture, Fixture.url("a")) }
    #expect((try? result.get()) == (status == 416 ? PixelSize(320, 240) : nil))
    #expect(fixture.client.requests.count == requestCount)
  }

  @Test(
    "the beginning of a file gives the same header as the whole file",
    arguments: try! FixtureFiles.names(in: ["large", "matrix", "orientation", "metadata"]))
  func prefixes(_ name: String) throws {
    let data = try FixtureFiles.data(name)
    guard let whole = try? CodecRegistry.standard.header(of: data) else { return }
    for count in [100, 500, 1_000, 2_000, 5_000, 20_000, 64 << 10, data.count - 1] where count < data.count {
      switch CodecRegistry.standard.header(ofBeginning: data.prefix(count), limits: .default) {
      case .tooShort: break
      case .sized(let size, _): #expect(size == whole.size, "\(count) bytes")
      case .settled(let header): #expect(header == whole, "\(count) bytes")
      }
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
