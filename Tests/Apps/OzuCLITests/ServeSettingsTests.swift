#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuHTTP
  import OzuServer
  import OzuSharedStores
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite("Settings of ozu serve", .timeLimit(.minutes(10)))
  struct ServeSettingsTests {
    private static let key = String(repeating: "0a", count: 32)
    private static let keys = key + ":0b"

    @Test(
      "the examples for containers set what there is",
      arguments: ["compose.yaml", "kubernetes.yaml", "Dockerfile"])
    func examples(name: String) throws {
      let text = try String(contentsOf: Repository.url("Examples/Service/\(name)"), encoding: .utf8)
      let names = text.matches(of: /OZU_([A-Z][A-Z0-9_]*)/).map { $0.output.1.lowercased() }
      #expect(!names.isEmpty && Set(names).subtracting(ServeSetting.all.map(\.name)).isEmpty, "\(names)")
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
        // A misspelt name would open the list of sources.
        (["OZU_KEYS": keys, "OZU_SOURCE": "https://only.example.com/"], "\"OZU_SOURCES\""),
        (["OZU_KEYS": keys, "OZU_PRIVATE_NETWORK": "no"], "\"OZU_PRIVATE_NETWORKS\""),
        (["OZU_KEY": keys], "\"OZU_KEYS\""),
        (["OZU_KEYS": keys, "OZU_WATERMARK": "/none.png"], "watermark = /none.png"),
        (["OZU_KEYS": keys, "OZU_WATERMARK": "/etc/passwd"], "watermark = /etc/passwd: this is text"),
        (["OZU_KEYS": keys, "OZU_PROCESSOR_TIME": "0"], "processor_time"),
        (["OZU_KEYS": keys, "OZU_SPEED_WINDOW": "1e3"], "speed_window"),
        (["OZU_KEYS": keys, "OZU_QUALITY": "101"], "quality"),
        (["OZU_KEYS": keys, "OZU_QUALITY": "80,avif=0"], "from 1 to 100"),
        (["OZU_KEYS": keys, "OZU_LOG": "maybe"], "yes or no"),
        (["OZU_KEYS": keys, "OZU_PRESETS": "a=w:x"], "preset"),
        (["OZU_KEYS": keys, "OZU_SOURCES": "example.com"], "sources"),
        (["OZU_KEYS": keys, "OZU_SOURCES": "https://a*.example.com/"], "sources"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a"], "redis"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a:0"], "HOST:PORT"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a:1,a:1"], "twice"),
        (["OZU_KEYS": keys, "OZU_REDIS": "rediss://a:6380"], "stunnel"),
        (["OZU_KEYS": keys, "OZU_REDIS": "redis://u:hush@a:6379"], "redis_password"),
        (["OZU_KEYS": keys, "OZU_REDIS": "redis://a:6379/2"], "it is 0"),
        (["OZU_KEYS": keys, "OZU_REDIS": "sentinel://a:26379"], "Sentinel"),
        (["OZU_KEYS": keys, "OZU_REDIS": "hush@host:6379"], "HOST:PORT"),
        (["OZU_KEYS": keys, "OZU_REDIS_PASSWORD": "hush"], "but no redis"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a:1", "OZU_REDIS_USER": "u"], "but no redis_password"),
        (["OZU_KEYS": keys, "OZU_REDIS": "a:1", "OZU_STORE_KEY": "hush"], "store_key"),
        (["OZU_KEYS": "\(keys),hush:00"], "keys, pair 2"),
        (["OZU_KEYS": keys, "OZU_SOURCES": ""], "nothing is in it"),
        (["OZU_KEYS": keys, "OZU_ALLOWED_OPTIONS": " , "], "nothing is in it"),
        (["OZU_KEYS": "'\(keys)'"], "quotes"), (["OZU_KEYS": keys, "OZU_CACHE": "\"/tmp\""], "quotes"),
        (["OZU_KEYS_FILE": "/none"], "keys_file = /none"), (["OZU_KEYS_FILE": "/"], "keys_file = /"),
        (["OZU_KEYS_FILE": "/etc/passwd"], "line 1"),
        (["OZU_KEYS": keys, "OZU_STATUS_LISTEN": "127.0.0.1:8080"], "listen has this address"),
        (["OZU_KEYS": keys, "OZU_STATUS_LISTEN": ":9"], "status_listen = :9"),
        (["OZU_KEYS": keys, "OZU_LISTEN": "127.0.0.1:65536"], "an address and a port"),
        (["OZU_KEYS": keys, "OZU_CACHE_BYTES": "10 gigs"], "64MiB or 1GB"),
        (["OZU_KEYS": keys, "OZU_SOURCE_BYTES": "-1"], "from 1 to"),
        (["OZU_KEYS": keys, "OZU_TIMEOUT": "30s"], "timeout = 30s"),
        (["OZU_KEYS": keys, "OZU_HEAD_TIMEOUT": "-1"], "head_timeout"),
        (["OZU_KEYS": keys, "OZU_ALLOWED_OPTIONS": "rs,widht"], "\"widht\""),
        (["OZU_KEYS": keys, "OZU_ALLOWED_OPTIONS": "rs,page"], "\"page\""),
        (["OZU_KEYS": keys, "OZU_HOSTS": "https://cdn.example.com"], "the name of a host"),
        (["OZU_KEYS": keys, "OZU_EFFORT": "avif=best"], "low, medium or high"),
        (["OZU_KEYS": keys, "OZU_EFFORT": "low,bmp=high"], "no format with an effort"),
        (["OZU_KEYS": keys, "OZU_EFFORT": "low,high"], "two values"),
        (["OZU_KEYS": keys, "OZU_LOG_FORMAT": "xml"], "json or text"),
        (["OZU_KEYS": keys, "OZU_TRACES": "127.0.0.1:4318"], "4318/v1/traces"),
        (["OZU_KEYS": keys, "OZU_TRACES": "http://u:hush@a/"], "traces_fields"),
        (["OZU_KEYS": keys, "OZU_TRACES_SHARE": "10%"], "traces_share"),
        (["OZU_KEYS": keys, "OZU_TRACES_FIELDS": "hush"], "traces_fields: NAME: VALUE"),
        (["OZU_KEYS": keys, "OZU_LISTEN": "no-such-host.invalid:80"], "has no address"),
        (["OZU_KEYS": keys, "OZU_STATUS_LISTEN": "no-such-host.invalid:80"], "status_listen: no-such"),
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
        (["OZU_KEYS": keys, "OZU_FOLDERS": "photos"], "path from the root"),
        (["OZU_KEYS": keys, "OZU_FOLDERS": "/a,/b"], "another folder"),
        (["OZU_KEYS": keys, "OZU_FOLDERS": "A=/a"], "small letters"),
        (["OZU_KEYS": keys, "OZU_BUCKETS": "a/b"], "name of a bucket"),
        (["OZU_KEYS": keys, "OZU_BUCKETS_ENDPOINT": "http://a"], "no buckets"),
        (["OZU_KEYS": keys, "OZU_BUCKETS": "cats", "OZU_BUCKETS_STYLE": "x"], "host or path"),
        (["OZU_KEYS": keys, "OZU_BUCKETS": "cats", "OZU_BUCKETS_SECRET_KEY": "x"], "belong together"),
        (["OZU_KEYS": keys, "OZU_BUCKETS": "cats", "OZU_BUCKETS_CA": "/none"], "buckets_ca"),
        (["OZU_KEYS": keys, "OZU_BASE_ADDRESS": "https://a.test"], "ends with a slash"),
        (["OZU_KEYS": keys, "OZU_REWRITES": "a"], "BEGINNING=ADDRESS/"),
        (["OZU_KEYS": keys, "OZU_REWRITES": "a=https://b.test"], "ends with a slash"),
        (["OZU_KEYS": keys, "OZU_ORIGIN_FIELDS": "https://a.test/ A"], "NAME: VALUE"),
        (["OZU_KEYS": keys, "OZU_FALLBACK": "/no/such.png"], "fallback = /no/such.png"),
        (["OZU_KEYS": keys, "OZU_FALLBACK_STATUS": "200"], "no fallback"),
        (["OZU_KEYS": keys, "OZU_FALLBACK": "/etc/passwd", "OZU_FALLBACK_STATUS": "204"], "no picture with"),
        (["OZU_KEYS": keys, "OZU_BASE_ADDRESS": "ftp://a.test/"], "base_address: ftp://a.test/: http"),
        (["OZU_KEYS": keys, "OZU_BASE_ADDRESS": "https://u:hush@a.test/"], "without a login"),
        (["OZU_KEYS": keys, "OZU_CARDS": "/none"], "cards = /none"),
      ] as [([String: String], String)])
    func wrongSettings(variables: [String: String], text: String) async throws {
      let error = await #expect(throws: UsageError.self) { try await Self.start(variables) }
      let message = "\(error?.message ?? "") \(error?.hint ?? "")"
      #expect(message.contains(text), "\(message)")
      // No message has a secret.
      #expect(!message.contains("hush"))
    }

    /// What the command does with its settings before anything is started.
    private static func start(_ variables: [String: String]) async throws {
      let settings = try ServeSettings(file: nil, environment: variables)
      let rules = try settings.rules(isInsecure: false)
      _ = (try settings.logsText(), try settings.logLevel(), try settings.drainLimit())
      let configuration = try settings.configuration()
      let (address, status) = (try settings.listen(), try settings.statusListen())
      _ = (try settings.listening(), try settings.logsRequests)
      _ = try await settings.watermark(configuration.pipeline)
      _ = try settings.playground(rules, at: address)
      try address.checkHost(of: "listen")
      try status?.checkHost(of: "status_listen")
    }

    @Test(
      "one quality, and those of single formats, whatever this build can write",
      arguments: [
        ("70", 70, [:]), ("webp=60,jpg=75", 80, [.webp: 60, .jpeg: 75]), ("70,jxl=1", 70, [.jxl: 1]),
      ]
        as [(String, Int, [ImageType: Int])])
    func qualities(text: String, common: Int, byFormat: [ImageType: Int]) throws {
      let rules = try ServeSettings(file: "quality = \(text)", environment: [:]).rules(isInsecure: true)
      #expect(rules.quality == common && rules.qualities == byFormat)
    }

    @Test("a name to listen at has its address; other names and addresses stay")
    func places() throws {
      for (text, host) in [
        ("localhost:80", ["127.0.0.1", "::1"]), ("127.0.0.1:80", ["127.0.0.1"]), ("[::1]:80", ["::1"]),
      ] {
        guard
          case .tcp(let found, 80) = try ServeSettings(file: "listen = \(text)", environment: [:]).listen()
        else {
          Issue.record("\(text)")
          continue
        }
        #expect(host.contains(found), "\(text)")
      }
    }

    @Test(
      "--check tries folders, the fallback and the logins of stores, and leaves nothing behind",
      arguments: [
        (["OZU_CACHE": "/proc/none"], 1, "cache = /proc/none"),
        (["OZU_CACHE": "/etc/passwd"], 1, "directory"),
        (["OZU_FOLDERS": "photos=/none"], 1, "folders: photos=/none"), (["OZU_FOLDERS": "/etc"], 0, ""),
        (["OZU_FALLBACK": "/etc/passwd"], 1, "fallback = /etc/passwd: this is text"),
        (["OZU_BUCKETS": "cats", "OZU_BUCKETS_ENDPOINT": "http://127.0.0.1:9"], 0, "buckets:"),
        (["OZU_CACHE": "new/cache"], 0, ""), (["OZU_REDIS": "/none/redis"], 0, "would work without"),
        (["OZU_CACHE": "new", "OZU_FALLBACK": Repository.url("Documentation/hdr/sheet.jpg").path()], 0, ""),
      ] as [([String: String], Int32, String)])
    func trials(variables: [String: String], status: Int32, text: String) async throws {
      let folder = try Folder()
      let run = try await ChildRun(
        ["serve", "--check"], in: folder, variables: variables.merging(["OZU_KEYS": Self.keys]) { $1 })
      #expect(run.status == status && (text.isEmpty || run.errors.contains(text)), "\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).isEmpty)
    }

    @Test("failures of stores are lines, each at most once a minute, and not too many different ones")
    func reports() {
      let clock = ManualClock()
      let lines = Mutex<[String]>([])
      let reports = StoreReports(now: clock.now) { line in lines.withLock { $0.append(line) } }
      for _ in 0..<3 {
        reports.report(.nodeChanged(node: "a:1", state: .open, error: "it hangs"), of: "redis")
        reports.report(.nodeChanged(node: "a:1", state: .halfOpen, error: nil), of: "redis")
        reports.report(.refused(node: "a:1", error: "a:1 refused: OOM"), of: "redis")
      }
      #expect(
        lines.withLock { $0 } == [
          "ozu: redis: a:1 is not asked for a while: it hangs", "ozu: redis: a:1 refused: OOM",
        ])
      clock.advance(by: .seconds(60))
      reports.report(.refused(node: "a:1", error: "a:1 refused: OOM"), of: "redis")
      reports.report(.nodeChanged(node: "a:1", state: .closed, error: nil), of: "redis")
      #expect(lines.withLock { $0.count } == 4)
      for number in 0..<1000 { reports.report(.refused(node: "a:1", error: "\(number)"), of: "s3") }
      #expect(lines.withLock { $0.count } < 300)
    }

    @Test("variables that containers and the package's own tests have are no settings")
    func otherVariables() throws {
      let variables = [
        "OZU_TESTS", "OZU_SERVICE_HOST", "OZU_SERVICE_PORT", "OZU_SERVICE_PORT_HTTP", "OZU_PORT",
        "OZU_PORT_8080_TCP",
        "OZU_PORT_8080_TCP_ADDR", "OZU_REDIS_SERVICE_HOST", "OZU_REDIS_PORT_6379_TCP_PROTO",
      ]
      _ = try ServeSettings(
        file: nil, environment: Dictionary(uniqueKeysWithValues: variables.map { ($0, "x") }))
      for name in ["OZU_PORTS", "OZU_SOURCE", "OZU_"] {
        #expect(throws: UsageError.self) { try ServeSettings(file: nil, environment: [name: "x"]) }
      }
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

    @Test(
      "redirects may lead to the hosts of the settings, beside those of the sources, which are asked first")
    func hosts() throws {
      let settings = try ServeSettings(
        file: "sources = https://*.example.com/a/, http://[::1]:8080\nhosts = cdn.example.org",
        environment: [:])
      let rule = try settings.originPipeline().network.hostRule
      let allowed = ["https://img.example.com/a/b.png", "http://[::1]:8080/a", "https://cdn.example.org/x"]
      for text in allowed + ["https://other.example.org/x"] {
        let url = try #require(URL(string: text))
        #expect(rule.allows(url) == allowed.contains(text), "\(text)")
      }
    }

    @Test("lines end as on every system", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) throws {
      let folder = try Folder()
      let keys = folder.url.appending(path: "keys")
      try ["# keys", Self.keys, ""].joined(separator: end).write(to: keys, atomically: true, encoding: .utf8)
      // If all of it were one comment, any source would be allowed.
      let lines = ["# a comment", "sources = https://only.example.com/", "keys_file = \(keys.path())", ""]
      let settings = try ServeSettings(file: lines.joined(separator: end), environment: [:])
      let rules = try settings.rules(isInsecure: false)
      #expect(rules.sources == ["https://only.example.com/"] && rules.keys.count == 1)
    }

    @Test("a file with an unknown setting, and a missing file")
    func wrongFiles() async throws {
      let folder = try Folder()
      let file = folder.url.appending(path: "ozu.conf")
      try "kees = a\n".write(to: file, atomically: true, encoding: .utf8)
      let run = try await ChildRun(["serve", "--config", file.path(), "--check"], in: folder)
      #expect(run.status == 2 && run.errors.contains("line 1") && run.errors.contains("\"keys\""))
      #expect {
        try ServeSettings(file: "quality = 70\n\nquality = 80", environment: [:])
      } throws: {
        ($0 as? UsageError)?.message == "line 3 of the settings: quality is in line 1 already"
      }
      #expect {
        try ServeSettings(file: "# Windows\r\nquality = 70\r\n\r\nkees = a\r\n", environment: [:])
      } throws: {
        ($0 as? UsageError)?.message == "line 4 of the settings: there is no setting \"kees\""
      }
      let windows = try ServeSettings(file: "# Windows\r\nquality = 70\r\n", environment: [:])
      #expect(windows.values["quality"] == "70")
      #expect(try await ChildRun(["serve", "--config", "none"], in: folder).status == 2)
      let empty = folder.url.appending(path: "keys").path()
      try Data("# none\n".utf8).write(to: URL(fileURLWithPath: empty))
      #expect {
        try ServeSettings(file: "keys_file = \(empty)", environment: [:]).rules(isInsecure: false)
      } throws: {
        ($0 as? UsageError)?.message.contains("there is no key in it") == true
      }
      let open = try await ChildRun(
        ["serve", "--check"], in: folder, variables: ["OZU_SOURCE": "https://a/"])
      #expect(open.status == 2 && open.errors.contains("\"OZU_SOURCES\""))
    }

    @Test(
      "values that a setting has not, without starting anything",
      arguments: [
        "info = all", "effort = best", "formats = svg", "age = 1.5", "age = -1", "failure_age = x",
        "response_fields = A", "response_fields = A B: c", "allow_origin = \u{7F}", "path_prefix = a/",
        "path_prefix = pictures", "path_prefix = /metrics", "log_level = debug", "workers = 0", "clients = 0",
        "head_timeout = 0", "source_frames = 0", "keys_file = /none", "status_listen = systemd",
        "status_listen = 8080", "watermark_opacity = 2", "negotiate = 1", "raw = maybe",
        "watermark_text_style = size=nan", "watermark_text_style = place=top", "watermark_text_length = 0",
        "watermark_text_style = font=Nowhere Grotesk",
      ])
    func wrongValues(line: String) async throws {
      let settings = try ServeSettings(file: line, environment: [:])
      await #expect(throws: UsageError.self) {
        _ = try settings.rules(isInsecure: true)
        let configuration = try settings.configuration()
        _ = (try settings.logLevel(), try settings.listening(), try settings.statusListen())
        _ = try await settings.watermark(configuration.pipeline)
        var pipeline = configuration.pipeline
        pipeline.decoding.isolation = .off
        _ = try await settings.watermarkText(pipeline)
      }
    }

    @Test("the settings reach the rules, the answers and the listener")
    func furtherEffects() async throws {
      let folder = try Folder()
      let keys = folder.url.appending(path: "keys")
      try "# new\n\(Self.keys)\n\n".write(to: keys, atomically: true, encoding: .utf8)
      let mark = folder.url.appending(path: "mark.png")
      try PatternPicture(PixelSize(20, 10)).data(as: .png).write(to: mark)
      let settings = try ServeSettings(
        file: """
          keys_file = \(keys.path())
          allowed_options = rs, rs , w
          raw = no
          info = metadata
          formats = webp
          effort = high
          negotiate = no
          keep_copyright = yes
          watermark = \(mark.path())
          watermark_opacity = 0.5
          watermark_text_style = size=20,font=/srv/fonts/a.ttf
          workers = 3
          source_frames = 1
          age = 60
          failure_age = 5
          allow_origin = *
          response_fields = X-A: b:c; X-D: e
          path_prefix = /pictures
          clients = 9
          keep_alive = 2.5
          status_listen = 127.0.0.1:0
          log_level = error
          continue_traces = yes
          forwarded_for = yes
          presets = a=w:1; b=pr:a/h:2
          isolation = preferred
          """, environment: [:])
      let rules = try settings.rules(isInsecure: false)
      #expect(rules.keys.count == 1 && rules.allowedOptions == ["rs", "w"] && !rules.allowsRaw)
      #expect(rules.information == .metadata && rules.writtenTypes == [.webp] && rules.effort == .high)
      #expect(!rules.negotiatesFormat && rules.keepsCopyright)
      let configuration = try settings.configuration()
      #expect(configuration.pipeline.decoding.concurrentDecodes == 3)
      #expect(configuration.pipeline.decoding.limits.frameCount == 1)
      #expect(try settings.textStyle?.label.size == 20)
      #expect(configuration.pipeline.decoding.isolation.fontFolders == ["/srv/fonts/"])
      #expect(configuration.lifetime == .fixed(60) && configuration.failureLifetime == 5)
      let fields: HTTPHeaders = ["X-A": "b:c", "X-D": "e", "Access-Control-Allow-Origin": "*"]
      #expect(configuration.responseFields == fields)
      #expect(configuration.pathPrefix == "/pictures" && configuration.continuesTraces)
      #expect(configuration.readsForwardedAddress)
      #expect(!configuration.showsMetrics)
      let listening = try settings.listening()
      #expect(listening.maximumConnectionCount == 9 && listening.idleLimit == .seconds(2.5))
      #expect(try settings.statusListen() == .tcp(host: "127.0.0.1", port: 0))
      #expect(try settings.logLevel() == .error)
      var pipeline = configuration.pipeline
      pipeline.decoding.isolation = .off
      let picture = try #require(try await settings.watermark(pipeline))
      #expect(picture.mark.size == PixelSize(20, 10) && picture.opacity == 0.5 && picture.enlarged == nil)
    }

  }
#endif
