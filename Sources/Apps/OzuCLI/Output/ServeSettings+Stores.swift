#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuSharedStores

  /// The stores that machines share.
  extension ServeSettings {
    /// The store of `redis`, which also has the leases; `nil` without servers.
    func redis(_ reports: StoreReports?) throws(UsageError) -> RedisStore? {
      var nodes: [RedisAddress] = []
      for text in list("redis") {
        if text.hasPrefix("/") {
          nodes.append(.unix(text))
        } else if let (host, port) = Self.address(text) {
          nodes.append(.tcp(host, port: port))
        } else {
          throw UsageError(
            "redis: \(text): HOST:PORT or the path of a socket is needed",
            hint: text.contains("://")
              ? "Without a scheme: redis_user and redis_password are the login, and TLS needs a proxy on this machine."
              : nil)
        }
      }
      guard !nodes.isEmpty else { return nil }
      guard Set(nodes).count == nodes.count else { throw UsageError("redis: a server is named twice") }
      var configuration = RedisConfiguration(nodes: nodes)
      configuration.deadline = .milliseconds(try integer("redis_deadline", in: 1...10_000))
      if !self["redis_password"].isEmpty {
        let user = self["redis_user"]
        configuration.credentials = RedisCredentials(
          user: user.isEmpty ? nil : user, password: self["redis_password"])
      }
      if let reports { configuration.onEvent = { reports.report($0, of: "redis") } }
      return RedisStore(configuration)
    }

    /// The store of `s3_endpoint`; `nil` without an endpoint.
    func bucket(_ reports: StoreReports?) throws(UsageError) -> S3Store? {
      let given = Self.all.map(\.name).filter { $0.hasPrefix("s3_") && values[$0]?.isEmpty == false }
      guard !self["s3_endpoint"].isEmpty else {
        // Keys in the environment may be for other programs.
        guard
          let first = given.first(where: {
            !["s3_access_key", "s3_secret_key", "s3_session_token"].contains($0)
          })
        else { return nil }
        throw UsageError("\(first) is set, but no s3_endpoint")
      }
      guard let endpoint = URL(string: self["s3_endpoint"]) else {
        throw UsageError("s3_endpoint = \(self["s3_endpoint"]): an address is needed")
      }
      guard !self["s3_access_key"].isEmpty, !self["s3_secret_key"].isEmpty else {
        throw UsageError("s3_endpoint needs s3_access_key and s3_secret_key")
      }
      let token = self["s3_session_token"]
      var configuration = S3Configuration(
        endpoint: endpoint, bucket: self["s3_bucket"].isEmpty ? nil : self["s3_bucket"],
        region: self["s3_region"],
        credentials: S3Credentials(
          accessKey: self["s3_access_key"], secretKey: self["s3_secret_key"],
          sessionToken: token.isEmpty ? nil : token))
      configuration.keyPrefix = self["s3_prefix"]
      configuration.deadline = .milliseconds(try integer("s3_deadline", in: 1...60_000))
      if !self["s3_ca"].isEmpty {
        guard FileManager.default.isReadableFile(atPath: self["s3_ca"]) else {
          throw UsageError("s3_ca = \(self["s3_ca"]): there is no such file, or it cannot be read")
        }
        configuration.connections.certificateAuthorities = .file(path: self["s3_ca"])
      }
      if let reports { configuration.onEvent = { reports.report($0, of: "s3") } }
      do {
        return try S3Store(configuration)
      } catch {
        throw UsageError("s3: \(error)")
      }
    }
  }
#endif
