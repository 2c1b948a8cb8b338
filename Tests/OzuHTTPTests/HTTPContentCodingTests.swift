#if os(Linux)
  import CCurl
  import Foundation
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  @Suite("Content codings", .timeLimit(.minutes(15)))
  struct HTTPContentCodingTests {
    @Test(
      "every coding that libcurl was built for is offered and undone; others are refused",
      arguments: ContentCoding.allCases)
    func codings(_ coding: ContentCoding) async throws {
      let server = try LoopbackServer()
      server.route("/a", .ok(coding.encodedText).header("Content-Encoding", coding.rawValue))
      let client = directClient()
      guard coding.isBuiltIn else {
        // What is not offered and comes nevertheless must not be taken for a picture.
        let reason = await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client)
        if case .protocolError? = reason {} else { Issue.record("\(String(describing: reason))") }
        return
      }
      let (body, _) = try await client.data(from: server.url("/a"))
      #expect(String(decoding: body, as: UTF8.self) == "still image")
      let offered = try #require(server.requests.first?.headers["Accept-Encoding"])
      #expect(offered.split(separator: ", ").contains { $0 == coding.rawValue })
    }
  }

  /// The codings that libcurl may have been built for, and a text in each.
  enum ContentCoding: String, CaseIterable, Sendable {
    case deflate, gzip
    case brotli = "br"
    case zstd

    var isBuiltIn: Bool {
      let feature =
        switch self {
        case .deflate, .gzip: CURL_VERSION_LIBZ
        case .brotli: CURL_VERSION_BROTLI
        case .zstd: CURL_VERSION_ZSTD
        }
      return curl_version_info(CURLVERSION_FIRST).pointee.features & feature != 0
    }

    var encodedText: Data {
      let text = Array("still image".utf8)
      let count = UInt8(text.count)
      return switch self {
      // RFC 1950: one stored block, and the Adler-32 of the text.
      case .deflate: Data([0x78, 0x01, 0x01, count, 0, ~count, 0xFF] + text + [0x1A, 0x60, 0x04, 0x4C])
      case .gzip: Data(base64Encoded: "H4sIAAAAAAAC/ysuyczJUcjMTUxPBQAS8sTMCwAAAA==") ?? Data()
      // RFC 7932 §9.2: a window of 16 bits, an uncompressed meta-block, an empty last one.
      case .brotli:
        Data([UInt8((Int(count) - 1) << 4 & 0xFF), UInt8((Int(count) - 1) >> 4), 0x10] + text + [0x03])
      // RFC 8878 §3.1.1: a frame of a single segment with one raw block.
      case .zstd: Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, count, count << 3 | 1, 0, 0] + text)
      }
    }
  }
#endif
