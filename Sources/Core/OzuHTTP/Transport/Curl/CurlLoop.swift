#if os(Linux)
  import CCurl
  import OzuBase

  /// The inbox and the thread of a `CurlClient`.
  ///
  /// Any thread may call `submit` and `stop`; they only append under the lock and wake the loop. The thread makes
  /// the multi handle itself: loading libcurl takes milliseconds, and no caller or lock should wait for that.
  final class CurlLoop: Sendable {
    enum Command: Sendable {
      case start(CurlTransfer, CurlTransfer.Completion)
      case cancel(CurlTransfer)
      case resume(CurlTransfer)
    }

    private struct State {
      var inbox = LoopInbox<Command>()
      /// Whether the thread has ended, or never started and never will.
      var hasStopped = false
      var stopWaiters: [CheckedContinuation<Void, Never>] = []

      /// Records the end, and returns the continuations that wait for it.
      mutating func stopped() -> [CheckedContinuation<Void, Never>] {
        hasStopped = true
        defer { stopWaiters = [] }
        return stopWaiters
      }
    }

    let counters = CurlCounters()
    let clock = CurlClock()
    private let configuration: HTTPClientConfiguration
    private let state = Mutex(State())

    init(configuration: HTTPClientConfiguration) {
      self.configuration = configuration
    }

    /// Puts a command into the inbox; the first command starts the thread. Returns the reason why it was refused,
    /// or nil.
    func submit(_ command: Command) -> HTTPError.Reason? {
      switch state.withLock({ $0.inbox.put(command, startThread: startThread) }) {
      case nil: nil
      case .noDescriptor: Self.failedStart("no descriptor is left")
      case .noThread: Self.failedStart("no thread can be started")
      case .ended: .cancelled
      }
    }

    /// Asks the thread to end. Returns at once; may be called more than once.
    func stop() {
      let waiters = state.withLock { state in
        let hadEnded = state.inbox.hasEnded
        state.inbox.stop()
        // There was no thread.
        return state.inbox.hasEnded && !hadEnded ? state.stopped() : []
      }
      for waiter in waiters { waiter.resume() }
    }

    /// Returns when the thread has ended.
    func stopped() async {
      await withCheckedContinuation { continuation in
        let isStopped = state.withLock { state in
          if !state.hasStopped { state.stopWaiters.append(continuation) }
          return state.hasStopped
        }
        if isStopped { continuation.resume() }
      }
    }

    private static func failedStart(_ message: String) -> HTTPError.Reason {
      .other(code: Int(CURLE_FAILED_INIT.rawValue), message: message)
    }

    private func startThread(_ waker: LoopWaker) -> Bool {
      LoopThread.start(named: "ozu.http") { [self] in
        do throws(CurlMulti.Unavailable) {
          run(try CurlMulti(configuration: configuration, waker: waker))
          for waiter in state.withLock({ $0.stopped() }) { waiter.resume() }
        } catch {
          failStart(error, waker)
        }
      }
    }

    /// Fails the submitted requests with the reason why libcurl cannot be used. The next request tries again,
    /// because libcurl may be installed by then.
    private func failStart(_ error: CurlMulti.Unavailable, _ waker: LoopWaker) {
      let (commands, waiters) = state.withLock { state in
        let commands = state.inbox.giveUp()
        return (commands, state.inbox.hasEnded ? state.stopped() : [])
      }
      waker.close()
      for case .start(let transfer, let completion) in commands {
        completion.resume(
          returning: .failure(HTTPError(Self.failedStart(error.message), url: transfer.hop.url)))
      }
      for waiter in waiters { waiter.resume() }
    }

    private func run(_ multi: CurlMulti) {
      let reactor = CurlReactor(
        multi: multi, configuration: configuration, counters: counters, clock: clock)
      while true {
        let (commands, isStopping) = state.withLock { $0.inbox.take() }
        if !commands.isEmpty { clock.tick() }
        for command in commands {
          switch command {
          case .start(let transfer, let completion): reactor.start(transfer, completion)
          case .cancel(let transfer): reactor.cancel(transfer)
          case .resume(let transfer): reactor.resume(transfer)
          }
        }
        if isStopping { break }
        let waitTime = reactor.turn()
        let mayRest = state.withLock { $0.inbox.mayRest() }
        reactor.wait(milliseconds: mayRest ? waitTime : 0)
      }
      reactor.cancelAll()
      state.withLock { $0.inbox.end() }
      reactor.close()
    }
  }

  /// The time when the loop's thread last read the clock, which it does before and after it runs libcurl.
  ///
  /// A response of five lines would otherwise read the clock eight times. The limits that use this time need not be
  /// more precise than a turn of the loop.
  ///
  /// Unchecked Sendable: only the loop's thread uses it.
  final class CurlClock: @unchecked Sendable {
    private(set) var now = ContinuousClock.now

    func tick() {
      now = ContinuousClock.now
    }
  }

  /// A libcurl multi handle: the connection pool and the running transfers. Only the loop's thread uses it.
  struct CurlMulti {
    /// The error that libcurl cannot be used.
    struct Unavailable: Error {
      /// The name of the missing library, or the message of libcurl.
      var message: String
    }

    let handle: UnsafeMutableRawPointer
    let waker: LoopWaker

    /// Makes a handle, and keeps the waker until `close`. The first call in a process loads libcurl, which takes
    /// milliseconds.
    init(configuration: HTTPClientConfiguration, waker: LoopWaker) throws(Unavailable) {
      var message = [CChar](repeating: 0, count: 256)
      guard ozu_curl_load(&message, message.count) else {
        let words = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        throw Unavailable(message: String(decoding: words, as: UTF8.self))
      }
      guard let handle = ozu_curl_multi_init() else { throw Unavailable(message: "out of memory") }
      self.handle = handle
      self.waker = waker
      let perHost = max(1, configuration.maximumConnectionsPerHost)
      _ = ozu_curl_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
      _ = ozu_curl_multi_set_long(
        handle, CURLMOPT_MAXCONNECTS, max(8, configuration.maximumConcurrentRequests))
    }

    /// Frees the handle and its connections.
    func close() {
      ozu_curl_multi_cleanup(handle)
      waker.close()
    }
  }
#endif
