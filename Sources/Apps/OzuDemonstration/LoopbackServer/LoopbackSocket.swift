import OzuBase

/// The POSIX calls of the loopback server, with their platform differences.
///
/// It owns the descriptor: its last user must call `close` once.
struct LoopbackSocket: Sendable {
  let descriptor: Int32

  private static var streamKind: Int32 {
    #if canImport(Glibc)
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #elseif canImport(Musl)
      SOCK_STREAM | SOCK_CLOEXEC
    #else
      SOCK_STREAM
    #endif
  }

  /// A socket that listens on ::1 at a free port, or nil when the system has none.
  static func listening6() -> (socket: LoopbackSocket, port: Int)? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    guard let listener = listening(AF_INET6, &address) else { return nil }
    return (listener, Int(UInt16(bigEndian: address.sin6_port)))
  }

  /// A socket that listens on 127.0.0.1 at a free port, or nil when the system has none.
  static func listening() -> (socket: LoopbackSocket, port: Int)? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    guard let listener = listening(AF_INET, &address) else { return nil }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// A socket that listens at an address, which gets its port.
  private static func listening<Address>(_ family: Int32, _ address: inout Address) -> LoopbackSocket? {
    let descriptor = socket(family, streamKind, 0)
    guard descriptor >= 0 else { return nil }
    let listener = LoopbackSocket(descriptor: descriptor)
    var length = socklen_t(MemoryLayout<Address>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 && listen(descriptor, 1024) == 0
          && getsockname(descriptor, generic, &length) == 0
      }
    }
    guard isBound else {
      listener.close()
      return nil
    }
    return listener
  }

  /// The next connection; nil when the listener is shut down.
  func accept() -> LoopbackSocket? {
    while true {
      let accepted = systemAccept()
      if accepted >= 0 {
        let connection = LoopbackSocket(descriptor: accepted)
        connection.setOption(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
          connection.setOption(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        return connection
      }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  private func systemAccept() -> Int32 {
    #if canImport(Darwin)
      let accepted = Darwin.accept(descriptor, nil, nil)
    #elseif canImport(Glibc)
      let accepted = Glibc.accept(descriptor, nil, nil)
    #else
      let accepted = Musl.accept(descriptor, nil, nil)
    #endif
    // A process that is forked before this call inherits the descriptor. accept4 would prevent that, but Swift cannot
    // call it.
    if accepted >= 0 { _ = fcntl(accepted, F_SETFD, FD_CLOEXEC) }
    return accepted
  }

  /// Appends what has arrived, waiting for the first byte. False when the peer has closed.
  func receive(into buffer: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 << 10) { space in
      while true {
        let count = recv(descriptor, space.baseAddress, space.count, 0)
        if count > 0 {
          buffer.append(contentsOf: space[..<count])
          return true
        }
        guard count < 0, errno == EINTR else { return false }
      }
    }
  }

  /// Sends all bytes. Returns the number that was sent; a smaller number means that the connection is gone.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
      let count = systemSend(rest, flags)
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        break
      }
    }
    return sent
  }

  private func systemSend(_ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    #if canImport(Darwin)
      Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #elseif canImport(Glibc)
      Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #else
      Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #endif
  }

  /// Wakes the threads that wait for the socket. The descriptor stays allocated until `close`.
  func shutDown() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Makes `close` reset the connection instead of ending it in order.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  func close() {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Musl.close(descriptor)
    #endif
  }

  private func setOption(_ level: Int32, _ name: Int32) {
    var on: Int32 = 1
    _ = setsockopt(descriptor, level, name, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}
