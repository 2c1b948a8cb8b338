import CListener
import Glibc

/// A connection's socket. Its calls never block. The loop's thread owns it and closes it once.
struct ListenerSocket {
  let descriptor: Int32

  /// The result of a call.
  enum Outcome: Equatable {
    case done(Int)
    /// The call must be repeated when the loop reports the socket as ready.
    case wouldBlock
    case failed
  }

  /// Sends as many bytes of two pieces as the socket accepts, with one call, because each call may make a packet.
  func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
    outcome {
      // `sendmsg` only reads the pieces, although the pointers in `iovec` are mutable. The list is valid only
      // during the call.
      withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces in
        for (index, piece) in [first, second].enumerated() {
          pieces.initializeElement(
            at: index,
            to: iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count))
        }
        var message = msghdr()
        message.msg_iov = pieces.baseAddress
        message.msg_iovlen = pieces.count
        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Receives the available bytes; `.done(0)` if the client has closed its side.
  func receive(_ space: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome { recv(descriptor, space.baseAddress, space.count, 0) }
  }

  /// Closes the sending side.
  func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  func close() { _ = Glibc.close(descriptor) }

  /// Sends answers at once, without waiting for more bytes.
  func setOptions() {
    var on: Int32 = 1
    // Has no effect on other sockets than TCP.
    _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private func outcome(_ call: () -> Int) -> Outcome {
    while true {
      let count = call()
      if count >= 0 { return .done(count) }
      if errno == EINTR { continue }
      return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed
    }
  }
}

extension ListenerSocket {
  /// The address of the client; `nil` if it has none.
  var remoteAddress: String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // The system writes at most `length` bytes, and the family that it writes decides how they are read.
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard getpeername(descriptor, generic, &length) == 0,
          generic.pointee.sa_family != sa_family_t(AF_UNIX)
        else { return nil }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(generic, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
          return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }
}
