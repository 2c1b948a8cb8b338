#if os(Linux)
  import CCurl
  import OzuSynchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The inbox and the thread of a `CurlClient`.
  ///
  /// Any thread may `submit` and `stop`; both only append under the lock and wake the loop. The multi handle
  /// stands in the locked state so that nobody can wake it after it is gone.
  final class CurlLoop: Sendable {
    enum Command: Sendable {
      case start(CurlTransfer, CurlTransfer.Completion)
      case cancel(CurlTransfer)
      case resume(CurlTransfer)
      case prioritize(CurlTransfer)
    }

    private enum Phase {
      case unborn
      case running(CurlMulti)
      case stopping(CurlMulti)
      case cleaning
      case stopped
    }

    private struct State {
      var phase = Phase.unborn
      var commands: [Command] = []
      /// Whether the thread sleeps, or is about to, and has to be woken. While it works it looks into the inbox
      /// before it sleeps, and waking it would cost two system calls and a turn for nothing.
      var isAsleep = false
      var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let counters = CurlCounters()
    let clock = CurlClock()
    private let configuration: HTTPClientConfiguration
    private let state = Mutex(State())

    init(configuration: HTTPClientConfiguration) {
      self.configuration = configuration
    }

    /// Puts a command into the inbox; the first one starts the thread. Returns why it was not taken, or nil.
    func submit(_ command: Command) -> HTTPError.Reason? {
      state.withLock { state in
        switch state.phase {
        case .unborn:
          guard let multi = CurlMulti(configuration: configuration) else {
            return .other(code: Int(CURLE_FAILED_INIT.rawValue), message: "libcurl cannot start")
          }
          state.phase = .running(multi)
          guard startThread(multi) else {
            state.phase = .unborn
            multi.close()
            return .other(code: Int(CURLE_FAILED_INIT.rawValue), message: "no thread can be started")
          }
          state.commands.append(command)
        case .running(let multi):
          state.commands.append(command)
          if state.isAsleep {
            state.isAsleep = false
            multi.wake()
          }
        case .stopping, .cleaning, .stopped:
          return .cancelled
        }
        return nil
      }
    }

    /// Asks the thread to end. Returns at once; may be called again.
    func stop() {
      state.withLock { state in
        switch state.phase {
        case .unborn:
          state.phase = .stopped
        case .running(let multi):
          state.phase = .stopping(multi)
          multi.wake()
        case .stopping, .cleaning, .stopped:
          break
        }
      }
    }

    /// Returns when the thread has ended.
    func stopped() async {
      await withCheckedContinuation { continuation in
        let isStopped = state.withLock { state in
          if case .stopped = state.phase { return true }
          state.stopWaiters.append(continuation)
          return false
        }
        if isStopped { continuation.resume() }
      }
    }

    private func startThread(_ multi: CurlMulti) -> Bool {
      CurlThread.start { [self] in
        run(multi)
        let waiters = state.withLock { state in
          state.phase = .stopped
          let waiters = state.stopWaiters
          state.stopWaiters = []
          return waiters
        }
        for waiter in waiters { waiter.resume() }
      }
    }

    private func run(_ multi: CurlMulti) {
      let reactor = CurlReactor(
        multi: multi, configuration: configuration, counters: counters, clock: clock)
      while true {
        let (commands, isStopping) = state.withLock { state in
          let commands = state.commands
          state.commands = []
          state.isAsleep = false
          if case .stopping = state.phase { return (commands, true) }
          return (commands, false)
        }
        if !commands.isEmpty { clock.tick() }
        for command in commands {
          switch command {
          case .start(let transfer, let completion): reactor.start(transfer, completion)
          case .cancel(let transfer): reactor.cancel(transfer)
          case .resume(let transfer): reactor.resume(transfer)
          case .prioritize(let transfer): reactor.prioritize(transfer)
          }
        }
        if isStopping { break }
        let patience = reactor.turn()
        let mayRest = state.withLock { state in
          guard state.commands.isEmpty, case .running = state.phase else { return false }
          state.isAsleep = true
          return true
        }
        reactor.wait(milliseconds: mayRest ? patience : 0)
      }
      reactor.cancelAll()
      state.withLock { $0.phase = .cleaning }
      reactor.close()
    }
  }

  /// A libcurl multi handle: the connection pool and the transfers in progress.
  ///
  /// Unchecked because the handle is a pointer, which only the loop's thread uses. `wake` may be called by any thread that
  /// holds the loop's lock: under it the descriptor is known to be open.
  struct CurlMulti: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    /// Readable once the thread has been woken.
    let wakeDescriptor: Int32

    /// Nil when libcurl cannot get what it needs, such as a descriptor.
    init?(configuration: HTTPClientConfiguration) {
      guard CurlMulti.isLibraryReady, let handle = curl_multi_init() else { return nil }
      let descriptor = ozu_eventfd()
      guard descriptor >= 0 else {
        curl_multi_cleanup(handle)
        return nil
      }
      self.handle = handle
      wakeDescriptor = descriptor
      let perHost = max(1, configuration.maximumConnectionsPerHost)
      _ = ozu_curl_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
      _ = ozu_curl_multi_set_long(
        handle, CURLMOPT_MAXCONNECTS, max(8, configuration.maximumConcurrentRequests))
    }

    /// Ends the wait of the loop's thread, or the next one.
    func wake() {
      ozu_eventfd_signal(wakeDescriptor)
    }

    /// Frees the handle and its connections.
    func close() {
      curl_multi_cleanup(handle)
      ozu_eventfd_close(wakeDescriptor)
    }

    /// libcurl is set up once per process and stays.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }

  /// The time as the loop's thread last looked at it, which it does before and after it drives libcurl.
  ///
  /// A response of five lines would ask the system for it eight times. The limits that are told by it are no finer than
  /// a turn of the loop.
  ///
  /// Unchecked Sendable: only the loop's thread touches it.
  final class CurlClock: @unchecked Sendable {
    private(set) var now = ContinuousClock.now

    func tick() {
      now = ContinuousClock.now
    }
  }

  /// Starts the thread of a loop.
  enum CurlThread {
    private final class Body: Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs the closure on a new detached thread. Returns false when the system has none left.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
      let body = Unmanaged.passRetained(Body(run))
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
          // With CURLOPT_NOSIGNAL libcurl leaves SIGPIPE alone, and a TLS library that writes to a closed
          // connection would end the process.
          var signals = sigset_t()
          sigemptyset(&signals)
          sigaddset(&signals, SIGPIPE)
          pthread_sigmask(SIG_BLOCK, &signals, nil)
          ozu_curl_name_thread("ozu.http")
          body.run()
          return nil
        }, body.toOpaque())
      guard status == 0 else {
        body.release()
        return false
      }
      pthread_detach(thread)
      return true
    }
  }
#endif
