#if os(Linux)
  import Foundation
  import OzuBase

  @testable import OzuHTTP

  /// `openssl s_server` with a certificate of its own, for 127.0.0.1.
  final class SecureServer: Sendable {
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program) }
    private static let program = "/usr/bin/openssl"

    let port: Int
    let certificate: String
    /// The folder and the pipes live as long as the server. Without a reader of its output it would end at the first line.
    private let resources = Mutex<(folder: TemporaryFolder, input: Pipe, output: Pipe)?>(nil)
    private let process: Int32

    /// Starts a server; by default it answers each request with a page about the connection.
    ///
    /// - Parameters:
    ///   - identity: a certificate and its key, instead of a new one.
    ///   - files: whole responses by name, which `-HTTP` in the arguments sends.
    init(
      _ arguments: [String] = ["-www"], identity: (certificate: String, key: String)? = nil,
      files: [String: Data] = [:]
    ) async throws {
      let folder = try TemporaryFolder()
      for (name, bytes) in files { try bytes.write(to: URL(filePath: "\(folder.path)/\(name)")) }
      certificate = folder.path + "/certificate.pem"
      let key = folder.path + "/key.pem"
      if let identity {
        try Data(identity.certificate.utf8).write(to: URL(filePath: certificate))
        try Data(identity.key.utf8).write(to: URL(filePath: key))
      }
      let start = Starting(
        arguments: arguments, folder: folder.path, certificate: certificate, key: key,
        isIdentityFresh: identity == nil)
      // Starting a process and waiting for its first line block, which the pool's threads must not.
      let outcome = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: Result { try start() }) }
      }
      let started = try outcome.get()
      (process, port) = (started.process, started.port)
      resources.withLock { $0 = (folder, started.input, started.output) }
    }

    var url: URL { OzuHTTPTests.url("https://127.0.0.1:\(port)/") }

    func stop() {
      // Not SIGTERM: threads of Dispatch block it, and the process inherits that.
      kill(process, SIGKILL)
      resources.withLock { $0 = nil }
    }

    /// Reads HTTP/2 (RFC 9113) on its own thread, and reports the stream of each request. The test sends the answers with `send`.
    func speakHTTP2(onRequest: @escaping @Sendable (_ stream: UInt8) -> Void) {
      guard let (_, input, output) = resources.withLock({ $0 }) else { return }
      Thread {
        // The program prints lines about the connection first. The bytes of the client come after them.
        var bytes: [UInt8] = []
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        while bytes.firstRange(of: preface) == nil {
          let data = output.fileHandleForReading.availableData
          if data.isEmpty { return }
          bytes += data
        }
        bytes.removeFirst(bytes.firstRange(of: preface)?.upperBound ?? 0)
        while true {
          while bytes.count >= 9 {
            let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
            guard bytes.count >= 9 + length else { break }
            let (type, flags, stream) = (bytes[3], bytes[4], bytes[8])
            bytes.removeFirst(9 + length)
            // SETTINGS: sends the settings of this server, and acknowledges those of the client.
            if type == 4, flags & 1 == 0 {
              Self.write([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0], to: input)
            }
            if type == 1 { onRequest(stream) }
          }
          let data = output.fileHandleForReading.availableData
          if data.isEmpty { return }
          bytes += data
        }
      }.start()
    }

    /// Frames of HTTP/2 that answer a stream.
    static func frames(stream: UInt8, _ text: String, isHeadSent: Bool = false, isLast: Bool = true)
      -> [UInt8]
    {
      // HEADERS with the eighth entry of the static table, ":status: 200"; DATA.
      let head: [UInt8] = isHeadSent ? [] : [0, 0, 1, 1, 4, 0, 0, 0, stream, 0x88]
      return head + [0, 0, UInt8(text.utf8.count), 0, isLast ? 1 : 0, 0, 0, 0, stream] + Array(text.utf8)
    }

    /// Sends frames, in one piece if they are few.
    func send(_ frames: [UInt8]) {
      guard let (_, input, _) = resources.withLock({ $0 }) else { return }
      Self.write(frames, to: input)
    }

    private static func write(_ bytes: [UInt8], to pipe: Pipe) {
      try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    }

    private struct Starting {
      let arguments: [String]
      let folder: String
      let certificate: String
      let key: String
      let isIdentityFresh: Bool

      func callAsFunction() throws -> (process: Int32, port: Int, input: Pipe, output: Pipe) {
        if isIdentityFresh { try makeIdentity() }
        let server = Process()
        let (input, output) = (Pipe(), Pipe())
        server.executableURL = URL(filePath: SecureServer.program)
        server.currentDirectoryURL = URL(filePath: folder)
        server.arguments =
          ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + arguments
        server.standardInput = input
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        var text = ""
        while true {
          if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }),
            text.hasSuffix("\n"), let port = line.split(separator: ":").last.flatMap({ Int($0) })
          {
            return (server.processIdentifier, port, input, output)
          }
          let data = output.fileHandleForReading.availableData
          guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
          text += String(decoding: data, as: UTF8.self)
        }
      }

      private func makeIdentity() throws {
        let request = Process()
        request.executableURL = URL(filePath: SecureServer.program)
        let options =
          "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ozu"
        request.arguments = options.split(separator: " ").map(String.init)
        request.arguments? += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()
      }
    }
  }
#endif
