#if os(Linux)
  import OzuBase

  /// A connection's socket. Its calls never block. The thread of the loop owns it and closes it once.
  package struct LoopSocket: Sendable {
    /// The result of a call.
    package enum Outcome: Equatable, Sendable {
      case done(Int)
      /// The call must be repeated when the loop reports the socket as ready.
      case wouldBlock
      case failed
    }

    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Receives the available bytes; `.done(0)` if the other side has closed.
    package func receive(_ space: UnsafeMutableRawBufferPointer) -> Outcome {
      outcome { recv(descriptor, space.baseAddress, space.count, 0) }
    }

    package func close() { _ = Glibc.close(descriptor) }

    /// The address of a socket in the file system; `nil` for a path that is too long or has a zero byte.
    package static func address(of path: String) -> sockaddr_un? {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      // The path ends with a zero byte.
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else { return nil }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      return address
    }

    /// The result of a system call. One that a signal has interrupted is made again.
    package func outcome(_ call: () -> Int) -> Outcome {
      while true {
        let count = call()
        if count >= 0 { return .done(count) }
        if errno == EINTR { continue }
        return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed
      }
    }
  }
#endif
