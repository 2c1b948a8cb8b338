#if os(Linux)
  import Foundation
  import OzuSynchronization
  import Testing

  @testable import OzuHTTP

  @Suite("Whom a client trusts", .timeLimit(.minutes(15)), .enabled(if: SecureServer.isAvailable))
  struct HTTPSecureConnectionTests {
    private func client(trusting path: String?) -> CurlClient {
      directClient { $0.certificateAuthorities = path.map { .file(path: $0) } ?? .system }
    }

    @Test("an authority of one's own is trusted, in the place of the system's")
    func ownAuthority() async throws {
      let server = try await SecureServer()
      defer { server.stop() }
      let (body, response) = try await client(trusting: server.certificate).data(from: server.url)
      #expect(response.status == 200)
      #expect(String(decoding: body, as: UTF8.self).contains("s_server"))
      #expect(response.metrics.tls > .zero)
    }

    @Test("a certificate nobody vouches for is refused, and so is one for another name")
    func untrusted() async throws {
      let server = try await SecureServer()
      defer { server.stop() }
      let other = try await SecureServer()
      defer { other.stop() }
      let request = HTTPRequest(url: server.url)
      for path in [nil, other.certificate, "/nonexistent.pem"] {
        let reason = await failure(of: request, by: client(trusting: path))
        if case .tlsFailed? = reason {} else { Issue.record("\(String(describing: reason))") }
      }
      var named = request
      named.url = try #require(URL(string: "https://localhost:\(server.port)/"))
      let reason = await failure(of: named, by: client(trusting: server.certificate))
      if case .tlsFailed? = reason {} else { Issue.record("\(String(describing: reason))") }
    }
  }

  /// `openssl s_server` with a certificate of its own, for 127.0.0.1.
  private final class SecureServer: Sendable {
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program) }
    private static let program = "/usr/bin/openssl"

    let port: Int
    let certificate: String
    /// What goes with the server. Without a reader of its output it would end at the first line.
    private let belongings = Mutex<(folder: TemporaryFolder, output: Pipe)?>(nil)
    private let process: Int32

    init() async throws {
      let folder = try TemporaryFolder()
      certificate = folder.path + "/certificate.pem"
      let key = folder.path + "/key.pem"
      let start = Starting(certificate: certificate, key: key)
      // Starting a process and waiting for its first line block, which the pool's threads must not.
      let outcome = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: Result { try start() }) }
      }
      let started = try outcome.get()
      (process, port) = (started.process, started.port)
      belongings.withLock { $0 = (folder, started.output) }
    }

    var url: URL { OzuHTTPTests.url("https://127.0.0.1:\(port)/") }

    func stop() {
      // Not SIGTERM: threads of Dispatch block it, and the process inherits that.
      kill(process, SIGKILL)
      belongings.withLock { $0 = nil }
    }

    private struct Starting {
      let certificate: String
      let key: String

      func callAsFunction() throws -> (process: Int32, port: Int, output: Pipe) {
        let request = Process()
        request.executableURL = URL(filePath: SecureServer.program)
        request.arguments =
          "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ozu"
          .split(separator: " ").map(String.init)
          + ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()

        let server = Process()
        let output = Pipe()
        server.executableURL = URL(filePath: SecureServer.program)
        server.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"]
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        var text = ""
        while true {
          if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }),
            text.hasSuffix("\n"), let port = line.split(separator: ":").last.flatMap({ Int($0) })
          {
            return (server.processIdentifier, port, output)
          }
          let data = output.fileHandleForReading.availableData
          guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
          text += String(decoding: data, as: UTF8.self)
        }
      }
    }
  }
#endif
