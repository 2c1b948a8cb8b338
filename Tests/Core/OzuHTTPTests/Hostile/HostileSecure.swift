#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// TLS and certificates.
  enum HostileSecure {
    static let cases = certificates + handshakes + exchanges

    private static let page = HostileStage.bytes("HTTP/1.1 200 OK\r\nContent-Length: 3698\r\n\r\n{P}")

    /// Asks a server for `/a`, trusting its own certificate unless said otherwise.
    private static func secure(
      _ name: String, _ what: String, _ verdict: HostileVerdict, host: String = "127.0.0.1",
      isTrusted: Bool = true,
      identity: (certificate: String, key: String)? = nil, arguments: [String] = [], page: Data = page
    ) -> HostileCase {
      HostileCase(name, what, verdict) { stage in
        let server = try await SecureServer(["-HTTP"] + arguments, identity: identity, files: ["a": page])
        defer { server.stop() }
        let client = directClient {
          if isTrusted { $0.certificateAuthorities = .file(path: server.certificate) }
        }
        let address = url("https://\(host):\(server.port)/a")
        return await stage.outcome(of: HTTPRequest(url: address, timeouts: .patient), by: client)
      }
    }

    private static let certificates: [HostileCase] = [
      secure("own-authority", "a certificate that the client is told to trust", .taken()),
      secure("self-signed", "a certificate that nobody vouches for", .refused(.tls), isTrusted: false),
      secure("other-host", "a certificate for another host", .refused(.tls), host: "localhost"),
      secure("expired", "a certificate that has expired", .refused(.tls), identity: SecureIdentities.expired),
      secure(
        "not-yet-valid", "a certificate of the future", .refused(.tls), identity: SecureIdentities.notYetValid
      ),
    ]

    private static let handshakes: [HostileCase] = [
      secure(
        "tls-1.1", "TLS 1.1 at most", .refused(.tls), arguments: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]),
      secure(
        "tls-1.0", "TLS 1.0 at most", .refused(.tls), arguments: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"]),
      secure(
        "no-shared-cipher", "a cipher that no client offers", .refused(.tls),
        arguments: ["-tls1_2", "-cipher", "NULL:@SECLEVEL=0"]),
      HostileCase("plain-to-tls", "plain HTTP to a TLS handshake", .refused(.tls)) { stage in
        await stage.outcome(
          of: HTTPRequest(url: url("https://127.0.0.1:\(stage.server.port)/a"), timeouts: .patient))
      },
      HostileCase("tls-to-plain", "TLS to plain HTTP", .refused(.connectionLost)) { stage in
        let server = try await SecureServer(["-HTTP"])
        defer { server.stop() }
        return await stage.outcome(
          of: HTTPRequest(url: url("http://127.0.0.1:\(server.port)/a"), timeouts: .patient))
      },
    ]

    private static let exchanges: [HostileCase] = [
      secure(
        "tls-cut", "the end of TLS within a body", .refused(.bodyTruncated),
        page: HostileStage.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{P}")),
      secure(
        "tls-cut-chunked", "the end of TLS within chunks", .refused(.bodyTruncated),
        page: HostileStage.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ne72\r\n{P}\r\n")),
      secure(
        "tls-chunk-garbage", "a chunk's size that is no number", .refused(.protocolError),
        page: HostileStage.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{P}\r\n")),
      secure(
        "https-to-http", "a redirect from `https` to `http`", .refused(.redirect),
        page: Data("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n".utf8)),
    ]
  }
#endif
