import Foundation

/// The line that a crash of `ozu` leaves: a trap of Swift, a wrong access to memory, an `abort` of a C library.
///
/// The runtime of Swift prints a backtrace by itself, if it finds the program for that. It takes seconds for each crash,
/// prints the sources of others, and means nothing to most users. So it is left to those who ask for it with
/// `SWIFT_BACKTRACE`.
enum CrashMessage {
  /// The line, with its end.
  static let text =
    "ozu: crashed, which is a fault of ozu. Please report it with the output of the same command under "
    + "SWIFT_BACKTRACE=enable=yes\n"

  // Written once by `install`, before there is a second thread.
  private nonisolated(unsafe) static var line = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Installs the handler, in place of that of the runtime; does nothing if `SWIFT_BACKTRACE` is set.
  ///
  /// Stacks that are used up have no room for the handler. Then the process ends without the line.
  static func install() {
    if getenv("SWIFT_BACKTRACE") != nil { return }
    line = .allocate(byteCount: text.utf8.count, alignment: 1)
    line.copyBytes(from: text.utf8)
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      signal(number) { CrashMessage.end(by: $0) }
    }
  }

  /// The handler. It calls only functions that POSIX allows in a handler. Several threads may be in it.
  private static func end(by number: Int32) {
    _ = write(STDERR_FILENO, line.baseAddress, line.count)
    signal(number, SIG_DFL)
    // Delivered when the handler returns. A signal that an instruction made comes again with the instruction.
    raise(number)
  }
}

/// The descriptors of standard input, output and error.
enum StandardStreams {
  /// Opens `/dev/null` for each of the three that the process was started without. Otherwise the next files that are opened
  /// get these numbers, and reports go into them: into the disk cache, for example.
  ///
  /// Each is opened for the opposite direction, so that reading and writing still fail as on a closed descriptor. Call it
  /// before anything else opens a file.
  static func openClosed() {
    let wanted = [STDIN_FILENO: O_WRONLY, STDOUT_FILENO: O_RDONLY, STDERR_FILENO: O_RDONLY]
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 {
      // The system gives the lowest free number, which is this one.
      _ = open("/dev/null", wanted[descriptor] ?? O_RDONLY)
    }
  }
}
