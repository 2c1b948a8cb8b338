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

    @Test("an expired certificate is refused with the date, and so is one that is not valid yet")
    func times() async throws {
      #expect(
        try await words(identity: SecureIdentities.expired)
          == "its certificate expired on 2021-03-04; its owner has to renew it, unless this machine's clock is wrong"
      )
      #expect(
        try await words(identity: SecureIdentities.notYetValid)
          == "its certificate is not valid yet before 2990-01-01; is this machine's clock right?")
    }

    @Test("a certificate for another host is refused, and the message names both hosts")
    func hosts() async throws {
      #expect(try await words(host: "localhost") == "its certificate is for 127.0.0.1, not for localhost")
    }

    @Test("a certificate of an unknown issuer is refused, and the message says how to trust it")
    func issuers() async throws {
      #expect(
        try await words(trusting: { _ in nil })
          == "its certificate is signed by itself, not by an authority; \(Self.hint)")
      let stranger = TLSFailure(
        code: CURLE_PEER_FAILED_VERIFICATION, message: "x", host: "h", verification: 20,
        certificate: CertificateFacts(issuer: "Strange CA"))
      #expect(stranger.text == "its certificate comes from an unknown issuer (Strange CA); \(Self.hint)")
    }

    @Test("a missing file of authorities is named")
    func missingFile() async throws {
      #expect(
        try await words(trusting: { _ in "/nonexistent.pem" })
          == "the certificate authorities in /nonexistent.pem cannot be read")
    }

    @Test(
      "the message describes a failed handshake in words",
      arguments: [
        (
          ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
          "it speaks only versions of TLS that are too old; 1.2 is the oldest that is safe"
        ),
        (["-tls1_2", "-cipher", "NULL:@SECLEVEL=0"], "client and server have no cipher in common"),
      ])
    func handshakes(arguments: [String], text: String) async throws {
      #expect(try await words(arguments) == text)
    }

    @Test("a server that speaks another protocol, or ends the connection, is described in words")
    func noHandshake() async throws {
      let server = try LoopbackServer()
      let plain = HTTPRequest(url: url("https://127.0.0.1:\(server.port)/"), timeouts: .patient)
      #expect(
        await failure(of: plain, by: directClient())
          == .tlsFailed("it does not speak TLS at this port; should the address begin with http?"))
      let port = try closingPort()
      let closed = HTTPRequest(url: url("https://127.0.0.1:\(port)/"), timeouts: .patient)
      #expect(
        await failure(of: closed, by: directClient())
          == .tlsFailed("the server ended the connection during the handshake"))
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
        (CURLE_PEER_FAILED_VERIFICATION, 0, nil, "its certificate is for a.example, not for h"),
        (CURLE_PEER_FAILED_VERIFICATION, 1, nil, "its certificate is for a.example, not for h"),
        (CURLE_PEER_FAILED_VERIFICATION, 62, nil, "its certificate is for a.example, not for h"),
        (CURLE_PEER_FAILED_VERIFICATION, 23, nil, "its certificate has been revoked"),
        (CURLE_PEER_FAILED_VERIFICATION, 99, nil, "x"),
        (CURLE_SSL_CACERT_BADFILE, 0, nil, "the certificate authorities in /p cannot be read"),
        (CURLE_SSL_CONNECT_ERROR, 0, nil, "x"), (CURLE_SSL_CONNECT_ERROR, 0, .reason(1), "x"),
        (
          CURLE_SSL_CONNECT_ERROR, 0, .reason(1040), "client and server have no cipher in common"
        ),
        (CURLE_SSL_CONNECT_ERROR, 0, .broken, "the server ended the connection during the handshake"),
      ] as [(CURLcode, Int, HandshakeFailure?, String)])
    func numbers(code: CURLcode, verification: Int, handshake: HandshakeFailure?, text: String) {
      let failure = TLSFailure(
        code: code, message: "x", host: "h", verification: verification,
        certificate: CertificateFacts(names: ["a.example"]), handshake: handshake, authorities: "/p")
      #expect(failure.text == text)
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
