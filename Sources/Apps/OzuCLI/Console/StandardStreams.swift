import Foundation

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
