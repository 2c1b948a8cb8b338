#if canImport(OzuServer)
  import Foundation
  import Testing

  @testable import OzuCLI

  @Suite("Settings of ozu serve", .timeLimit(.minutes(10)))
  struct ServeSettingsTests {
    private static let key = String(repeating: "0a", count: 32)
    private static let keys = key + ":0b"

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
