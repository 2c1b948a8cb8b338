#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuHTTP
  import OzuServer
  import OzuSharedStores
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite("What the settings of ozu serve do, and how they are shown", .timeLimit(.minutes(10)))
  struct ServeSettingsEffectTests {
    private static let key = String(repeating: "0a", count: 32)
    private static let keys = key + ":0b"

    @Test("the settings reach the client, the decoders and the stores")
    func effects() throws {
      func configuration(_ file: String) throws -> ImagePipeline.Configuration {
        try ServeSettings(file: file, environment: [:]).configuration().pipeline
      }
      func client(_ pipeline: ImagePipeline.Configuration) throws -> HTTPClientConfiguration {
        try #require(pipeline.network.httpClient as? DefaultHTTPClient).configuration
      }
      let standard = try configuration("")
      let service = ImagePipeline.Configuration.service()
      #expect(standard.decoding.limits == service.decoding.limits)
      #expect(standard.network.timeouts == service.network.timeouts)
      #expect(standard.network.concurrentFetches == service.network.concurrentFetches)
      #expect(try client(standard) == client(service))
      #expect(standard.decoding.decodedByteBudget === DecodedByteBudget.shared)

      let set = try configuration(
        """
        processor_time = 2.5
        source_pixels = 1000
        source_bytes = 2Ki
        decoded_bytes = 2000000000
        timeout = 60
        connections = 7
        downloads = 90
        connect_timeout = 2
        minimum_speed = 5
        speed_window = 4
        s3_deadline = 2000
        s3_endpoint = https://s3.example.com
        s3_access_key = a
        s3_secret_key = b
        """)
      let limits = set.decoding.limits
      #expect(limits.cpuTime * 2 == standard.decoding.limits.cpuTime)
      #expect(limits.pixelCount == 1000 && limits.encodedByteCount == 2048)
      #expect(limits.decodedByteCount == 2_000_000_000)
      #expect(set.decoding.decodedByteBudget.byteLimit == 2_000_000_000)
      // The origin may take as long as the answer.
      #expect(
        set.network.timeouts
          == HTTPTimeouts(
            connect: .seconds(2), idle: .seconds(60), total: .seconds(60),
            minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 5, window: .seconds(4))))
      #expect(set.network.concurrentFetches == 90)
      #expect(try client(set).maximumConnectionsPerHost == 7)
      #expect(try client(set).maximumConcurrentRequests == 90)
      let bucket = try #require(set.caching.stores.first as? S3Store)
      #expect(bucket.configuration.deadline == .seconds(2) && set.caching.storeReadLimit == .seconds(2))
      let own = try configuration("idle_timeout = 0.5\ndownload_timeout = 3\nminimum_speed = 0").network
        .timeouts
      #expect(own.idle == .milliseconds(500) && own.total == .seconds(3) && own.minimumSpeed == nil)
    }

    @Test("the settings that count are printed as a file of settings, without secrets")
    func printed() async throws {
      let folder = try Folder()
      let file = folder.url.appending(path: "ozu.conf")
      try "keys = \(Self.keys)\nquality = 70\norigin_fields = https://a.test/ A: hush\n"
        .write(to: file, atomically: true, encoding: .utf8)
      let run = try await ChildRun(
        ["serve", "--config", file.path(), "--print-settings"], in: folder,
        variables: ["OZU_REDIS_PASSWORD": "hush", "OZU_TIMEOUT": "9"])
      let output = String(decoding: run.output, as: UTF8.self)
      #expect(run.status == 0 && !output.contains("hush") && !output.contains(Self.key))
      let lines = output.split(separator: "\n").map(String.init)
      for setting in ServeSetting.all {
        #expect(lines.count { $0.hasPrefix("\(setting.name) ") || $0.hasPrefix("# \(setting.name) ") } == 1)
      }
      #expect(lines.contains("quality = 70") && lines.contains("timeout = 9"))
      #expect(lines.contains("# keys is set, and secret") && lines.contains("# listen = 127.0.0.1:8080"))
      // A misspelt word in the table of settings would print a password.
      #expect(
        ServeSetting.all.filter(\.isSecret).map(\.name) == [
          "keys", "playground_token", "origin_fields", "buckets_secret_key", "buckets_session_token",
          "redis_password", "store_key", "s3_secret_key", "s3_session_token", "traces_fields",
        ])
      let again = try ServeSettings(file: output, environment: [:])
      #expect(again.text == (try ServeSettings(file: "quality = 70\ntimeout = 9", environment: [:])).text)
    }

    /// The page is written anew where the variable `WRITE_PAGES` is set.
    @Test("the page of the settings is what the program prints")
    func documentation() throws {
      let url = Repository.url("Documentation/service-settings.md")
      let page = try String(contentsOf: url, encoding: .utf8)
      let (begin, end) = ("<!-- settings -->\n\n", "\n\n<!-- settings end -->")
      let start = try #require(page.range(of: begin)?.upperBound)
      let stop = try #require(page.range(of: end)?.lowerBound)
      if ProcessInfo.processInfo.environment["WRITE_PAGES"] != nil {
        try (page[..<start] + ServeSetting.tables + page[stop...]).write(
          to: url, atomically: true, encoding: .utf8)
        return
      }
      #expect(page[start..<stop] == ServeSetting.tables)
    }

    @Test(
      "an effort, and those of single formats, reach the rules",
      arguments: [
        ("low", .low, [:]), ("avif=high", .low, [.avif: .high]),
        ("medium, webp=low, jpg=high", .medium, [.webp: .low, .jpeg: .high]),
      ] as [(String, EncodingOptions.Effort, [ImageType: EncodingOptions.Effort])])
    func efforts(text: String, common: EncodingOptions.Effort, byFormat: [ImageType: EncodingOptions.Effort])
      throws
    {
      let rules = try ServeSettings(file: "effort = \(text)", environment: [:]).rules(isInsecure: true)
      #expect(rules.effort == common && rules.efforts == byFormat)
    }

    @Test(
      "servers of Redis are named in several ways, and a key keeps entries under names of its own",
      arguments: [
        (
          "redis://a:7, redis://b, unix:///run/r, /run/s, [::1]:9",
          ["a:7", "b:6379", "/run/r", "/run/s", "[::1]:9"]
        ),
        ("redis://[::1]:9/", ["[::1]:9"]),
      ])
    func redis(text: String, names: [String]) throws {
      func store(_ more: String) throws -> RedisConfiguration {
        let settings = try ServeSettings(file: "redis = \(text)\n\(more)", environment: [:])
        let stores = try settings.configuration().pipeline.caching.stores
        return try #require(stores.first as? RedisStore).configuration
      }
      let plain = try store("")
      #expect(plain.nodes.map(\.description) == names && plain.authenticationKey == nil)
      let keyed = try store("store_key = \(Self.key)")
      #expect(keyed.authenticationKey != nil && keyed.keyPrefix != plain.keyPrefix)
      #expect(keyed.keyPrefix.hasPrefix(plain.keyPrefix))
    }

    @Test("spans go to the path of the address, or to the usual one")
    func traces() throws {
      #expect(try ServeSettings(file: "", environment: [:]).configuration().spans == nil)
      let spans = try ServeSettings(
        file: "traces = http://127.0.0.1:4318\ntraces_share = 0.25\ntraces_fields = A: b", environment: [:]
      ).configuration().spans
      #expect(spans?.share == 0.25)
    }
  }
#endif
