#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuHTTP
  import OzuServer
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite("ozu serve", .timeLimit(.minutes(10)))
  struct ServeCommandTests {
    private static let key = String(repeating: "0a", count: 32)
    private static let keys = key + ":0b"

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
      try await service.eventually(service.records.withLock { $0.count } >= 6)
      for line in service.records.withLock({ $0 }) {
        let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(record["status"] != nil && record["seconds"] != nil)
      }

      let slowPath = try addresses.path(of: origin.url("/pictures/slow.png"))
      async let last = service.get(slowPath)
      try await service.eventually(origin.requestCount(for: "/pictures/slow.png") == 1)
      kill(service.process.processIdentifier, SIGTERM)
      try await service.hasSaid("ending")
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
      try await service.eventually(origin.requestCount(for: "/pictures/slow.png") == 1)
      kill(service.process.processIdentifier, SIGTERM)
      try await service.hasSaid("ending")
      kill(service.process.processIdentifier, SIGTERM)
      #expect(try await service.ended() == SIGTERM)
      _ = try? await waiting.value
      gate.open()
    }

    @Test(
      "SIGHUP drains like SIGTERM, and the temporary folder is removed, also by a second signal",
      arguments: [false, true])
    func hangup(isImpatient: Bool) async throws {
      let folder = try Folder()
      let origin = try LoopbackServer()
      let gate = Gate()
      var slow = LoopbackResponse.ok(try PatternPicture(PixelSize(64, 48)).data(as: .png), type: "image/png")
      slow.headGate = gate
      origin.route("/pictures/slow.png", slow)
      let service = try Service(
        Self.variables(origin).merging(["OZU_KEYS": "", "TMPDIR": folder.url.path()]) { $1 }, ["--insecure"])
      func folders() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).count {
          $0.hasPrefix("ozu-serve-")
        }
      }
      let path = "/x/plain/" + origin.url("/pictures/slow.png").absoluteString
      let last = Task { try await service.get(path).status }
      try await service.eventually(origin.requestCount(for: "/pictures/slow.png") == 1)
      #expect(try folders() == 1)
      kill(service.process.processIdentifier, SIGHUP)
      try await service.hasSaid("ending")
      if isImpatient { kill(service.process.processIdentifier, SIGHUP) } else { gate.open() }
      let status = try? await last.value
      #expect(isImpatient || status == 200)
      #expect(try await service.ended() == (isImpatient ? SIGHUP : 0))
      #expect(try folders() == 0)
      gate.open()
    }

    @Test("SIGHUP has keys and allowed sources read again, loses no request, and tells systemd")
    func reload() async throws {
      let folder = try Folder()
      let origin = try LoopbackServer()
      let picture = LoopbackResponse.ok(
        try PatternPicture(PixelSize(64, 48)).data(as: .png), type: "image/png")
      let gate = Gate()
      var slow = picture
      slow.headGate = gate
      origin.route("/pictures/slow.png", slow)
      origin.route("/others/a.png", picture)
      let states = try DatagramSocket(folder.url.appending(path: "notify").path())
      func write(_ key: String, _ sources: String, _ more: String = "") throws {
        try "\(key):0b\n".write(to: folder.url.appending(path: "keys"), atomically: true, encoding: .utf8)
        try """
        keys_file = \(folder.url.appending(path: "keys").path())
        sources = \(origin.url(sources).absoluteString)
        listen = 127.0.0.1:0
        private_networks = yes
        \(more)
        """.write(to: folder.url.appending(path: "ozu.conf"), atomically: true, encoding: .utf8)
      }
      func path(_ key: String, _ source: String) throws -> String {
        try SignedAddresses(AddressRules(keys: [try AddressKey(hexKey: key, salt: "0b")]))
          .path(of: origin.url(source), options: "w:10")
      }
      let (old, new) = (Self.key, String(repeating: "0c", count: 32))
      try PatternPicture(PixelSize(64, 48)).data(as: .png).write(to: folder.url.appending(path: "a.png"))
      var rules = AddressRules(keys: [try AddressKey(hexKey: new, salt: "0b")])
      rules.folders = ["kept"]
      let local = try SignedAddresses(rules).path(of: try #require(URL(string: "local://kept/a.png")))
      try write(old, "/pictures/", "folders = kept=\(folder.url.path())")
      let service = try Service(
        ["NOTIFY_SOCKET": states.path], ["--config", folder.url.appending(path: "ozu.conf").path()])
      let slowPath = try path(old, "/pictures/slow.png")
      async let last = service.get(slowPath)
      try await service.eventually(origin.requestCount(for: "/pictures/slow.png") == 1)
      #expect(try await service.get(path(old, "/others/a.png")).status == 403)
      try write(new, "/others/", "log_level = error\nclients = 7")
      kill(service.process.processIdentifier, SIGHUP)
      try await service.hasSaid("the settings were read again")
      try await service.hasSaid("clients has changed")
      try await service.hasSaid("folders has changed")
      #expect(try await service.get(local).status == 200)
      #expect(try await service.get(path(new, "/others/a.png")).status == 200)
      #expect(try await service.get(path(new, "/pictures/slow.png")).status == 403)
      #expect(try await service.get(slowPath).status == 403)
      gate.open()
      #expect(try await last.status == 200)
      // Settings that are wrong change nothing.
      for (name, line) in [("info", "info = all"), ("pending", "pending = x"), ("drain", "drain = x")] {
        try write(new, "/others/", line)
        kill(service.process.processIdentifier, SIGHUP)
        try await service.hasSaid("the settings of before stay: \(name)")
      }
      #expect(try await service.get(path(new, "/others/a.png")).status == 200)
      kill(service.process.processIdentifier, SIGTERM)
      #expect(try await service.ended() == 0)
      let told = states.messages().map { $0.prefix { $0 != "\n" } }
      let reloads: [Substring] = (0..<4).flatMap { _ in ["RELOADING=1", "READY=1"] }
      #expect(told == ["READY=1"] + reloads + ["STOPPING=1"])
    }

    @Test("health and metrics have a listener of their own, which has no pictures")
    func statusPages() async throws {
      let folder = try Folder()
      let path = folder.url.appending(path: "status").path()
      let service = try Service(
        ["OZU_LISTEN": "127.0.0.1:0", "OZU_STATUS_LISTEN": "unix:\(path)"], ["--insecure"])
      try await service.hasSaid("ozu: its state at unix:\(path)")
      #expect(try await service.get("/health").status == 200)
      #expect(try await service.get("/metrics").status == 404)
      for (target, status) in [
        ("/health", 200), ("/ready", 200), ("/metrics", 200), ("/x/plain/http://a/b", 404),
      ] {
        #expect(try await LocalRequest.status(at: path, of: target) == status, "\(target)")
      }
    }

    @Test("goes on when the reader of its log has gone, and says so")
    func closedLog() async throws {
      let service = try Service(["OZU_LISTEN": "127.0.0.1:0"], ["--insecure"], readsOutput: false)
      for _ in 0..<3 { #expect(try await service.get("/health").status == 200) }
      try await service.hasSaid("nobody reads the log")
      #expect(try await service.get("/health").status == 200)
      kill(service.process.processIdentifier, SIGTERM)
      #expect(try await service.ended() == 0)
    }

    @Test("says at its start that the disk cache cannot be used, and works without it")
    func brokenCache() async throws {
      let service = try Service(["OZU_LISTEN": "127.0.0.1:0", "OZU_CACHE": "/proc/none"], ["--insecure"])
      #expect(try await service.get("/health").status == 200)
      try await service.hasSaid("ozu: cache: ")
      let ready = try await service.get("/ready")
      #expect(ready.status == 200 && String(decoding: ready.body, as: UTF8.self).contains("cache:"))
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
      try await first.hasSaid("ozu: listening at unix:\(path)")
      #expect(Self.isSocket(path))
      #expect(try await LocalRequest.status(at: path, of: "/health") == 200)
      // A second one does not replace it.
      let second = try Service(variables)
      #expect(try await second.ended() == 1)
      kill(first.process.processIdentifier, SIGKILL)
      _ = try await first.ended()
      #expect(Self.isSocket(path))
      let third = try Service(variables)
      try await eventually(third.lines.withLock { !$0.isEmpty })
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
      // It closes all descriptors, by one of which Foundation knows when a process ends: Foundation would wait for it, and
      // not see the end of any other process of these tests until then. `timeout` keeps them, and has a group of its own.
      process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
      process.environment = childEnvironment
      process.arguments =
        [
          "120", Self.activator, "-l", path, "-E", "OZU_LISTEN=systemd", "-E", "OZU_KEYS=\(Self.keys)", "-E",
          "OZU_LOG=no",
        ]
        + [try ChildRun.program.path, "serve"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      // It may have the signal mask of the thread that started it, in which SIGTERM is blocked.
      defer { kill(-process.processIdentifier, SIGKILL) }
      // The first connection starts the service. The file is there a moment before the socket takes connections.
      var status: Int?
      let end = ContinuousClock.now + .seconds(60)
      while status == nil, ContinuousClock.now < end {
        status = try? await LocalRequest.status(at: path, of: "/health")
      }
      #expect(status == 200)
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
    func units() async throws {
      let examples = Repository.url("Examples/Service")
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
      await ChildRun.onThread { process.waitUntilExit() }
      #expect(process.terminationStatus == 0 && !text.contains("ozu."), "\(text)")
    }
  }

  /// The socket of a program that is told the state of a service.
  private final class DatagramSocket {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
      self.path = path
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let length = socklen_t(MemoryLayout<sockaddr_un>.size)
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(descriptor >= 0 && result == 0)
    }

    deinit { close(descriptor) }

    /// The messages that have come so far.
    func messages() -> [String] {
      var list: [String] = []
      var space = [UInt8](repeating: 0, count: 512)
      while true {
        let count = recv(descriptor, &space, space.count, 0)
        if count <= 0 { return list }
        list.append(String(decoding: space[..<count], as: UTF8.self))
      }
    }
  }
#endif
