import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Content codings", .timeLimit(.minutes(15)))
struct HTTPContentCodingTests {
  private let server: LoopbackServer
  private let client = directClient()
  private let text = Data("still image".utf8)

  init() throws {
    server = try LoopbackServer()
  }

  private func serve(_ body: Data, _ names: String...) -> LoopbackResponse {
    var response = LoopbackResponse.ok(body)
    for name in names { response.headers.add(name: "Content-Encoding", value: name) }
    return response
  }

  private func failure(_ limit: Int = 1 << 20) async -> HTTPError.Reason? {
    await OzuHTTPTests.failure(
      of: HTTPRequest(url: server.url("/a"), timeouts: .patient, maximumBodyByteCount: limit), by: client)
  }

  @Test(
    "the names of a response",
    arguments: [
      ([], .none), (["identity"], .none), (["", "none"], .none), (["GZip"], .known([.gzip])),
      (["x-gzip"], .known([.gzip])), (["deflate, identity", "br"], .known([.deflate, .brotli])),
      (["aws-chunked"], .unknown), (["gzip, aws-chunked"], .unknown), (["utf-8"], .unknown),
    ] as [([String], ContentCodings)])
  func names(_ values: [String], _ codings: ContentCodings) {
    #expect(ContentCodings(HTTPHeaders(values.map { .init(name: "Content-Encoding", value: $0) })) == codings)
  }

  #if os(Linux)
    @Test("every coding is offered and decoded", arguments: ContentCoding.allCases)
    func codings(_ coding: ContentCoding) async throws {
      server.route("/a", serve(CodedBytes.encoded(text, coding), coding.rawValue))
      let (body, response) = try await client.data(from: server.url("/a"))
      #expect(body == text)
      #expect(response.bodyByteCount == text.count)
      #expect(response.metrics.receivedByteCount == CodedBytes.encoded(text, coding).count)
      #expect(server.requests.first?.headers["Accept-Encoding"] == "gzip, deflate, br, zstd")
    }

    @Test(
      "the offer is sent beside the request's own fields, but not for a range or with its own Accept-Encoding"
    )
    func offers() async throws {
      server.route("/a", .ok(text))
      for headers in [["X-A": "1"], ["Range": "bytes=0-"], ["Accept-Encoding": "br"], [:], ["X-A": ""]]
        as [HTTPHeaders]
      {
        _ = try await client.data(for: HTTPRequest(url: server.url("/a"), headers: headers))
      }
      let offers = server.requests.map { $0.headers["Accept-Encoding"] }
      #expect(offers == [ContentCoding.offer, nil, "br", ContentCoding.offer, ContentCoding.offer])
    }

    @Test("five nested codings are decoded, six are refused")
    func stacked() async throws {
      let names = ["zstd", "gzip", "br", "deflate", "gzip"]
      let body = CodedBytes.encoded(text, names.compactMap { ContentCoding(name: $0) })
      server.route("/a", serve(body, names.prefix(2).joined(separator: ", "), names[2], names[3], names[4]))
      #expect(try await client.data(from: server.url("/a")).body == text)
      server.route("/a", serve(body, "gzip, gzip", "gzip, gzip", "gzip, gzip"))
      #expect(await failure() == .protocolError("it names more than 5 content codings"))
    }
  #endif

  @Test(
    "a body in an unknown coding is delivered as it was sent, and checked against its length",
    arguments: ["aws-chunked", "utf-8", "compress", "gzip, aws-chunked", "x"])
  func unknown(_ name: String) async throws {
    server.route("/a", serve(text, name))
    let (body, response) = try await client.data(from: server.url("/a"))
    #expect(body == text)
    #expect(response.head.expectedByteCount == text.count)
    server.route("/a", serve(text, name).declaring(byteCount: 100))
    #expect(await failure() == .bodyTruncated(received: text.count, expected: 100))
  }

  #if os(Linux)
    enum Framing: CaseIterable {
      case length, chunks, closing
    }

