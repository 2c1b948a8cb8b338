import Glibc

/// A connection's socket. It never waits. The thread of the loop owns it, and closes it once.
struct RedisSocket {
  let descriptor: Int32

  /// What a call on a socket came to.
  enum Outcome: Equatable {
    case done(Int)
    /// Later, when poll(2) says so.
    case wouldBlock
    case failed(Int32)
  }

  /// Begins to connect.
  ///
  /// - Returns: the socket and whether it is connected already, or the system's error number.
  static func connecting(to address: RedisEndpoint) -> (socket: RedisSocket, isConnected: Bool)? {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { return nil }
    var on: Int32 = 1
    if address.family != AF_UNIX {
      _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      _ = setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    let status = address.withSocketAddress { connect(descriptor, $0, $1) }
    if status == 0 { return (RedisSocket(descriptor: descriptor), true) }
    // A Unix socket whose queue is full says EAGAIN, and is not being connected then.
    guard errno == EINPROGRESS else {
      let code = errno
      _ = Glibc.close(descriptor)
      errno = code
      return nil
    }
    return (RedisSocket(descriptor: descriptor), false)
  }

  /// Zero once the connection stands, or why it does not.
  var error: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    outcome { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  /// `.done(0)` when the server has closed its side.
  func receive(_ space: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome { recv(descriptor, space.baseAddress, space.count, 0) }
  }

  private func outcome(_ call: () -> Int) -> Outcome {
    while true {
      let count = call()
      if count >= 0 { return .done(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      case let code: return .failed(code)
      }
    }
  }

  func close() { _ = Glibc.close(descriptor) }
}
