import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Errors for bad input")
struct BadInputTests {
  /// A bad source, the error it must give, and a part of the message.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let reply: (@Sendable () throws -> FakeHTTPReply)?
    var source: ImageSource?
    let message: String
    let matches: @Sendable (ImageError) -> Bool

    var testDescription: String { name }

    init(
      _ name: String, _ message: String, source: ImageSource? = nil,
      reply: (@Sendable () throws -> FakeHTTPReply)? = nil,
      _ matches: @escaping @Sendable (ImageError) -> Bool
    ) {
      self.name = name
      self.message = message
      self.source = source
      self.reply = reply
      self.matches = matches
    }
  }

  static let cases: [Case] = [
    Case("a literal that is no URL", "the text is not a URL", source: ("http://[" as ImageRequest).source) {
      $0.kind == .invalidSource
    },
    Case("a missing file", "no such file", source: file("/nowhere/at/all.jpg")) {
      $0.kind == .noSuchFile
    },
    Case("a folder", "a folder", source: file("/tmp")) { $0.kind == .isDirectory },
    Case("a device", "not a regular file", source: file("/dev/zero")) {
      $0.kind == .unreadableFile && $0.systemErrorCode == nil
    },
    Case("404", "404 (Not Found)", reply: { .status(404) }) {
      $0.statusCode == 404
    },
    Case("500 with a picture in its body", "500", reply: { try .page(500, Fixture.photo.data(as: .jpeg)) }) {
      $0.statusCode == 500
    },
    Case("a refused connection", "refused the connection", reply: { .failure(.connectionRefused) }) {
      $0.kind == .connectionRefused
    },
    Case("a name that does not resolve", "could not be resolved", reply: { .failure(.nameNotResolved) }) {
      $0.kind == .nameNotResolved
    },
    Case("a silent server", "took too long", reply: { .failure(.timedOut(.connect)) }) {
      $0.kind == .timedOut
    },
    Case("a reset connection", "closed the connection", reply: { .failure(.connectionLost) }) {
      $0.kind == .transport
    },
    Case(
      "a body that stops short", "ended after 100 of",
      reply: {
        .ok(try Fixture.photo.data(as: .jpeg)).failing(
          .bodyTruncated(received: 100, expected: 999), afterByteCount: 100)
      }
    ) { $0.kind == .bodyTruncated },
    Case(
      "HTML instead of an image", "an HTML page",
      reply: { .ok(Data("\n <!DOCTYPE html><html><body>Sign in</body></html>".utf8), type: "image/jpeg") }
    ) { $0.underlying as? ImageDecodingError == .notAnImage(kind: "an HTML page") },
    Case("bytes of nothing known", "not an image", reply: { .ok(Data([0, 1, 2, 3, 254, 255])) }) {
      $0.underlying as? ImageDecodingError == .notAnImage(kind: nil)
    },
    Case("an empty body", "no bytes", reply: { .ok(Data()) }) {
      $0.kind == .emptyData
    },
    Case(
      "a JPEG that is cut in half", "truncated JPEG",
      reply: {
        let whole = try Fixture.photo.data(as: .jpeg)
        return .ok(whole.prefix(whole.count / 2))
      }
    ) { $0.kind == .truncatedData && $0.imageType == .jpeg },
    Case(
      "a JPEG that ends in its header", "JPEG", reply: { .ok(try Fixture.photo.data(as: .jpeg).prefix(30)) }
    ) {
      [.truncatedData, .corruptData].contains($0.kind) && $0.imageType == .jpeg
    },
    Case("a picture that declares 30000x30000", "limit", reply: { .ok(try hugePNG()) }) {
      $0.violation?.quantity == .pixelCount
    },
    Case("a body over the limit", "more than the limit", reply: { .ok(Data(count: 200_000)) }) {
      $0.byteLimit == 100_000
    },
    Case("a format nothing here reads", "cannot be read", reply: { .ok(bitmapWithJPEG) }) {
      $0.kind == .unsupportedType && $0.imageType == .bmp
    },
    Case("an unknown scheme", "ftp:", source: url("ftp://example.com/a.jpg")) {
      $0.kind == .invalidSource
    },
    Case("an address without a host", "no host", source: url("https:///a.jpg")) {
      $0.kind == .invalidSource
    },
    Case("a relative address", "relative", source: url("a/b.jpg")) {
      $0.kind == .invalidSource
    },
    Case("a malformed data address", "malformed", source: url("data:image/png")) {
      $0.kind == .invalidSource
    },
    Case("a fetcher that throws", "out of tape", source: .fetcher(BrokenFetcher())) {
      $0.kind == .fetchFailed
    },
  ]

  private static func file(_ path: String) -> ImageSource { .url(URL(fileURLWithPath: path)) }
  private static func url(_ text: String) -> ImageSource { .url(URL(string: text)!) }

  private struct BrokenFetcher: ImageFetching {
    struct Failure: Error, CustomStringConvertible { let description = "out of tape" }
    let key = "tape 1"
    func fetch() async throws -> FetchedImage { throw Failure() }
  }

  /// A PNG of a few bytes with a header that asks for 3.6 gigabytes of pixels.
  private static func hugePNG() throws -> Data {
    var data = try PatternPicture(PixelSize(2, 2)).data(as: .png)
    let side: [UInt8] = [0, 0, 0x75, 0x30]
    data.replaceSubrange(16..<24, with: side + side)
    let crc = CRC32.checksum(data[12..<29])
    data.replaceSubrange(29..<33, with: withUnsafeBytes(of: crc.bigEndian) { Array($0) })
    return data
  }

  @Test(
    "bad input has its own error, one line that names the source, and leaves nothing in the caches",
    arguments: cases)
  func badInput(_ input: Case) async throws {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let fixture = Fixture {
      $0.decoding.limits.encodedByteCount = 100_000
      $0.decoding.pixelBufferPool = pool
    }
    let url = Fixture.url("bad.jpg")
    if let reply = try input.reply?() { fixture.client.reply(to: url, with: reply) }
    let source = input.source ?? .url(url)
    for resize in [nil, Fixture.small] {
      do {
        _ = try await fixture.pipeline.image(for: ImageRequest(source, resize: resize))
        Issue.record("there should be no picture")
      } catch {
        #expect(input.matches(error), "\(error)")
        #expect("\(error)".hasPrefix(source.name))
        #expect("\(error)".contains(input.message), "\(error)")
        #expect(!"\(error)".contains("\n"))
        #expect(error.source == source.name)
      }
    }
    #expect(await fixture.cachedCounts() == (0, 0))
    #expect(pool.statistics.lentByteCount == 0)
  }

  @Test(
    "an empty size is refused before any source is asked",
    arguments: [PixelSize(0, 10), PixelSize(10, -1)])
  func size(_ size: PixelSize) async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    await #expect { try await fixture.pipeline.image(for: url, size: size) } throws: {
      $0 as? ImageError == .invalidSize(size, source: url.absoluteString)
    }
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("a format for which there is no decoder is named")
  func noDecoder() async throws {
    let fixture = Fixture { $0.decoding.codecs = CodecRegistry() }
    let url = try fixture.serve("a.png", as: .png)
    await #expect { try await fixture.pipeline.image(for: url) } throws: { error in
      (error as? ImageError)?.kind == .unsupportedType && (error as? ImageError)?.imageType == .png
        && "\(error)".contains("PNG cannot be read")
    }
  }

  @Test("a failure is forgotten: the next request tries again")
  func retry() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: [.status(503), .ok(try Fixture.photo.data(as: .jpeg))])
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: url) }
    #expect(try await fixture.pipeline.image(for: url).size == PixelSize(320, 240))
  }
}

extension FakeHTTPReply {
  /// An error page with a body.
  fileprivate static func page(_ status: Int, _ body: Data) -> FakeHTTPReply {
    FakeHTTPReply(status: status, body: body)
  }
}

/// A BMP of one pixel that contains a JPEG, which no decoder reads.
private let bitmapWithJPEG: Data = {
  var bytes = Array("BM".utf8) + [UInt8](repeating: 0, count: 52)
  // The lengths of both headers, width, height, planes, bits and the compression.
  for (offset, value) in [(10, 54), (14, 40), (18, 1), (22, 1), (26, 1), (28, 24), (30, 4)] {
    bytes[offset] = UInt8(value)
  }
  return Data(bytes)
}()

/// The checksum of PNG chunks (ISO 3309), for tests that change one.
private enum CRC32 {
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