    @Test(
      "a coding that ends early is an error, even if the body ends properly",
      arguments: ContentCoding.allCases,
      Framing.allCases)
    func cut(_ coding: ContentCoding, _ framing: Framing) async throws {
      let bytes = patternedBytes(50_000)
      let half = serve(Data(CodedBytes.encoded(bytes, coding).prefix(25_000)), coding.rawValue)
        .header("Cache-Control", "max-age=100").header("ETag", "\"1\"")
      server.route(
        "/a", framing == .length ? half : framing == .chunks ? half.chunked() : half.withoutLength())
      #expect(await failure() == .contentCodingTruncated(coding: coding.rawValue))
      // Nothing of it is kept, neither as a whole nor as a beginning.
      let storage = InMemoryHTTPCacheStorage()
      let cache = HTTPCache(client: client, storage: storage)
      let request = HTTPRequest(url: server.url("/a"))
      await #expect(throws: HTTPError.self) { try await cache.response(for: request) }
      #expect(await storage.entries(for: HTTPCacheKey(request)).isEmpty)
      #expect(await storage.partialBody(for: HTTPCacheKey(request)) == nil)
    }

    @Test("the error of a body that is too short counts encoded bytes")
    func shorter() async throws {
      let body = CodedBytes.encoded(text, .gzip)
      server.route("/a", serve(body, "gzip").declaring(byteCount: 1000))
      #expect(await failure() == .bodyTruncated(received: body.count, expected: 1000))
    }

    @Test("no bytes are an empty body in every coding", arguments: ContentCoding.allCases)
    func empty(_ coding: ContentCoding) async throws {
      server.route("/a", serve(Data(), coding.rawValue))
      #expect(try await client.data(from: server.url("/a")).body.isEmpty)
      server.route("/a", serve(CodedBytes.encoded(Data(), coding), coding.rawValue))
      #expect(try await client.data(from: server.url("/a")).body.isEmpty)
      _ = try await client.send(HTTPRequest(url: server.url("/a"), method: .head), into: DataSink())
    }

    static let bombs: [(Data, String)] = [
      (HTTPClientLimitTests.gzipBomb, "gzip"), (CodedBytes.gzipInGzip, "gzip, gzip"),
      (CodedBytes.brotliBomb, "br"), (CodedBytes.zstdBomb(blockCount: 8000), "zstd"),
    ]

    @Test("a bomb stops at the limit on decoded bytes", arguments: bombs)
    func bomb(_ body: Data, _ name: String) async throws {
      server.route("/a", serve(body, name))
      #expect(await failure(100_000) == .bodyTooLarge(limit: 100_000))
      // The next one of the connection pool is not disturbed.
      server.route("/b", .ok(text))
      #expect(try await client.data(from: server.url("/b")).body == text)
    }

    @Test("a coding that reads bytes without end and outputs none stops at the limit")
    func futile() async throws {
      // Empty blocks of deflate that are not the last.
      let blocks = Data([0x78, 0x01]) + (0..<600_000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }
      server.route("/a", serve(blocks, "deflate"))
      #expect(await failure(100_000) == .bodyTooLarge(limit: 100_000))
    }

    @Test(
      "90 MB in a few bytes come whole", .timeLimit(.minutes(15)),
      arguments: [(CodedBytes.brotliBomb, "br"), (CodedBytes.zstdBomb(blockCount: 687), "zstd")])
    func large(_ body: Data, _ name: String) async throws {
      server.route("/a", serve(body, name))
      let sink = CountingSink()
      let response = try await client.send(HTTPRequest(url: server.url("/a"), timeouts: .patient), into: sink)
      #expect(response.bodyByteCount >= 90_000_000)
      #expect(sink.byteCount == response.bodyByteCount)
      // A piece is a window, whatever it came from.
      #expect(sink.largestPiece <= 64 << 10)
    }
  #endif
}

/// Counts what it is given.
private final class CountingSink: HTTPBodySink {
  private let counts = Mutex((sum: 0, largest: 0))

  var byteCount: Int { counts.withLock { $0.sum } }
  var largestPiece: Int { counts.withLock { $0.largest } }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let count = bytes.byteCount
    counts.withLock { $0 = ($0.sum + count, max($0.largest, count)) }
  }
}
