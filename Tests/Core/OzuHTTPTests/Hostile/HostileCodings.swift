#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Content codings (RFC 9110 §8.4).
  enum HostileCodings {
    static let cases = sound + unknown + damaged + bombs

    private static let picture = HostileStage.picture

    private static func coded(
      _ name: String, _ what: String, _ coding: String, _ body: Data, _ verdict: HostileVerdict = .taken(),
      _ change: (LoopbackResponse) -> LoopbackResponse = { $0 }
    ) -> HostileCase {
      let response = change(LoopbackResponse.ok(body).header("Content-Encoding", coding))
      return .answer(name, what, verdict, response, limit: 1_000_000)
    }

    private static let sound: [HostileCase] = [
      coded("gzip", "gzip", "gzip", Encodings.gzip(picture)),
      coded("x-gzip", "gzip by its old name", "x-gzip", Encodings.gzip(picture)),
      coded("coding-upper-case", "gzip in upper case", "GZIP", Encodings.gzip(picture)),
      coded("deflate", "deflate", "deflate", Encodings.zlib(picture)),
      coded(
        "deflate-raw", "deflate without its wrapper, as old servers send it", "deflate",
        Encodings.deflate(picture)),
      coded("brotli", "br", "br", Encodings.brotli(picture)),
      coded("zstd", "zstd", "zstd", Encodings.zstd(picture)),
      coded("gzip-chunked", "gzip in chunks", "gzip", Encodings.gzip(picture)) { $0.chunked() },
      coded("gzip-twice", "gzip within gzip", "gzip, gzip", Encodings.gzip(Encodings.gzip(picture))),
      coded("gzip-junk", "bytes behind the end of gzip", "gzip", Encodings.gzip(picture) + Data("junk".utf8)),
      HostileCase("range-coded", "gzip to a request for a range", .taken(200, .undecoded)) { stage in
        let body = Encodings.gzip(picture)
        stage.server.route("/a", .ok(body).header("Content-Encoding", "gzip"))
        return await stage.outcome(
          of: HTTPRequest(url: stage.server.url("/a"), headers: ["Range": "bytes=0-"], timeouts: .patient),
          coded: body)
      },
    ]

    private static let unknown: [HostileCase] = ["identity", "none", "aws-chunked", "utf-8", "foo"].map {
      coding in
      coded("coding-\(coding)", "the coding `\(coding)`", coding, picture)
    }

    private static let damaged: [HostileCase] =
      cuts + [
        coded("gzip-wrong-sum", "gzip with a wrong checksum", "gzip", wrongSum, .refused(.damagedBody)),
        coded("gzip-is-plain", "gzip announced, nothing encoded", "gzip", picture, .refused(.damagedBody)),
        coded(
          "brotli-is-gzip", "br announced, gzip sent", "br", Encodings.gzip(picture), .refused(.damagedBody)),
        coded(
          "codings-8", "eight codings on top of each other", stack(8), stacked(8), .refused(.damagedBody)),
        coded("codings-40", "40 codings on top of each other", stack(40), stacked(2), .refused(.damagedBody)),
      ]

    private static let cuts: [HostileCase] = [
      ("gzip", "gzip", Encodings.gzip(picture)), ("brotli", "br", Encodings.brotli(picture)),
      ("zstd", "zstd", Encodings.zstd(picture)),
    ].flatMap { name, coding, body in
      let half = body.prefix(body.count / 2)
      return [
        coded("\(name)-cut", "half of \(coding), with its length", coding, half, .refused(.damagedBody)),
        coded(
          "\(name)-cut-chunked", "half of \(coding), with a last chunk", coding, half, .refused(.damagedBody)
        ) {
          $0.chunked()
        },
        coded("\(name)-cut-closed", "half of \(coding), then the end", coding, half, .refused(.damagedBody)) {
          $0.withoutLength()
        },
      ]
    }

    private static var wrongSum: Data {
      var body = Encodings.gzip(picture)
      body[body.count - 8] ^= 0xFF
      return body
    }

    private static func stack(_ count: Int) -> String {
      Array(repeating: "gzip", count: count).joined(separator: ", ")
    }

    private static func stacked(_ count: Int) -> Data {
      (0..<count).reduce(picture) { body, _ in Encodings.gzip(body) }
    }

    private static let bombs: [HostileCase] = [
      coded(
        "gzip-bomb", "64 MB in 420 KB of gzip, of which 1 MB is allowed", "gzip", Encodings.gzipBomb,
        .refused(.bodyTooLarge)),
      coded("brotli-bomb", "64 MB in 53 bytes of br", "br", Encodings.brotliBomb, .refused(.bodyTooLarge)),
      coded("zstd-bomb", "64 MB in 2 KB of zstd", "zstd", Encodings.zstdBomb, .refused(.bodyTooLarge)),
    ]
  }
#endif
