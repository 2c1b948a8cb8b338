#if canImport(OzuServer)
  import Foundation
  import OzuServer

  /// The socket that systemd, or whatever speaks as it does, passes to a process that it starts (sd_listen_fds(3)).
  enum ActivatedSocket {
    /// The first descriptor that is passed.
    private static let first: Int32 = 3

    /// Takes the socket. The variables that announce it are removed: they mean this process, not those that it starts.
    ///
    /// - Throws: `ServiceListenerError` without exactly one.
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
