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
      for text in list("redis") { nodes.append(try Self.redisAddress(text)) }
      if nodes.isEmpty { try checkAbsence(of: ["redis_user", "redis_password"], without: "redis") }
      if self["redis_password"].isEmpty {
        try checkAbsence(of: ["redis_user"], without: "redis_password")
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
      if let key = try storeKey() {
        configuration.authenticationKey = key
        configuration.keyPrefix += "\(key.fingerprint):"
      }
      if let reports { configuration.onEvent = { reports.report($0, of: "redis") } }
      return RedisStore(configuration)
    }

    /// The address of a server. Messages have no text before an `@`, which may be a password.
    private static func redisAddress(_ text: String) throws(UsageError) -> RedisAddress {
      if text.hasPrefix("/") { return .unix(text) }
      let shown = text.lastIndex(of: "@").map { "…\(text[$0...])" } ?? text
      let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        if let (host, port) = address(text), port > 0 { return .tcp(host, port: port) }
        throw UsageError("redis: \(shown): HOST:PORT or the path of a socket is needed")
      }
      switch parts[0].lowercased() {
      case "redis": break
      case "unix": return try redisAddress(String(parts[1]))
      case "rediss":
        throw UsageError(
          "redis: \(shown): the connection to Redis has no TLS",
          hint:
            "Let stunnel on this machine do it, and name its socket (Documentation/image-service.md, Redis over TLS)."
        )
      default:
        throw UsageError(
          "redis: \(shown): HOST:PORT, redis://HOST:PORT or the path of a socket is needed",
          hint: "Sentinel and clusters are not asked: name the servers.")
      }
      guard !parts[1].contains("@") else {
        throw UsageError(
          "redis: \(shown): the address has a login", hint: "redis_user and redis_password are the login.")
      }
      let place = parts[1].hasSuffix("/") ? String(parts[1].dropLast()) : String(parts[1])
      guard let (host, port) = address(place) ?? address(place + ":6379"), port > 0 else {
        throw UsageError(
          "redis: \(shown): redis://HOST:PORT is needed", hint: "Databases have no number here: it is 0.")
      }
      return .tcp(host, port: port)
    }

    /// The key that entries of Redis and S3 are authenticated with; `nil` without one.
    private func storeKey() throws(UsageError) -> SharedEntryKey? {
      guard !self["store_key"].isEmpty else { return nil }
      guard let key = SharedEntryKey(hex: self["store_key"]) else {
        throw UsageError(
          "store_key: an even number of hexadecimal digits is needed, 32 or more",
          hint: "openssl rand -hex 32 makes them.")
      }
      return key
    }

    /// - Throws: `UsageError` if one of the settings has a value, which would have no effect.
    private func checkAbsence(of names: [String], without needed: String) throws(UsageError) {
      if let name = names.first(where: { !self[$0].isEmpty }) {
        throw UsageError("\(name) is set, but no \(needed)")
      }
    }

    /// The store of `s3_endpoint`; `nil` without an endpoint.
    func bucket(_ reports: StoreReports?) throws(UsageError) -> S3Store? {
      let given = ServeSetting.all.map(\.name).filter { $0.hasPrefix("s3_") && values[$0]?.isEmpty == false }
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
      if let key = try storeKey() {
        configuration.authenticationKey = key
        configuration.keyPrefix += "\(key.fingerprint)/"
      }
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
