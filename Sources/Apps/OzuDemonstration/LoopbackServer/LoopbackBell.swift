#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A wake pipe: one thread waits for it together with a socket, and another thread rings.
///
/// Every owner may ring, so the descriptors are closed only when no thread can write to them any more.
final class LoopbackBell: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func ring() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Returns true when rung, false when the socket's peer has gone or the socket was shut down.
  func wait(orEndOf socket: LoopbackSocket) -> Bool {
    #if canImport(Darwin)
      let hangUp: Int16 = 0
    #else
      // POLLRDHUP, a GNU extension not visible from Swift.
      let hangUp: Int16 = 0x2000
    #endif
    var polled = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket.descriptor, events: hangUp, revents: 0),
    ]
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return polled[0].revents != 0
  }
}
