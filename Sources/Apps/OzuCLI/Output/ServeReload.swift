#if canImport(OzuServer)
  import Glibc
  import OzuBase
  import OzuServer

  /// Reads the settings of a running service again. One reading runs at a time, and the last one sees the file of its signal.
  ///
  /// The state is locked; nothing is called under the lock.
  final class ServeReload: Sendable {
    private struct State {
      var settings: ServeSettings
      var isRunning = false
      var isWanted = false
    }

    private let state: Mutex<State>
    private let service: ImageService
    private let client: ReplaceableClient
    private let level: LogThreshold
    private let report: @Sendable (String) -> Void
    private let read: @Sendable () throws(UsageError) -> ServeSettings
    private let isInsecure: Bool
    private let notifier: SystemdNotifier

    /// - Parameter read: reads the settings as at the start.
    init(
      _ settings: ServeSettings, _ service: ImageService, _ client: ReplaceableClient,
      _ level: LogThreshold, report: @escaping @Sendable (String) -> Void,
      read: @escaping @Sendable () throws(UsageError) -> ServeSettings, isInsecure: Bool,
      _ notifier: SystemdNotifier
    ) {
      state = Mutex(State(settings: settings))
      (self.service, self.client, self.level) = (service, client, level)
      (self.report, self.read, self.isInsecure, self.notifier) = (report, read, isInsecure, notifier)
    }

    /// Reads the settings in a task of its own.
    func begin() {
      let isFirst = state.withLock { state in
        defer { (state.isRunning, state.isWanted) = (true, true) }
        return !state.isRunning
      }
      guard isFirst else { return }
      Task { [self] in while takeWish() { await run() } }
    }

    private func takeWish() -> Bool {
      state.withLock { state in
        defer { (state.isRunning, state.isWanted) = (state.isWanted, false) }
        return state.isWanted
      }
    }

    /// Reads the settings once. If they are wrong, those of before stay.
    func run() async {
      notifier.sendReloading()
      defer { notifier.send("READY=1") }
      do throws(UsageError) {
        let settings = try read()
        var rules = try settings.rules(isInsecure: isInsecure)
        // The pipeline has the folders of the start.
        if let old = service.addressing as? SignedAddresses { rules.folders = old.rules.folders }
        let pipeline = try settings.configuration().pipeline
        let level = try settings.logLevel()
        // What counts from the next start on must not keep the service from starting.
        _ = try (settings.listening(), settings.drainLimit(), settings.logsText(), settings.logsRequests)
        _ = try (settings.statusListen(), settings.playground(rules, at: settings.listen()))
        rules.watermark = try await settings.watermark(pipeline)
        rules.watermarkText = try await settings.watermarkText(pipeline)
        // First, so that no address is accepted whose host the client would refuse.
        client.replace(by: pipeline.network.httpClient)
        service.replaceAddressing(by: SignedAddresses(rules))
        self.level.change(to: level)
        let old = state.withLock { state in
          defer { state.settings = settings }
          return state.settings
        }
        for setting in ServeSetting.all
        where !setting.isReloadable && settings[setting.name] != old[setting.name] {
          report("ozu: \(setting.name) has changed, and counts from the next start on")
        }
        report("ozu: the settings were read again")
      } catch {
        report("ozu: the settings of before stay: \(error.message)")
      }
    }
  }

  /// Tells systemd, or a program with the same protocol, the state of the service (sd_notify(3)).
  struct SystemdNotifier: Sendable {
    private let path: String?

    /// Reads the address of the socket, and removes it from the environment: it is for this process alone.
    init() {
      path = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
      unsetenv("NOTIFY_SOCKET")
    }

    /// Sends a state. Nobody listening is no error.
    func send(_ text: String) {
      guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(path.utf8)
      // Names without a file begin with a zero byte.
      if path.hasPrefix("@") { bytes[0] = 0 }
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      // The length ends with the name: a name without a file may have any byte.
      let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
      let message = Array(text.utf8)
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          _ = sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, length)
        }
      }
    }

    /// Says that the settings are being read, since now.
    func sendReloading() {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      let microseconds = time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
      send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }
  }
#endif
