#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuBase
  import OzuCaching
  import OzuHTTP
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
      configuration.connections.certificateAuthorities = try certificateAuthorities("s3_ca")
      if let reports { configuration.onEvent = { reports.report($0, of: "s3") } }
      do {
        return try S3Store(configuration)
      } catch {
        throw UsageError("s3: \(error)")
      }
    }

    /// The authorities in the file of a setting; those of the system without one.
    func certificateAuthorities(_ name: String) throws(UsageError) -> HTTPCertificateAuthorities {
      guard !self[name].isEmpty else { return .system }
      guard FileManager.default.isReadableFile(atPath: self[name]) else {
        throw UsageError("\(name) = \(self[name]): there is no such file, or it cannot be read")
      }
      return .file(path: self[name])
    }
  }

  /// Says on standard error when a cache or a store fails and when it is back: the service works without them, so nothing
  /// else tells. The same line comes once a minute at most.
  final class StoreReports: Sendable {
    private static let interval = Duration.seconds(60)
    private static let mostLines = 256

    private let print: @Sendable (String) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let printed = Mutex<[String: ContinuousClock.Instant]>([:])

    init(
      now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
      _ print: @escaping @Sendable (String) -> Void
    ) {
      self.now = now
      self.print = print
    }

    /// Reports an event of a shared store.
    func report(_ event: SharedStoreEvent, of store: String) {
      switch event {
      case .nodeChanged(let node, .open, let error):
        write("\(store): \(node) is not asked for a while: \(error ?? "it fails")")
      case .nodeChanged(let node, .closed, _): write("\(store): \(node) is asked again")
      case .nodeChanged(_, .halfOpen, _): break
      case .damaged(let node): write("\(store): \(node) had a damaged entry, which was removed")
      case .dropped(let node): write("\(store): too many commands wait for \(node), and more are dropped")
      case .refused(_, let error): write("\(store): \(error)")
      }
    }

    /// Reports an error of the disk cache.
    func report(_ error: DiskCacheError) { write("cache: \(error)") }

    private func write(_ line: String) {
      let now = now()
      let isNew = printed.withLock { printed in
        if let last = printed[line], now < last + Self.interval { return false }
        // Lines have texts of servers in them.
        if printed.count >= Self.mostLines { printed = printed.filter { now < $0.value + Self.interval } }
        guard printed.count < Self.mostLines else { return false }
        printed[line] = now
        return true
      }
      if isNew { print("ozu: \(line)") }
    }
  }
#endif
