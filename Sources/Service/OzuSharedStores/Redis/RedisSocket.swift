import Glibc

/// A connection's socket. Its calls never block. The thread of the loop owns it and closes it once.
struct RedisSocket {
  let descriptor: Int32

  /// The result of a call.
  enum Outcome: Equatable {
    case done(Int)
    /// The call must be repeated when poll(2) reports the socket as ready.
    case wouldBlock
    case failed(Int32)
  }

  /// Starts to connect.
  ///
  /// - Returns: the socket, and whether it is connected already; `nil` with errno if that failed.
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
    // A Unix socket whose queue is full returns EAGAIN, and then does not connect.
    guard errno == EINPROGRESS else {
      let code = errno
      _ = Glibc.close(descriptor)
      errno = code
      return nil
    }
    return (RedisSocket(descriptor: descriptor), false)
  }

  /// Zero if the connection was made, otherwise the error number.
  var error: Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    outcome { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  /// Receives bytes; `.done(0)` if the server has closed its side.
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
