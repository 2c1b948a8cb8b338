import Foundation
import OzuBase

/// The end of the process by Ctrl-C, SIGTERM or SIGHUP, and by a closed pipe: the draft of a file is removed first, and a
/// terminal gets its mode back. For the three signals a pending message is written to standard error.
///
/// A signal handler may call few functions, and may wait only for other threads. So the lock is a flag. A thread that holds
/// it blocks the signals, so that the handler never waits for the thread on which it runs. The handler takes the flag
/// and keeps it, so that no draft is begun afterwards.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let isHeld = Atomic(false)
  private static let isEnding = Atomic(false)
  // Only a thread that has `isHeld` reads or writes it.
  private nonisolated(unsafe) static var draftPath: UnsafeMutablePointer<CChar>?

  /// Installs the handlers. Signals that the process was started to ignore stay ignored.
  static func install() {
    // Initialised now, because a handler must not be the first to use them.
    _ = (isHeld.load(ordering: .relaxed), isEnding.load(ordering: .relaxed), draftPath, terminal)
    _ = (message, messageByteCount)
    for number in signals {
      if isIgnored(number) { continue }
      signal(number) { Interruption.end(by: $0) }
    }
  }

  /// Sets the file that is removed when a signal ends the process; `nil` for no file. Call it only in closures of
  /// `holdingOff`. Drafts are written one at a time.
  static func setDraft(_ path: String?) {
    free(draftPath)
    draftPath = path.flatMap { strdup($0) }
  }

  // As `draftPath`.
  private nonisolated(unsafe) static var terminal: (descriptor: Int32, mode: termios)?

  /// Sets the terminal whose mode is restored when a signal ends the process; `nil` for no terminal. Call it only in
  /// closures of `holdingOff`.
  static func setTerminal(_ terminal: (descriptor: Int32, mode: termios)?) { self.terminal = terminal }

  // As `draftPath`.
  private nonisolated(unsafe) static var message: UnsafeMutableRawBufferPointer?
  private nonisolated(unsafe) static var messageByteCount = 0

  /// Adds to the message that is written to standard error when a signal ends the process.
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

  /// Writes the message, with calls that POSIX allows in a signal handler. Stops when no process reads the pipe, because Ctrl-C must
  /// end the process. The caller has `isHeld`.
  private static func writeMessage() {
    guard let start = message?.baseAddress else { return }
    // By POSIX, a pipe that can be written to takes at least this many bytes at once.
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

  /// Cleans up, with calls that POSIX allows a signal handler. The caller has `isHeld`.
  private static func cleanUp() {
    if let path = draftPath { unlink(path) }
    if let terminal {
      var mode = terminal.mode
      tcsetattr(terminal.descriptor, TCSANOW, &mode)
    }
  }

  /// Runs a few system calls that no signal may interrupt.
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

  /// The handler. It calls only functions that POSIX allows in a handler, and no code that allocates or takes another lock.
  private static func end(by number: Int32) {
    // A second signal may interrupt the first one's handler, which continues when this returns.
    if isEnding.exchange(true, ordering: .acquiringAndReleasing) { return }
    take()
    cleanUp()
    writeMessage()
    signal(number, SIG_DFL)
    // Delivered when the handler returns.
    raise(number)
  }

  /// Ends the process by `SIGPIPE`, as a write to a pipe without a reader would. The draft is removed, and nothing is
  /// printed.
  static func endForClosedOutput() -> Never {
    // Before `take`: a handler on this thread would wait for it.
    blockSignals()
    if isEnding.exchange(true, ordering: .acquiringAndReleasing) {
      // Another thread is ending the process.
      while true { pause() }
    }
    take()
    cleanUp()
    raiseUnhandled(SIGPIPE)
    _exit(128 + SIGPIPE)
  }

  /// Raises a signal without its handler. Threads of Dispatch have signals blocked.
  static func raiseUnhandled(_ number: Int32) {
    signal(number, SIG_DFL)
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, number)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    raise(number)
  }

  /// Ends the process as Ctrl-C does, when a terminal in raw mode made no signal of the key. Returns if the signal is
  /// ignored.
  static func interrupt() {
    if isIgnored(SIGINT) { return }
    // To the process: threads of Dispatch block it.
    kill(getpid(), SIGINT)
    while true { pause() }
  }

  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return isIgnored(action)
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
