import CListener
import Glibc

/// A connection's socket. It never waits. The thread of the loop owns it, and closes it once.
struct ListenerSocket {
  let descriptor: Int32

  /// What a call came to.
  enum Outcome: Equatable {
    case done(Int)
    /// Later, when the loop says so.
    case wouldBlock
    case failed
  }

  /// Sends what is accepted at once of two pieces, one behind the other: in one call, because each makes a packet.
  func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
    outcome {
      // `sendmsg` only reads the pieces, though `iovec` has pointers that could be written through; nothing of the list
      // outlives the call.
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

  /// Receives what is there; `.done(0)` when the client sends no more.
  func receive(_ space: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome { recv(descriptor, space.baseAddress, space.count, 0) }
  }

  /// Says that no more is sent.
  func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  func close() { _ = Glibc.close(descriptor) }

  /// Answers go out at once, not when there is more of them.
  func setOptions() {
    var on: Int32 = 1
    // Without effect on what is no TCP.
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
  /// The address of the client; `nil` where it has none.
  var remoteAddress: String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // The system writes at most `length` bytes, and reads the address by the family that it wrote.
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
