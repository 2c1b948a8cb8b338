#if os(Linux)
  import CCurl
  import OzuBase

  /// The commands of other threads for the thread of an I/O loop, and whether that thread must be woken.
  ///
  /// It is a part of the loop's locked state: every call is made under its lock. It contains the waker, so that the
  /// waker cannot be used after it is closed.
  package struct LoopInbox<Command: Sendable>: Sendable {
    private enum Phase {
      case unborn
      case running(LoopWaker)
      case stopping(LoopWaker)
      case ended
    }

    /// The reason why a command was refused.
    package enum Refusal: Sendable, Hashable {
      case noDescriptor, noThread
      /// The loop has ended or is to end.
      case ended
    }

    private var phase = Phase.unborn
    private var commands: [Command] = []
    /// Whether the thread sleeps, or is about to, and must be woken. While it works it checks the inbox before it
    /// sleeps, so waking it would waste two system calls and a turn.
    private var isAsleep = false

    package init() {}

    /// Whether commands are refused, and the waker is no longer used.
    package var hasEnded: Bool {
      if case .ended = phase { return true }
      return false
    }

    /// Takes a command, and wakes the thread if it sleeps. The first command starts the thread.
    ///
    /// - Parameter startThread: returns whether a thread was started. The thread may begin before this returns, and
    ///   then waits for the lock.
    /// - Returns: the reason why the command was refused, or `nil`.
    package mutating func put(_ command: Command, startThread: (LoopWaker) -> Bool) -> Refusal? {
      switch phase {
      case .unborn:
        guard let waker = LoopWaker() else { return .noDescriptor }
        guard startThread(waker) else {
          waker.close()
          return .noThread
        }
        phase = .running(waker)
        commands.append(command)
      case .running(let waker):
        commands.append(command)
        if isAsleep {
          isAsleep = false
          waker.wake()
        }
      case .stopping, .ended: return .ended
      }
      return nil
    }

    /// Asks the thread to end. If there is no thread, the loop ends at once.
    package mutating func stop() {
      switch phase {
      case .unborn: phase = .ended
      case .running(let waker):
        phase = .stopping(waker)
        waker.wake()
      case .stopping, .ended: break
      }
    }

    /// Returns the commands since the last call, and whether the thread is to end. Called by the thread when it is
    /// awake.
    package mutating func take() -> (commands: [Command], isStopping: Bool) {
      isAsleep = false
      defer { commands = [] }
      guard case .stopping = phase else { return (commands, false) }
      return (commands, true)
    }

    /// Whether the thread may sleep, because there are no commands. From then on it is woken. Called by the thread.
    package mutating func mayRest() -> Bool {
      guard commands.isEmpty, case .running = phase else { return false }
      isAsleep = true
      return true
    }

    /// Ends the loop; then the thread may close its waker.
    package mutating func end() {
      phase = .ended
    }

    /// Ends a thread that could not begin its work. The next command starts another one, unless the loop was to
    /// end. Then the thread may close its waker.
    ///
    /// - Returns: the commands in the inbox.
    package mutating func giveUp() -> [Command] {
      if case .running = phase { phase = .unborn } else { phase = .ended }
      defer { commands = [] }
      return commands
    }
  }

  /// Wakes the thread of an I/O loop: a descriptor that becomes readable.
  ///
  /// Any thread that holds the loop's lock may use it, because the descriptor is open under the lock.
  package struct LoopWaker: Sendable {
    /// The descriptor, which is readable after the thread was woken.
    package let descriptor: Int32

    /// Nil if no descriptor is available.
    package init?() {
      descriptor = ozu_eventfd()
      guard descriptor >= 0 else { return nil }
    }

    /// Ends the current or the next wait of the loop's thread.
    package func wake() {
      ozu_eventfd_signal(descriptor)
    }

    /// Clears the signal, so that the thread can wait again. Called only by the thread.
    package static func clear(_ descriptor: Int32) {
      ozu_eventfd_clear(descriptor)
    }

    package func close() {
      ozu_eventfd_close(descriptor)
    }
  }

  package enum LoopThread {
    /// Runs the closure on a new detached thread. Returns false if the system cannot make one.
    ///
    /// - Parameter name: the name in debuggers and top(1), at most 15 characters.
    package static func start(named name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
      DetachedThread.start {
        // With CURLOPT_NOSIGNAL libcurl does not handle SIGPIPE, and a TLS library that writes to a closed
        // connection would end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        ozu_curl_name_thread(name)
        run()
      }
    }
  }
#endif
