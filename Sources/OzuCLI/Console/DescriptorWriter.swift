import Foundation
import OzuSynchronization

/// Writes pieces whole, one after the other, to the descriptors of the process.
///
/// A pipe takes at most 4,096 bytes at once (PIPE_BUF); a longer piece is written in parts, between which another
/// thread's would come. One lock for all descriptors, because two of them may be the same pipe (`2>&1`).
final class DescriptorWriter: Sendable {
  /// The descriptors whose reader has gone away: nothing more is written to them.
  private let closed = Mutex<Set<Int32>>([])
  private let onClosed: @Sendable (Int32) -> Void

  /// - Parameter onClosed: Called with a descriptor when its reader has gone away.
  init(onClosed: @escaping @Sendable (Int32) -> Void = { _ in }) { self.onClosed = onClosed }

  /// Writes all the bytes. Blocks until the descriptor has taken them. Returns false when it cannot take them all.
  @discardableResult
  func write(_ data: Data, to descriptor: Int32) -> Bool {
    let failure = closed.withLock { closed -> Int32? in
      guard !closed.contains(descriptor) else { return EBADF }
      let failure = data.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
      if failure == EPIPE { closed.insert(descriptor) }
      return failure
    }
    if failure == EPIPE { onClosed(descriptor) }
    return failure == nil
  }

  // Returns the error that stopped it, or nil.
  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Who started us may have set the pipe not to block.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      default: return errno
      }
    }
    return nil
  }
}
