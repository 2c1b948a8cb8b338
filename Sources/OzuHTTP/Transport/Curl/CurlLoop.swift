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
  /// Any thread may `submit` and `stop`; both only append under the lock and wake the loop. The thread itself makes the
  /// multi handle: loading libcurl takes milliseconds, which no caller waits for and no lock is held.
  final class CurlLoop: Sendable {
    enum Command: Sendable {
      case start(CurlTransfer, CurlTransfer.Completion)
      case cancel(CurlTransfer)
      case resume(CurlTransfer)
      case prioritize(CurlTransfer)
    }

    private struct State {
      var inbox = LoopInbox<Command>()
      /// Whether the thread is gone, or never was and never will be.
      var hasStopped = false
      var stopWaiters: [CheckedContinuation<Void, Never>] = []

      /// Returns who waits for the end.
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

    /// Puts a command into the inbox; the first one starts the thread. Returns why it was not taken, or nil.
    func submit(_ command: Command) -> HTTPError.Reason? {
      switch state.withLock({ $0.inbox.put(command, startThread: startThread) }) {
      case nil: nil
      case .noDescriptor: Self.failedStart("no descriptor is left")
      case .noThread: Self.failedStart("no thread can be started")
      case .ended: .cancelled
      }
    }

    /// Asks the thread to end. Returns at once; may be called again.
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

    /// Answers what has been submitted with the reason why libcurl cannot be used. The next request tries again: it may be
    /// installed by then.
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
          case .prioritize(let transfer): reactor.prioritize(transfer)
          }
        }
        if isStopping { break }
        let patience = reactor.turn()
        let mayRest = state.withLock { $0.inbox.mayRest() }
        reactor.wait(milliseconds: mayRest ? patience : 0)
      }
      reactor.cancelAll()
      state.withLock { $0.inbox.end() }
      reactor.close()
    }
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
#endif
