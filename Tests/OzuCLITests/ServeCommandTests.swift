#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuHTTP
  import OzuServer
  import OzuSynchronization
  import OzuTesting
  import Testing

  @testable import OzuCLI

  /// A request at a Unix socket.
  private enum LocalRequest {
    struct Failure: Error {}

    static func status(at path: String, of target: String) async throws -> Int {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try exchange(path, target) }) }
      }
    }

    private static func exchange(_ path: String, _ target: String) throws -> Int {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard status == 0 else { throw Failure() }
      let request = Array("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
      _ = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
      var answer: [UInt8] = []
      var space = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(descriptor, &space, space.count, 0), count > 0 { answer += space[..<count] }
      let line = String(decoding: answer, as: UTF8.self).split(separator: " ")
      guard line.count > 1, let number = Int(line[1]) else { throw Failure() }
      return number
    }
  }

  @Suite("ozu serve", .timeLimit(.minutes(10)))
  struct ServeCommandTests {
    private static let key = String(repeating: "0a", count: 32)
    private static let keys = key + ":0b"

    /// A real service, with its output.
    private final class Service: Sendable {
      let process: Process
      let lines = Mutex<[String]>([])
      let records = Mutex<[String]>([])

      init(_ variables: [String: String], _ arguments: [String] = []) throws {
        process = Process()
        process.executableURL = try ChildRun.program
        process.arguments = ["serve"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        for (pipe, isError) in [(output, false), (errors, true)] {
          Thread { [self] in
            var rest = ""
            while true {
              let data = pipe.fileHandleForReading.availableData
              if data.isEmpty { return }
              rest += String(decoding: data, as: UTF8.self)
              var parts = rest.components(separatedBy: "\n")
              rest = parts.removeLast()
              let new = parts
              if isError { lines.withLock { $0 += new } } else { records.withLock { $0 += new } }
            }
          }.start()
        }
      }

      deinit { process.terminate() }

      /// The port, once it listens.
      func port() async throws -> Int {
        let prefix = "ozu: listening at http://127.0.0.1:"
        func find() -> Int? {
          lines.withLock { $0.first { $0.hasPrefix(prefix) } }.flatMap { Int($0.dropFirst(prefix.count)) }
        }
        try await eventually(within: .seconds(60), find() != nil || !process.isRunning)
        return try #require(find())
      }

      func get(_ path: String, _ headers: HTTPHeaders = [:]) async throws -> (
        status: Int, headers: HTTPHeaders, body: Data
      ) {
        let url = try #require(URL(string: "http://127.0.0.1:\(try await port())\(path)"))
        let cache = HTTPCache(client: DefaultHTTPClient.shared, storage: InMemoryHTTPCacheStorage())
        let answer = try await cache.response(for: HTTPRequest(url: url, headers: headers), mode: .noStore)
        return (answer.status, answer.head.headers, answer.body)
      }

      /// Waits for its end. Returns its status.
      func ended() async throws -> Int32 {
        try await eventually(within: .seconds(60), !process.isRunning)
        return process.terminationStatus
      }
    }

    private static func variables(_ origin: LoopbackServer) -> [String: String] {
      [
        "OZU_LISTEN": "127.0.0.1:0", "OZU_KEYS": keys, "OZU_PRIVATE_NETWORKS": "yes",
        "OZU_SOURCES": "http://127.0.0.1:\(origin.port)/pictures/", "OZU_PRESETS": "thumb=rs:fill:16:16",
      ]
    }

    @Test("serves signed addresses, logs them, and answers its last requests before it ends")
    func serving() async throws {
      let origin = try LoopbackServer()
      let gate = Gate()
      let picture = LoopbackResponse.ok(
        try PatternPicture(PixelSize(64, 48)).data(as: .png), type: "image/png")
      origin.route("/pictures/a.png", picture)
      var slow = picture
      slow.headGate = gate
      origin.route("/pictures/slow.png", slow)
      let service = try Service(Self.variables(origin))
      let addresses = SignedAddresses(AddressRules(keys: [try AddressKey(hexKey: Self.key, salt: "0b")]))

      let path = try addresses.path(
        of: origin.url("/pictures/a.png"), options: "rs:fit:32:32", format: "webp")
      let answer = try await service.get(path)
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp")
      #expect(try CodecRegistry.standard.header(of: answer.body).storedSize == PixelSize(32, 24))
      let tag = try #require(answer.headers["ETag"])
      #expect(try await service.get(path, ["If-None-Match": tag]).status == 304)
      #expect(try await service.get(path + "x").status == 403)
      #expect(try await service.get(addresses.path(of: origin.url("/secret.png"))).status == 403)
      #expect(try await service.get("/health").status == 200)
      #expect(
        String(decoding: try await service.get("/metrics").body, as: UTF8.self).contains(
          "ozu_decodes_total 1"))
      #expect(origin.requestCount == 1)
      try await eventually(service.records.withLock { $0.count } >= 6)
      for line in service.records.withLock({ $0 }) {
        let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(record["status"] != nil && record["seconds"] != nil)
      }

      let slowPath = try addresses.path(of: origin.url("/pictures/slow.png"))
      async let last = service.get(slowPath)
      await origin.received(1, for: "/pictures/slow.png")
      kill(service.process.processIdentifier, SIGTERM)
      try await eventually(service.lines.withLock { $0.contains { $0.contains("ending") } })
      gate.open()
      #expect(try await last.status == 200)
      #expect(try await service.ended() == 0)
    }

    @Test("a second signal ends it immediately")
    func impatience() async throws {
      let origin = try LoopbackServer()
      let gate = Gate()
      var slow = LoopbackResponse.ok(Data([1]))
      slow.headGate = gate
      origin.route("/pictures/slow.png", slow)
      let service = try Service(Self.variables(origin).merging(["OZU_KEYS": ""]) { $1 }, ["--insecure"])
      let path = "/x/plain/" + origin.url("/pictures/slow.png").absoluteString
      let waiting = Task { try await service.get(path).status }
      await origin.received(1, for: "/pictures/slow.png")
      kill(service.process.processIdentifier, SIGTERM)
      try await eventually(service.lines.withLock { $0.contains { $0.contains("ending") } })
      kill(service.process.processIdentifier, SIGTERM)
      #expect(try await service.ended() == SIGTERM)
      _ = try? await waiting.value
      gate.open()
    }

    @Test("settings that are right")
    func rightSettings() async throws {
      let folder = try Folder()
      let file = folder.url.appending(path: "ozu.conf")
      try
        "# a comment\n\n keys = \(Self.keys) \nlog=no\nisolation = preferred\nredis = 127.0.0.1:6379, /run/redis\n"
        .write(to: file, atomically: true, encoding: .utf8)
      let run = try await ChildRun(
        ["serve", "--config", file.path(), "--check"], in: folder, variables: ["OZU_QUALITY": "70"])
      #expect(run.status == 0, "\(run.errors)")
    }

    @Test(
      "wrong settings are reported, and nothing is started",
      arguments: [
        ([:], "no key is set"), (["OZU_KEYS": "zz:00"], "32 hexadecimal digits"),
        (["OZU_KEYS": "00"], "KEY:SALT"),
        (["OZU_KEYS": keys, "OZU_LISTEN": "8080"], "listen"),
        (["OZU_KEYS": keys, "OZU_QUALITY": "101"], "quality"),
        (["OZU_KEYS": keys, "OZU_LOG": "maybe"], "yes or no"),
        (["OZU_KEYS": keys, "OZU_PRESETS": "a=w:x"], "preset"),
        (["OZU_KEYS": keys, "OZU_SOURCES": "example.com"], "sources"),
        (["OZU_KEYS": keys, "OZU_SOURCES": "https://a*.example.com/"], "sources"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a"], "redis"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a:1,a:1"], "twice"),
        (["OZU_KEYS": keys, "OZU_ISOLATION": "none"], "isolation"),
        (["OZU_KEYS": keys, "OZU_LISTEN": "unix:run/ozu"], "path from the root"),
        (["OZU_KEYS": keys, "OZU_SOCKET_MODE": "689"], "octal"),
        (["OZU_KEYS": keys, "OZU_S3_BUCKET": "a"], "no s3_endpoint"),
        (["OZU_KEYS": keys, "OZU_S3_ENDPOINT": "http://a"], "s3_access_key"),
        (
          [
            "OZU_KEYS": keys, "OZU_S3_ENDPOINT": "ftp://a", "OZU_S3_ACCESS_KEY": "a",
            "OZU_S3_SECRET_KEY": "b",
          ],
          "endpoint"
        ),
        (
          [
            "OZU_KEYS": keys, "OZU_S3_ENDPOINT": "http://a", "OZU_S3_ACCESS_KEY": "a",
            "OZU_S3_SECRET_KEY": "b",
            "OZU_S3_CA": "/none",
          ], "s3_ca"
        ),
        (
          [
            "OZU_KEYS": keys, "OZU_S3_ENDPOINT": "http://a", "OZU_S3_ACCESS_KEY": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
          ], "s3_secret_key"
        ),
        (["OZU_KEYS": keys, "OZU_PLAYGROUND": "yes", "OZU_LISTEN": "0.0.0.0:80"], "playground_token"),
        (["OZU_KEYS": keys, "OZU_PLAYGROUND": "yes", "OZU_LISTEN": "[::]:80"], "playground_token"),
        (["OZU_KEYS": keys, "OZU_PLAYGROUND": "yes", "OZU_LISTEN": "unix:/run/ozu"], "playground_token"),
        (["OZU_KEYS": keys, "OZU_PLAYGROUND": "yes", "OZU_LISTEN": "10.0.0.1:80"], "playground_token"),
        (
          ["OZU_KEYS": keys, "OZU_PLAYGROUND": "yes", "OZU_LISTEN": "127.example.com.:80"], "playground_token"
        ),
        (["OZU_KEYS": keys, "OZU_PLAYGROUND": "yes", "OZU_PLAYGROUND_TOKEN": "short"], "16 characters"),
        (["OZU_KEYS": keys, "OZU_PLAYGROUND_TOKEN": "a-token-for-a-test"], "playground is not yes"),
      ] as [([String: String], String)])
    func wrongSettings(variables: [String: String], text: String) async throws {
      let run = try await ChildRun(["serve", "--check"], in: try Folder(), variables: variables)
      #expect(run.status == 2)
      #expect(run.errors.contains(text), "\(run.errors)")
    }

    @Test("keys for S3 come as a pair from one place")
    func bucketKeys() throws {
      func settings(_ file: String, _ environment: [String: String]) throws -> [String] {
        let settings = try ServeSettings(file: file, environment: environment)
        return ["s3_access_key", "s3_secret_key", "s3_session_token"].map { settings[$0] }
      }
      let inherited = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"]
      #expect(try settings("", inherited) == ["a", "b", "c"])
      #expect(try settings("s3_access_key = d\ns3_secret_key = e", inherited) == ["d", "e", ""])
      let own = ["OZU_S3_ACCESS_KEY": "f", "OZU_S3_SECRET_KEY": "g"]
      #expect(try settings("", inherited.merging(own) { $1 }) == ["f", "g", ""])
      // Without a bucket they have no effect.
      _ = try ServeSettings(file: nil, environment: inherited).configuration()
      let bucket = try ServeSettings(
        file: "s3_endpoint = https://s3.example.com\ns3_bucket = b", environment: inherited
      ).configuration().pipeline.caching.stores
      #expect(bucket.map(\.name) == ["s3"])
    }

    private static func isSocket(_ path: String) -> Bool {
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    @Test("listens at a Unix socket, replaces the socket file of a dead process, and removes its own")
    func unixSocket() async throws {
      let folder = try Folder()
      let path = folder.url.appending(path: "socket").path()
      let variables = ["OZU_LISTEN": "unix:\(path)", "OZU_SOCKET_MODE": "600", "OZU_KEYS": Self.keys]
      let first = try Service(variables)
      try await eventually(
        within: .seconds(60), first.lines.withLock { $0.contains("ozu: listening at unix:\(path)") })
      #expect(Self.isSocket(path))
      #expect(try await LocalRequest.status(at: path, of: "/health") == 200)
      // A second one does not replace it.
      let second = try Service(variables)
      #expect(try await second.ended() == 1)
      kill(first.process.processIdentifier, SIGKILL)
      _ = try await first.ended()
      #expect(Self.isSocket(path))
      let third = try Service(variables)
      try await eventually(within: .seconds(60), third.lines.withLock { !$0.isEmpty })
      kill(third.process.processIdentifier, SIGTERM)
      #expect(try await third.ended() == 0)
      #expect(!Self.isSocket(path))
    }

    private static let activator = "/usr/bin/systemd-socket-activate"

    @Test(
      "takes the socket that systemd passes",
      .enabled(
        if: FileManager.default.isExecutableFile(atPath: activator),
        "systemd-socket-activate is not installed"))
    func activation() async throws {
      let folder = try Folder()
      let path = folder.url.appending(path: "socket").path()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Self.activator)
      process.arguments =
        ["-l", path, "-E", "OZU_LISTEN=systemd", "-E", "OZU_KEYS=\(Self.keys)", "-E", "OZU_LOG=no"]
        + [try ChildRun.program.path, "serve"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      defer { process.terminate() }
      try await eventually(within: .seconds(60), Self.isSocket(path))
      // The first connection starts it.
      #expect(try await LocalRequest.status(at: path, of: "/health") == 200)
    }

    @Test(
      "systemd must pass exactly one socket, for this process",
      arguments: [
        ([:], "find a socket"), (["LISTEN_PID": "1", "LISTEN_FDS": "1"], "find a socket"),
      ] as [([String: String], String)])
    func noActivation(variables: [String: String], text: String) async throws {
      let service = try Service(variables.merging(["OZU_LISTEN": "systemd", "OZU_KEYS": Self.keys]) { $1 })
      #expect(try await service.ended() == 1)
      try await eventually(service.lines.withLock { $0.contains { $0.contains(text) } })
    }

    @Test(
      "the units of the example are right",
      .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
        "systemd-analyze is not installed"))
    func units() throws {
      let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Examples/Service")
      let folder = try Folder()
      for name in ["ozu.service", "ozu.socket"] {
        let text = try String(contentsOf: examples.appending(path: name), encoding: .utf8)
        // The program has to be at the path of the unit.
        try text.replacingOccurrences(of: "/usr/local/bin/ozu", with: try ChildRun.program.path)
          .write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
      }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
      process.arguments = ["verify", "--man=no", "ozu.socket", "ozu.service"].map {
        $0.hasPrefix("ozu") ? folder.url.appending(path: $0).path() : $0
      }
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && !text.contains("ozu."), "\(text)")
    }

    @Test(
      "a playground needs a token; one is made if only this machine can connect",
      arguments: [
        (["OZU_LISTEN": "127.0.0.1:0"], true), (["OZU_LISTEN": "0.0.0.0:0"], false),
        (["OZU_LISTEN": "127.0.0.1:0", "OZU_PLAYGROUND": "no", "OZU_PLAYGROUND_TOKEN": ""], nil),
      ] as [([String: String], Bool?)])
    func playground(variables: [String: String], isMade: Bool?) throws {
      let given = isMade == false ? "a-token-for-a-test" : ""
      let settings = try ServeSettings(
        file: "playground = yes\nplayground_token = \(given)\nkeys = \(Self.keys)", environment: variables)
      let playground = try settings.playground(settings.rules(isInsecure: false), at: settings.listen())
      #expect((playground == nil) == (isMade == nil))
      #expect((playground?.madeToken != nil) == (isMade == true))
    }

    @Test("a file with an unknown setting, and a missing file")
    func wrongFiles() async throws {
      let folder = try Folder()
      let file = folder.url.appending(path: "ozu.conf")
      try "kees = a\n".write(to: file, atomically: true, encoding: .utf8)
      let run = try await ChildRun(["serve", "--config", file.path(), "--check"], in: folder)
      #expect(run.status == 2 && run.errors.contains("line 1") && run.errors.contains("\"keys\""))
      #expect(try await ChildRun(["serve", "--config", "none"], in: folder).status == 2)
    }

    @Test("the page of the documentation has every setting")
    func documentation() throws {
      let page = try String(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
          path: "../../Documentation/image-service.md"), encoding: .utf8)
      for setting in ServeSettings.all {
        let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
        #expect(page.contains("| `\(setting.name)` | \(standard) | \(setting.help) |"), "\(setting.name)")
      }
    }
  }
#endif
