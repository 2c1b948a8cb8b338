import Foundation
import OzuSynchronization

/// The end of the process by Ctrl-C and its like, and by a closed pipe: the draft of a file is removed first, and a
/// terminal gets its mode back. After Ctrl-C and its like a pending message is written to standard error.
///
/// A signal handler may call little and wait for nobody but another thread. So a flag is the lock: those who have it
/// hold off the signals on their own thread, which means that the handler never waits for the thread it runs on. The
/// handler takes it and keeps it, so that no draft is begun after it has looked.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let isHeld = Atomic(false)
  private static let isEnding = Atomic(false)
  // Unsafe to the compiler alone: it is touched only by those who have `isHeld`.
  private nonisolated(unsafe) static var draftPath: UnsafeMutablePointer<CChar>?

  /// Lets the signals remove the draft before they end the process. Those that the process was started to ignore are
  /// ignored.
  static func install() {
    // Made now: a handler must not be the first to use them.
    _ = (isHeld.load(ordering: .relaxed), isEnding.load(ordering: .relaxed), draftPath, terminal)
    _ = (message, messageByteCount)
    for number in signals {
      var former = sigaction()
      sigaction(number, nil, &former)
      if isIgnored(former) { continue }
      signal(number) { Interruption.end(by: $0) }
    }
  }

  /// Says which file is to be removed when a signal ends the process; `nil` for none any more. For closures of
  /// `holdingOff` alone. Drafts are written one at a time.
  static func setDraft(_ path: String?) {
    free(draftPath)
    draftPath = path.flatMap { strdup($0) }
  }

  // As `draftPath`.
  private nonisolated(unsafe) static var terminal: (descriptor: Int32, mode: termios)?

  /// Says which terminal is to get which mode when a signal ends the process; `nil` for none any more. For closures of
  /// `holdingOff` alone.
  static func setTerminal(_ terminal: (descriptor: Int32, mode: termios)?) { self.terminal = terminal }

  // As `draftPath`.
  private nonisolated(unsafe) static var message: UnsafeMutableRawBufferPointer?
  private nonisolated(unsafe) static var messageByteCount = 0

  /// Adds to what is written to standard error when a signal ends the process.
  static func addToMessage(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      holdingOff {
        let count = messageByteCount + bytes.count
        if count > message?.count ?? 0 {
          let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count * 2, alignment: 1)
          if let message { larger.copyMemory(from: UnsafeRawBufferPointer(message)) }
          message?.deallocate()
          message = larger
        }
        message.map {
          UnsafeMutableRawBufferPointer(rebasing: $0[messageByteCount...]).copyBytes(from: bytes)
        }
        messageByteCount = count
      }
    }
  }

  /// Forgets the message, because it has been printed or is not true any more.
  static func clearMessage() {
    holdingOff { messageByteCount = 0 }
  }

  /// Writes the message, with calls that POSIX allows a signal handler. Ends early where nobody reads: a key that is meant
  /// to end the process must. For those who have `isHeld`.
  private static func writeMessage() {
    guard let start = message?.baseAddress else { return }
    // POSIX has pipes of at least this size, and they take so much at once when they can be written to.
    let atomicByteCount = 512
    var written = 0
    while written < messageByteCount {
      var target = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      guard poll(&target, 1, 100) == 1 else { return }
      let count = write(STDERR_FILENO, start + written, min(messageByteCount - written, atomicByteCount))
      if count <= 0 { return }
      written += count
    }
  }

  /// Cleans up, with calls that POSIX allows a signal handler. For those who have `isHeld`.
  private static func cleanUp() {
    if let path = draftPath { unlink(path) }
    if let terminal {
      var mode = terminal.mode
      tcsetattr(terminal.descriptor, TCSANOW, &mode)
    }
  }

  /// Runs a few system calls that a signal must find done or not begun.
  static func holdingOff<Value, Failure: Error>(
    _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var former = blockSignals()
    take()
    defer {
      isHeld.store(false, ordering: .releasing)
      pthread_sigmask(SIG_SETMASK, &former, nil)
    }
    return try work()
  }

  /// Blocks the signals on this thread, and returns what was blocked before.
  @discardableResult
  private static func blockSignals() -> sigset_t {
    var mask = sigset_t()
    var former = sigset_t()
    sigemptyset(&mask)
    for number in signals { sigaddset(&mask, number) }
    pthread_sigmask(SIG_BLOCK, &mask, &former)
    return former
  }

  private static func take() {
    while isHeld.exchange(true, ordering: .acquiring) { sched_yield() }
  }

  /// The handler. It calls what POSIX allows a handler to call, and no code that allocates or takes another lock.
  private static func end(by number: Int32) {
    // A second signal may interrupt the first one's handler, which goes on when this returns.
    if isEnding.exchange(true, ordering: .acquiringAndReleasing) { return }
    take()
    cleanUp()
    writeMessage()
    signal(number, SIG_DFL)
    // Delivered when the handler returns.
    raise(number)
  }

  /// Ends the process by `SIGPIPE`, as a write to a pipe without a reader ends others: the draft is removed, and nothing
  /// is printed.
  static func endForClosedOutput() -> Never {
    // Before `take`: a handler on this thread would wait for it.
    blockSignals()
    if isEnding.exchange(true, ordering: .acquiringAndReleasing) {
      // Another thread is ending the process.
      while true { pause() }
    }
    take()
    cleanUp()
    signal(SIGPIPE, SIG_DFL)
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGPIPE)
    // Threads of Dispatch have it blocked.
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
  }

  /// Ends the process as Ctrl-C does, for a key that a terminal made no signal of. Returns where that signal is ignored.
  static func interrupt() {
    var action = sigaction()
    sigaction(SIGINT, nil, &action)
    if isIgnored(action) { return }
    // To the process: threads of Dispatch block it.
    kill(getpid(), SIGINT)
    while true { pause() }
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }
}
