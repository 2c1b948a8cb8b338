#if os(Linux)
  /// What other threads leave for the thread of an I/O loop, and whether it has to be woken for that.
  ///
  /// For the loop's locked state: every call is made under its lock. The waker stands in here so that nobody can use it
  /// after it is gone.
  package struct LoopInbox<Command: Sendable>: Sendable {
    private enum Phase {
      case unborn
      case running(LoopWaker)
      case stopping(LoopWaker)
      case ended
    }

    /// Why a command was not taken.
    package enum Refusal: Sendable, Hashable {
      case noDescriptor, noThread
      /// It is to stop, or has.
      case ended
    }

    private var phase = Phase.unborn
    private var commands: [Command] = []
    /// Whether the thread sleeps, or is about to, and has to be woken. While it works it looks in here before it sleeps,
    /// and waking it would cost two system calls and a turn for nothing.
    private var isAsleep = false

    package init() {}

    /// Whether commands are refused, and the waker is no longer used.
    package var hasEnded: Bool {
      if case .ended = phase { return true }
      return false
    }

    /// Takes a command, and wakes the thread if it sleeps. The first one starts it.
    ///
    /// - Parameter startThread: says whether a thread was started. It may begin before this returns, and finds the lock
    ///   taken.
    /// - Returns: why it was not taken, or `nil`.
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

    /// Asks the thread to end; without one this is the end.
    package mutating func stop() {
      switch phase {
      case .unborn: phase = .ended
      case .running(let waker):
        phase = .stopping(waker)
        waker.wake()
      case .stopping, .ended: break
      }
    }

    /// What was left since the last time, and whether the thread is to end. For the thread, when it is awake.
    package mutating func take() -> (commands: [Command], isStopping: Bool) {
      isAsleep = false
      defer { commands = [] }
      guard case .stopping = phase else { return (commands, false) }
      return (commands, true)
    }

    /// Whether the thread may sleep: nothing was left for it meanwhile. From then on it is woken. For the thread.
    package mutating func mayRest() -> Bool {
      guard commands.isEmpty, case .running = phase else { return false }
      isAsleep = true
      return true
    }

    /// Ends; then the thread may close its waker.
    package mutating func end() {
      phase = .ended
    }

    /// Ends for a thread that could not begin its work: the next command starts another, unless it was to stop. Then the
    /// thread may close its waker.
    ///
    /// - Returns: what was left for it.
    package mutating func giveUp() -> [Command] {
      if case .running = phase { phase = .unborn } else { phase = .ended }
      defer { commands = [] }
      return commands
    }
  }
#endif
