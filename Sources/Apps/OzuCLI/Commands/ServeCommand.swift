#if canImport(OzuServer)
  import Dispatch
  import Foundation
  import Glibc
  import OzuBase
  import OzuServer

  /// `ozu serve`: pictures for a web site, over HTTP.
  enum ServeCommand: Command {
    static let specification = CommandSpecification(
      name: "serve",
      summary: "Answer requests for pictures over HTTP, behind nginx or a CDN.",
      synopsis: OptionSpecification.synopsis("", options).trimmingCharacters(in: .whitespaces),
      examples: [
        Example("The settings of a file", "ozu serve --config /etc/ozu/ozu.conf"),
        Example("Are the settings right?", "ozu serve --config ozu.conf --check"),
      ],
      discussion: """
        Reads signed addresses in imgproxy's grammar, such as /SIGNATURE/rs:fill:320:240/plain/https://example.com/a.jpg@webp,
        and answers with pictures. Without a key it refuses to start, unless --insecure says that anybody may ask for anything.
        After SIGTERM or Ctrl-C it answers the requests that it has, and ends with 0. At SIGHUP it reads the file of --config
        again: keys, allowed sources, presets and whatever else addresses may ask for count for the next request, and no
        request is lost. /health, /ready and /metrics report its state. When a cache or a store fails, the service goes on
        without it and says so on standard error.

        Settings come from a file with lines NAME = VALUE, or from the environment, where a name is in capitals after OZU_
        (OZU_KEYS). The environment overrides the file:

        \(table)
        """,
      options: options)

    private static let options = [
      OptionSpecification(name: "config", value: "FILE", kind: .file, help: "The file of the settings."),
      OptionSpecification(name: "insecure", help: "Read addresses without a signature."),
      OptionSpecification(
        name: "check", help: "Try the settings, folders and logins too, and start nothing."),
      OptionSpecification(
        name: "print-settings",
        help: "Print the settings that count, as a file of settings without its secrets, and start nothing."),
    ]

    private static var table: String {
      let width = ServeSetting.all.map(\.name.count).max() ?? 0
      return ServeSetting.all.map { setting in
        let name = setting.name + String(repeating: " ", count: width - setting.name.count)
        return "  \(name)  \(setting.help)\(setting.standard.isEmpty ? "" : " (\(setting.standard))")"
      }.joined(separator: "\n")
    }

    static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
      Heap.mapLargeBlocks()
      raiseDescriptorLimit()
      let settings = try settings(arguments)
      if arguments.has("print-settings") {
        console.print(settings.text)
        return .done
      }
      let isInsecure = arguments.has("insecure")
      var rules = try settings.rules(isInsecure: isInsecure)
      let log = RequestLog(console, isText: try settings.logsText())
      let reports = StoreReports { log.report($0) }
      var configuration = try settings.configuration(reports: reports)
      configuration.version = Version.current
      let (address, statusAddress) = (try settings.listen(), try settings.statusListen())
      let drainLimit = try settings.drainLimit()
      let level = LogThreshold(try settings.logLevel())
      if try settings.logsRequests {
        configuration.log = { record in if level.current.logs(record) { log.write(record) } }
      }
      var listening = try settings.listening()
      rules.watermark = try await settings.watermark(configuration.pipeline)
      rules.watermarkText = try await settings.watermarkText(configuration.pipeline)
      let playground = try settings.playground(rules, at: address)
      try address.checkHost(of: "listen")
      try statusAddress?.checkHost(of: "status_listen")
      configuration.playground = playground?.page
      let spool = settings.hasCache || arguments.has("check") ? nil : SpoolFolder()
      defer { spool?.remove() }
      configuration.pipeline.network.largeBodyDirectory = spool?.path
      let client = configuration.pipeline.makeClientReplaceable()
      let service: ImageService
      do throws(ServiceConfigurationError) {
        service = try ImageService(addressing: SignedAddresses(rules), configuration: configuration)
      } catch {
        throw UsageError(error.description)
      }
      let statusListening = listening
      listening.uploads = service.uploads
      if arguments.has("check") { return await check(settings, configuration, console) }
      // A reader of the log that ends must not end the service.
      Console.outlivesItsReader.store(true, ordering: .relaxed)
      let notifier = SystemdNotifier()
      let reload = ServeReload(
        settings, service, client, level, report: { log.report($0) },
        read: { () throws(UsageError) in try Self.settings(arguments) }, isInsecure: isInsecure, notifier)
      // Without a file there is nothing to read again: then the end of a terminal ends the service.
      let reloading: (@Sendable () -> Void)? = arguments.value("config") == nil ? nil : reload.begin
      let end = await EndSignal(reload: reloading) { spool?.remove() }
      // Opens it, so that an error is known now and not with the first picture.
      _ = try? await BlockingWork.run { service.pipeline.diskCache }
      let listener: ServiceListener
      var statusListener: ServiceListener?
      do throws(ServiceListenerError) {
        listener = try Self.listener(service, at: address, listening)
        if let statusAddress {
          statusListener = try Self.listener(service.statusPages, at: statusAddress, statusListening)
        }
      } catch {
        console.printError("ozu serve: \(error)")
        return .failed
      }
      console.printError("ozu: listening at \(address.shown(port: listener.port))")
      if let statusAddress, let statusListener {
        console.printError("ozu: its state at \(statusAddress.shown(port: statusListener.port))")
      }
      if isInsecure { console.printError("ozu: addresses need no signature: anybody may ask for anything") }
      if let playground {
        let token = playground.madeToken.map { "#\($0)" } ?? ", with the token of playground_token behind a #"
        console.printError("ozu: playground at \(address.shown(port: listener.port))/\(token)")
      }
      notifier.send("READY=1")
      await end.wait()
      notifier.send("STOPPING=1")
      console.printError("ozu: ending when the running requests are answered")
      service.beginDraining()
      await listener.stop(within: drainLimit)
      await statusListener?.stop(within: .zero)
      await service.pipeline.flush()
      await service.pipeline.diskCache?.close()
      await configuration.spans?.flush()
      log.finish()
      return .done
    }

    /// Lets this process have as many files open as it may: the usual limit is for programs with few connections.
    private static func raiseDescriptorLimit() {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
      limit.rlim_cur = limit.rlim_max
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func check(
      _ settings: ServeSettings, _ configuration: ImageService.Configuration, _ console: Console
    ) async -> ExitStatus {
      let check = await ServeCheck(settings, configuration)
      for error in check.errors { console.printError("ozu: \(error)") }
      for note in check.notes { console.printError("ozu: \(note) (the service would work without it)") }
      guard check.errors.isEmpty else { return .failed }
      console.print("the settings are right")
      return .done
    }

    private static func listener(
      _ service: any ServiceResponding, at address: ServeSettings.ListenAddress,
      _ configuration: ServiceListener.Configuration
    ) throws(ServiceListenerError) -> ServiceListener {
      switch address {
      case .tcp(let host, let port):
        try ServiceListener(service, host: host, port: port, configuration: configuration)
      case .unix(let path, let permissions):
        try ServiceListener(
          service, path: path, permissions: permissions, configuration: configuration)
      case .systemd:
        try ServiceListener(service, inheriting: ActivatedSocket.take(), configuration: configuration)
      }
    }

    private static func settings(_ arguments: ParsedArguments) throws(UsageError) -> ServeSettings {
      var file: String?
      if let path = arguments.value("config") {
        do {
          file = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
          throw UsageError("--config \(path): \(error.oneLine)")
        }
      }
      return try ServeSettings(file: file, environment: ProcessInfo.processInfo.environment)
    }
  }

  extension ServeSettings.ListenAddress {
    fileprivate func shown(port: Int) -> String {
      switch self {
      case .tcp(let host, _): "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
      case .unix(let path, _): "unix:\(path)"
      case .systemd: port == 0 ? "the socket of systemd" : "the socket of systemd, port \(port)"
      }
    }
  }

  /// A folder of this process for files without names, used when the settings name no folder. It is removed at the end.
  private struct SpoolFolder {
    let path: String

    /// Makes it in the folder for temporary files; `nil` when that fails: then everything stays in memory.
    init?() {
      var template = Array("\(FileManager.default.temporaryDirectory.path)/ozu-serve-XXXXXX".utf8CString)
      // Replaces the six X in the array by the name. Only this user can enter the folder.
      guard mkdtemp(&template) != nil else { return nil }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes it. It has no names, only files that are still open.
    func remove() { rmdir(path) }
  }

  /// The socket that systemd, or a program with the same protocol, passes to a process that it starts (sd_listen_fds(3)).
  enum ActivatedSocket {
    /// The first descriptor that is passed.
    private static let first: Int32 = 3

    /// Takes the socket. Removes the variables that announce it: they are for this process, not for its child processes.
    ///
    /// - Throws: `ServiceListenerError` unless there is exactly one socket.
    static func take() throws(ServiceListenerError) -> Int32 {
      let environment = ProcessInfo.processInfo.environment
      let isForThisProcess = environment["LISTEN_PID"].flatMap(Int32.init) == getpid()
      let count = environment["LISTEN_FDS"].flatMap(Int.init)
      for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
      guard isForThisProcess, let count, count > 0 else {
        throw ServiceListenerError(operation: "find a socket of", address: "systemd", code: ENOENT)
      }
      guard count == 1 else {
        throw ServiceListenerError(
          operation: "choose among \(count) sockets of", address: "systemd", code: E2BIG)
      }
      return first
    }
  }
#endif
