#if canImport(OzuServer)
  import Foundation
  import OzuServer

  /// The socket that systemd, or a program with the same protocol, passes to a process that it starts (sd_listen_fds(3)).
  enum ActivatedSocket {
    /// The first descriptor that is passed.
    private static let first: Int32 = 3

    /// Takes the socket. Removes the variables that announce it: they are for this process, not for its child processes.
    ///
    /// - Throws: `ServiceListenerError` unless there is exactly one socket.
    static func take() throws(ServiceListenerError) -> Int32 {
      let environment = ProcessInfo.processInfo.environment
      let isForThisProcess = environment["LISTEN_PID"].flatMap(Int32.init) == getpid()
      let count = environment["LISTEN_FDS"].flatMap(Int.init)
      for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
      guard isForThisProcess, let count, count > 0 else {
        throw ServiceListenerError(operation: "find a socket of", address: "systemd", code: ENOENT)
      }
      guard count == 1 else {
        throw ServiceListenerError(
          operation: "choose among \(count) sockets of", address: "systemd", code: E2BIG)
      }
      return first
    }
  }
#endif
