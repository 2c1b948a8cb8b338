#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuHTTP
  import OzuServer
  import OzuSharedStores

  /// The settings of `ozu serve`, from a file of lines `name = value` and from the environment, which overrides the file.
  struct ServeSettings {
    private(set) var values: [String: String]

    /// Reads the settings.
    ///
    /// - Parameter file: the text of the file; `nil` without a file.
    /// - Throws: `UsageError` for an unknown name.
    init(file: String?, environment: [String: String]) throws(UsageError) {
      values = [:]
      var inherited: [String: String] = [:]
      var lines: [String: Int] = [:]
      for (number, line) in Self.lines(of: file ?? "").enumerated() {
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.isEmpty || text.hasPrefix("#") { continue }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
          $0.trimmingCharacters(in: .whitespaces)
        }
        guard parts.count == 2, ServeSetting.all.contains(where: { $0.name == parts[0] }) else {
          throw UsageError(
            "line \(number + 1) of the settings: \(parts.count == 2 ? "there is no setting \"\(parts[0])\"" : "NAME = VALUE is needed")",
            hint: Suggestion.closest(to: parts[0], among: ServeSetting.all.map(\.name)).map {
              "Did you mean \"\($0)\"?"
            })
        }
        if let line = lines.updateValue(number + 1, forKey: parts[0]) {
          throw UsageError("line \(number + 1) of the settings: \(parts[0]) is in line \(line) already")
        }
        values[parts[0]] = parts[1]
      }
      for setting in ServeSetting.all {
        if let value = environment[setting.variable] { values[setting.name] = value }
      }
      try checkQuotes()
      try checkAllowLists()
      try Self.checkNames(of: environment)
      // The names that every program for S3 reads.
      for prefix in ["s3", "buckets"] where values["\(prefix)_access_key"] == nil {
        for (name, variable) in [
          ("access_key", "AWS_ACCESS_KEY_ID"), ("secret_key", "AWS_SECRET_ACCESS_KEY"),
          ("session_token", "AWS_SESSION_TOKEN"),
        ] where values["\(prefix)_\(name)"] == nil {
          inherited["\(prefix)_\(name)"] = environment[variable]
        }
      }
      values.merge(inherited) { own, _ in own }
    }

    /// The lines of a file. CR and LF together are one character, which is no LF: a file with such lines that begins with a comment
    /// would be a comment.
    private static func lines(of text: String) -> [Substring] {
      text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    /// A variable of a template that nobody has set must not open a list.
    private func checkAllowLists() throws(UsageError) {
      for name in ["sources", "hosts", "allowed_options"] where values[name] != nil && list(name).isEmpty {
        throw UsageError(
          "\(name) is set, and nothing is in it", hint: "Leave it out where everything is to be allowed.")
      }
    }

    /// Quotes around a value are taken for a part of it: a shell removes them, a file of settings or of variables does not.
    private func checkQuotes() throws(UsageError) {
      for setting in ServeSetting.all {
        // A password may have any characters.
        guard let value = values[setting.name], setting.name == "keys" || !setting.isSecret,
          value.utf8.count > 1, let first = value.first, "\"'".contains(first), value.last == first
        else { continue }
        throw UsageError("\(setting.name): the value has quotes around it", hint: "Write it without them.")
      }
    }

    /// Variables of the package's build and tests, which have nothing to do with a service.
    private static let otherVariables: Set = [
      "OZU_ALL_CASES", "OZU_ASAN", "OZU_BENCHMARKS", "OZU_FUZZ", "OZU_FUZZ_FORMAT", "OZU_HEAD_SECONDS",
      "OZU_LIBRARIES", "OZU_LINK_LIBRARIES", "OZU_LOADS_LIBRARIES", "OZU_MEMORY_DRILL", "OZU_PLAIN_GTK",
      "OZU_STRICT", "OZU_SYSTEMS", "OZU_TESTS", "OZU_TSAN",
    ]

    /// A misspelt `OZU_SOURCES` would open the list of allowed sources.
    ///
    /// - Throws: `UsageError` for an unknown variable.
    private static func checkNames(of environment: [String: String]) throws(UsageError) {
      let known = Set(ServeSetting.all.map(\.variable))
      // Sorted, so that the same environment always has the same error.
      for name in environment.keys.sorted() where name.hasPrefix("OZU_") && !known.contains(name) {
        if otherVariables.contains(name) || isOfContainers(name) { continue }
        throw UsageError(
          "the variable \(name): there is no setting \"\(name.dropFirst("OZU_".count).lowercased())\"",
          hint: Suggestion.closest(to: name, among: known.sorted()).map { "Did you mean \"\($0)\"?" })
      }
    }

    /// Whether Kubernetes or Docker sets a variable in every container beside a service whose name begins with `ozu`:
    /// `OZU_SERVICE_HOST`, `OZU_PORT`, `OZU_REDIS_PORT_6379_TCP_ADDR`.
    private static func isOfContainers(_ name: String) -> Bool {
      name.wholeMatch(
        of:
          /OZU_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)/
      )
        != nil
    }

    // MARK: Single ones

    subscript(name: String) -> String { values[name] ?? ServeSetting.all.first { $0.name == name }!.standard }

    func list(_ name: String, _ separator: Character = ",") -> [String] {
      self[name].split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) }.filter {
        !$0.isEmpty
      }
    }

    func flag(_ name: String) throws(UsageError) -> Bool {
      switch self[name] {
      case "yes": return true
      case "no": return false
      default: throw UsageError("\(name) = \(self[name]): yes or no is needed")
      }
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
      guard let number = Int(self[name]), range.contains(number) else {
        throw UsageError(
          "\(name) = \(self[name]): a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
      }
      return number
    }

    /// A number of bytes, with units as in options.
    func byteCount(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
      guard let count = ParsedArguments.byteCount(self[name]), range.contains(count) else {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        throw UsageError(
          "\(name) = \(self[name]): a number of bytes from \(bounds) is needed",
          hint: "For example: 64MiB or 1GB")
      }
      return count
    }

    func seconds(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Duration {
      .seconds(try number(name, in: range))
    }

    /// A number, which may have decimals.
    func number(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double {
      let text = self[name]
      guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
        let number = Double(text), range.contains(number)
      else {
        throw UsageError(
          "\(name) = \(text): a number from \(range.lowerBound) to \(range.upperBound) is needed")
      }
      return number
    }

    /// The settings that count, as a file of settings: what is as by default is a comment, and so are secrets, without their
    /// values.
    var text: String {
      ServeSetting.groups.map { group in
        (["# \(group.title)"] + group.settings.map(line)).joined(separator: "\n")
      }.joined(separator: "\n\n")
    }

    private func line(_ setting: ServeSetting) -> String {
      let value = self[setting.name]
      if setting.isSecret { return "# \(setting.name) \(value.isEmpty ? "=" : "is set, and secret")" }
      let text = value.isEmpty ? "\(setting.name) =" : "\(setting.name) = \(value)"
      return value == setting.standard ? "# \(text)" : text
    }

    func drainLimit() throws(UsageError) -> Duration { .seconds(try integer("drain", in: 0...3600)) }

    // MARK: Configurations

    /// - Parameter isInsecure: whether addresses without a signature are read.
    func rules(isInsecure: Bool) throws(UsageError) -> AddressRules {
      let byteCount = try integer("signature_bytes", in: 16...32)
      var rules = AddressRules()
      for (place, pair) in try keyPairs() {
        let parts = pair.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        // No message has the text, which is a secret.
        guard parts.count == 2 else { throw UsageError("\(place): KEY:SALT is needed") }
        do throws(AddressRulesError) {
          rules.keys.append(try AddressKey(hexKey: parts[0], salt: parts[1], signatureByteCount: byteCount))
        } catch {
          throw UsageError("\(place): \(error.description)")
        }
      }
      do throws(AddressRulesError) {
        for preset in list("presets", ";") {
          let parts = preset.split(separator: "=", maxSplits: 1).map(String.init)
          guard parts.count == 2 else {
            throw AddressRulesError("presets: NAME=OPTIONS is needed, not \(preset)")
          }
          try rules.definePreset(parts[0], options: parts[1])
        }
        if !self["cards"].isEmpty {
          let folder = URL(fileURLWithPath: self["cards"], isDirectory: true)
          do throws(AddressRulesError) {
            rules.cards = try CardTemplates(folder: folder)
          } catch {
            throw AddressRulesError("cards = \(self["cards"]): \(error.description)")
          }
        }
      } catch {
        throw UsageError(error.description)
      }
      rules.allowsUnsigned = isInsecure
      rules.sources = list("sources")
      try setOrigins(&rules)
      rules.onlyPresets = try flag("only_presets")
      try setAnswers(&rules)
      guard isInsecure || !rules.keys.isEmpty else {
        throw UsageError(
          "no key is set: anybody could ask this machine for any picture",
          hint: "Set OZU_KEYS=KEY:SALT (openssl rand -hex 32 makes each), or say --insecure.")
      }
      return rules
    }

    /// The pairs of `keys` and the lines of `keys_file`, each with its place for messages.
    private func keyPairs() throws(UsageError) -> [(place: String, pair: String)] {
      let own = list("keys").enumerated().map { ("keys, pair \($0.offset + 1)", $0.element) }
      let path = self["keys_file"]
      guard !path.isEmpty else { return own }
      let text: String
      do {
        text = try String(contentsOfFile: path, encoding: .utf8)
      } catch {
        throw UsageError("keys_file = \(path): \(error.oneLine)")
      }
      let lines = Self.lines(of: text).enumerated().map {
        ("keys_file = \(path), line \($0.offset + 1)", $0.element.trimmingCharacters(in: .whitespaces))
      }.filter { !$0.1.isEmpty && !$0.1.hasPrefix("#") }
      guard !lines.isEmpty || !own.isEmpty else {
        throw UsageError("keys_file = \(path): there is no key in it", hint: "Each line is KEY:SALT.")
      }
      return own + lines
    }

    /// - Parameter reports: gets the failures of caches and stores.
    func configuration(reports: StoreReports? = nil) throws(UsageError) -> ImageService.Configuration {
      var configuration = ImageService.Configuration(pipeline: try originPipeline())
      if let folders = try folders() { configuration.pipeline.sources.register(folders) }
      configuration.maximumPendingCount = try integer("pending", in: 2...100_000)
      configuration.answerLimit = .seconds(try integer("timeout", in: 1...600))
      try setAnswers(&configuration)
      configuration.showsMetrics = try flag("metrics") && self["status_listen"].isEmpty
      configuration.allowsDecodingInProcess = configuration.pipeline.decoding.isolation.mode != .required
      configuration.allowsPrivateNetworks = try flag("private_networks")
      if let reports { configuration.pipeline.caching.onDiskError = { reports.report($0) } }
      if let redis = try redis(reports) {
        configuration.pipeline.caching.stores.append(redis)
        configuration.leases = redis
      }
      if let bucket = try bucket(reports) { configuration.pipeline.caching.stores.append(bucket) }
      return configuration
    }

    /// The pipeline with the client that asks origins, without folders and shared stores.
    func originPipeline() throws(UsageError) -> ImagePipeline.Configuration {
      var pipeline = try pipeline()
      pipeline.use(try originAccess())
      return pipeline
    }

    var hasCache: Bool { !self["cache"].isEmpty }

    var logsRequests: Bool { get throws(UsageError) { try flag("log") } }

    private func pipeline() throws(UsageError) -> ImagePipeline.Configuration {
      var pipeline = ImagePipeline.Configuration.service(try client())
      pipeline.network.timeouts = try timeouts()
      // A store is waited for as long as its own setting says.
      pipeline.caching.storeReadLimit = max(
        pipeline.caching.storeReadLimit, .milliseconds(try integer("redis_deadline", in: 1...10_000)),
        .milliseconds(try integer("s3_deadline", in: 1...60_000)))
      try setLimits(&pipeline.decoding)
      guard let mode = DecoderIsolation.Mode(rawValue: self["isolation"]) else {
        throw UsageError("isolation = \(self["isolation"]): required, preferred or off is needed")
      }
      // This program is its own helper: `main` calls `runIfHelper` first.
      pipeline.decoding.isolation = DecoderIsolation(mode, helper: .thisProgram)
      try textStyle?.allowFont(in: &pipeline)
      pipeline.caching.encodedMemoryCache.costLimit = try byteCount("memory_bytes", in: 0...(1 << 40))
      let capacity = try byteCount("cache_bytes", in: (1 << 20)...(1 << 46))
      pipeline.caching.diskStorage =
        !hasCache
        ? .none : .folder(URL(fileURLWithPath: self["cache"], isDirectory: true), capacity: capacity)
      return pipeline
    }

    private func client() throws(UsageError) -> HTTPClientConfiguration {
      var client = HTTPClientConfiguration()
      client.hostRule = try hostRule()
      if try !flag("private_networks") { client.networkGuard = .publicAddressesOnly }
      client.maximumConnectionsPerHost = try integer("connections", in: 1...10_000)
      client.maximumConcurrentRequests = try integer("downloads", in: 1...10_000)
      return client
    }

    /// The limits of a download. An origin may take as long as the answer, unless the settings say otherwise.
    private func timeouts() throws(UsageError) -> HTTPTimeouts {
      let answer = Duration.seconds(try integer("timeout", in: 1...600))
      let speed = try integer("minimum_speed", in: 0...(1 << 40))
      let window = try seconds("speed_window", in: 0.1...600)
      return HTTPTimeouts(
        connect: try seconds("connect_timeout", in: 0.1...600),
        idle: self["idle_timeout"].isEmpty ? answer : try seconds("idle_timeout", in: 0.1...600),
        total: self["download_timeout"].isEmpty ? answer : try seconds("download_timeout", in: 0.1...600),
        minimumSpeed: speed == 0 ? nil : HTTPMinimumSpeed(bytesPerSecond: speed, window: window))
    }

    /// The limits on the price of a picture.
    private func setLimits(_ decoding: inout ImagePipeline.Configuration.Decoding) throws(UsageError) {
      // `service` has measured the machine: its limit stands for the standard of the setting.
      let slowness = decoding.limits.cpuTime / .seconds(5)
      decoding.limits.cpuTime = try seconds("processor_time", in: 0.1...600) * slowness
      decoding.limits.pixelCount = try integer("source_pixels", in: 1...(1 << 40))
      decoding.limits.encodedByteCount = try byteCount("source_bytes", in: 1...(1 << 40))
      decoding.limits.frameCount = try integer("source_frames", in: 1...65_535)
      if !self["workers"].isEmpty { decoding.concurrentDecodes = try integer("workers", in: 1...1024) }
      decoding.limits.decodedByteCount = try byteCount("decoded_bytes", in: (1 << 20)...(1 << 46))
      if decoding.limits.decodedByteCount != DecodedByteBudget.shared.byteLimit {
        decoding.decodedByteBudget = DecodedByteBudget(byteLimit: decoding.limits.decodedByteCount)
      }
    }

    /// The hosts of `hosts` and those of `sources`, which are asked first; without `hosts` the addresses of `sources`.
    private func hostRule() throws(UsageError) -> HTTPHostRule {
      let hosts = list("hosts")
      for host in hosts where host.contains("/") || host.contains(":") {
        throw UsageError("hosts: \(host): the name of a host is needed, such as cdn.example.com")
      }
      let sources = list("sources")
      var hostsOfSources: [String] = []
      for source in sources {
        let parts = source.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty else {
          throw UsageError("sources: \(source): http:// or https:// and a host are needed")
        }
        let end = parts[2].firstIndex(of: "]").map { parts[2].index(after: $0) }
        let host = String(parts[2][..<(end ?? parts[2].firstIndex(of: ":") ?? parts[2].endIndex)])
        guard !host.isEmpty, !host.dropFirst(host.hasPrefix("*.") ? 2 : 0).contains("*") else {
          throw UsageError("sources: \(source): a star can only be the beginning of a host: *.example.com")
        }
        hostsOfSources.append(host)
      }
      if !hosts.isEmpty { return .only(hosts + hostsOfSources) }
      return sources.isEmpty ? .any : .addresses(sources)
    }
  }
#endif
