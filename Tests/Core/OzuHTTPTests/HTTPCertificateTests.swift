#if os(Linux)
  import CCurl
  import Foundation
  import Glibc
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  @Suite("Certificates", .timeLimit(.minutes(15)), .enabled(if: SecureServer.isAvailable))
  struct HTTPCertificateTests {
    /// The part of a message about a secure connection that follows the host.
    private func words(
      host: String = "127.0.0.1", trusting: (SecureServer) -> String? = { $0.certificate },
      identity: (certificate: String, key: String)? = nil, _ arguments: [String] = []
    ) async throws -> String {
      let server = try await SecureServer(["-www"] + arguments, identity: identity)
      defer { server.stop() }
      let path = trusting(server)
      let client = directClient { if let path { $0.certificateAuthorities = .file(path: path) } }
      let request = HTTPRequest(url: url("https://\(host):\(server.port)/"), timeouts: .patient)
      guard case .tlsFailed(let text)? = await failure(of: request, by: client) else {
        return "no failure of TLS"
      }
      return text
    }

    private static let hint =
      "to trust it, name its authority (certificateAuthorities, --cacert or SSL_CERT_FILE)"

    @Test("an expired certificate is refused, and so is one that is not valid yet")
    func times() async throws {
      #expect(
        try await words(identity: SecureIdentities.expired)
          == "its certificate expired; its owner has to renew it, unless this machine's clock is wrong")
      #expect(
        try await words(identity: SecureIdentities.notYetValid)
          == "its certificate is not valid yet; is this machine's clock right?")
    }

    @Test("a certificate for another host is refused, and the message names the host")
    func hosts() async throws {
      #expect(try await words(host: "localhost") == "its certificate is for another host than localhost")
    }

    @Test("a certificate that is signed by itself is refused, and the message says how to trust it")
    func issuers() async throws {
      #expect(
        try await words(trusting: { _ in nil })
          == "its certificate is signed by itself, not by an authority; \(Self.hint)")
    }

    @Test("a missing file of authorities is named")
    func missingFile() async throws {
      #expect(
        try await words(trusting: { _ in "/nonexistent.pem" })
          == "the certificate authorities in /nonexistent.pem cannot be read")
    }

    @Test(
      "a handshake that fails is a failure of TLS, in libcurl's words",
      arguments: [["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ["-tls1_2", "-cipher", "NULL:@SECLEVEL=0"]])
    func handshakes(arguments: [String]) async throws {
      let text = try await words(arguments)
      #expect(!text.isEmpty && text != "no failure of TLS")
    }

    @Test("so is a server that speaks another protocol, or ends the connection")
    func noHandshake() async throws {
      let server = try LoopbackServer()
      for port in [Int(server.port), Int(try closingPort())] {
        let request = HTTPRequest(url: url("https://127.0.0.1:\(port)/"), timeouts: .patient)
        guard case .tlsFailed(let text)? = await failure(of: request, by: directClient()) else {
          Issue.record("no failure of TLS")
          continue
        }
        #expect(!text.isEmpty)
      }
    }

    /// A port at which one connection is accepted, and closed after its first bytes.
    private func closingPort() throws -> UInt16 {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) + listen(listener, 1) + getsockname(listener, $0, &length)
        }
      }
      try #require(status == 0)
      Thread {
        let connection = accept(listener, nil, nil)
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &bytes, bytes.count, 0)
        close(connection)
        close(listener)
      }.start()
      return UInt16(bigEndian: address.sin_port)
    }

    @Test(
      "the message follows from the numbers of libcurl and OpenSSL, not from their words",
      arguments: [
        (CURLE_PEER_FAILED_VERIFICATION, 0, "x"),
        (CURLE_PEER_FAILED_VERIFICATION, 1, "its certificate is for another host than h"),
        (CURLE_PEER_FAILED_VERIFICATION, 62, "its certificate is for another host than h"),
        (CURLE_PEER_FAILED_VERIFICATION, 20, "its certificate comes from an unknown issuer; \(hint)"),
        (CURLE_PEER_FAILED_VERIFICATION, 23, "its certificate has been revoked"),
        (CURLE_PEER_FAILED_VERIFICATION, 99, "x"),
        (CURLE_SSL_CACERT_BADFILE, 0, "the certificate authorities in /p cannot be read"),
        (CURLE_SSL_CONNECT_ERROR, 0, "x"),
      ] as [(CURLcode, Int, String)])
    func numbers(code: CURLcode, verification: Int, text: String) {
      let failure = CurlFailure(
        code: code, message: "x", host: "h", verification: verification, authorities: "/p")
      #expect(failure.tlsText == text)
    }

    @Test("SSL_CERT_FILE and SSL_CERT_DIR replace the system's authorities, unless a file is named")
    func environment() async throws {
      let server = try await SecureServer()
      defer { server.stop() }
      let request = HTTPRequest(url: server.url, timeouts: .patient)
      let trusting = EnvironmentCertificates(["SSL_CERT_FILE": server.certificate])
      #expect(await failure(of: request, by: directClient { $0.environmentCertificates = trusting }) == nil)
      let other = directClient {
        $0.environmentCertificates = trusting
        $0.certificateAuthorities = .file(path: "/etc/ssl/certs/ca-certificates.crt")
      }
      if case .tlsFailed? = await failure(of: request, by: other) {} else { Issue.record("trusted both") }
      let empty = EnvironmentCertificates(["SSL_CERT_FILE": "", "SSL_CERT_DIR": "/certs"])
      #expect(empty.file == nil)
      #expect(empty.directory == "/certs")
    }

    @Test("a folder of SSL_CERT_DIR is searched by the hash of the issuer's name")
    func folder() async throws {
      let server = try await SecureServer(identity: SecureIdentities.expired)
      defer { server.stop() }
      let folder = try TemporaryFolder()
      // `openssl x509 -hash` of CN=ozu.
      try Data(SecureIdentities.expired.certificate.utf8).write(
        to: URL(filePath: "\(folder.path)/48f5454f.0"))
      let client = directClient {
        $0.environmentCertificates = EnvironmentCertificates(["SSL_CERT_DIR": folder.path])
      }
      // The authority is found, so only the dates of the certificate are wrong.
      guard
        case .tlsFailed(let text)? = await failure(
          of: HTTPRequest(url: server.url, timeouts: .patient), by: client)
      else {
        Issue.record("no failure of TLS")
        return
      }
      #expect(text.hasPrefix("its certificate expired"))
    }
  }
#endif
