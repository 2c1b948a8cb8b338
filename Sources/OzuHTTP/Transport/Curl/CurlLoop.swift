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
  /// Any thread may `submit` and `stop`; both only append under the lock and wake the loop. The waker stands in the
  /// locked state so that nobody can use it after it is gone. The thread itself makes the multi handle: loading libcurl
  /// takes milliseconds, which no caller waits for and no lock is held.
  final class CurlLoop: Sendable {
    enum Command: Sendable {
      case start(CurlTransfer, CurlTransfer.Completion)
      case cancel(CurlTransfer)
      case resume(CurlTransfer)
      case prioritize(CurlTransfer)
    }

    private enum Phase {
      case unborn
      case running(LoopWaker)
      case stopping(LoopWaker)
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
          guard let waker = LoopWaker() else { return Self.failedStart("no descriptor is left") }
          state.phase = .running(waker)
          guard startThread(waker) else {
            state.phase = .unborn
            waker.close()
            return Self.failedStart("no thread can be started")
          }
          state.commands.append(command)
        case .running(let waker):
          state.commands.append(command)
          if state.isAsleep {
            state.isAsleep = false
            waker.wake()
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
        case .running(let waker):
          state.phase = .stopping(waker)
          waker.wake()
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

    private static func failedStart(_ message: String) -> HTTPError.Reason {
      .other(code: Int(CURLE_FAILED_INIT.rawValue), message: message)
    }

    private func startThread(_ waker: LoopWaker) -> Bool {
      LoopThread.start(named: "ozu.http") { [self] in
        let waiters: [CheckedContinuation<Void, Never>]
        do throws(CurlMulti.Unavailable) {
          run(try CurlMulti(configuration: configuration, waker: waker))
          waiters = end(.stopped).waiters
        } catch {
          waiters = failStart(error, waker)
        }
        for waiter in waiters { waiter.resume() }
      }
    }

    /// Answers what has been submitted with the reason why libcurl cannot be used. The next request tries again: it may be
    /// installed by then.
    private func failStart(
      _ error: CurlMulti.Unavailable, _ waker: LoopWaker
    ) -> [CheckedContinuation<Void, Never>] {
      let (commands, waiters) = end(.unborn)
      waker.close()
      for case .start(let transfer, let completion) in commands {
        completion.resume(
          returning: .failure(HTTPError(Self.failedStart(error.message), url: transfer.hop.url)))
      }
      return waiters
    }

    /// Leaves the phase of the thread for another one, or for `stopped` when that is asked for, and takes out what is in
    /// the inbox. Returns who waits for the end, if it is the end.
    private func end(_ phase: Phase) -> (commands: [Command], waiters: [CheckedContinuation<Void, Never>]) {
      state.withLock { state in
        if case .running = state.phase { state.phase = phase } else { state.phase = .stopped }
        let commands = state.commands
        state.commands = []
        guard case .stopped = state.phase else { return (commands, []) }
        let waiters = state.stopWaiters
        state.stopWaiters = []
        return (commands, waiters)
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
