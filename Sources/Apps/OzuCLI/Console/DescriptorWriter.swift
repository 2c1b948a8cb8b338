import Foundation
import OzuBase

/// Writes to the descriptors of the process, one piece of data after the other.
///
/// A pipe takes at most 4,096 bytes at once (PIPE_BUF); a longer piece is written in parts, and parts of another thread
/// could come between them. There is one lock for all descriptors, because two of them may be the same pipe (`2>&1`).
final class DescriptorWriter: Sendable {
  /// The first error of each descriptor. When its reader has gone away (EPIPE), nothing more is written.
  private let failures = Mutex<[Int32: Int32]>([:])
  private let onClosed: @Sendable (Int32) -> Void

  /// - Parameter onClosed: Called with a descriptor when its reader has gone away.
  init(onClosed: @escaping @Sendable (Int32) -> Void = { _ in }) { self.onClosed = onClosed }

  /// Writes all the bytes. Blocks until the descriptor has taken them. Returns false when it cannot take them all.
  @discardableResult
  func write(_ data: Data, to descriptor: Int32) -> Bool {
    let failure = failures.withLock { failures -> Int32? in
      guard failures[descriptor] != EPIPE else { return EBADF }
      let failure = data.withUnsafeBytes { BlockingCalls.write($0, to: descriptor) }
      if let failure, failures[descriptor] == nil || failure == EPIPE { failures[descriptor] = failure }
      return failure
    }
    if failure == EPIPE { onClosed(descriptor) }
    return failure == nil
  }

  /// The number of the error that kept a descriptor from getting everything that was written; nil without an error, or when
  /// its reader has gone away.
  func failure(of descriptor: Int32) -> Int32? {
    let failure = failures.withLock { $0[descriptor] }
    return failure == EPIPE ? nil : failure
  }
}

/// Calls on descriptors that wait until they can be done, also where another process that has the same pipe or terminal open has
/// set it not to block.
enum BlockingCalls {
  /// Writes all the bytes. Returns the number of the error that stopped it, or nil.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if !isOver(descriptor, POLLOUT) {
        return errno
      }
    }
    return nil
  }

  /// Reads what has come. Returns 0 at the end, and less with `errno` after an error.
  static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || !isOver(descriptor, POLLIN) { return count }
    }
  }

  /// Reads to the end; `nil` if there are more bytes than a limit.
  static func readAll(_ descriptor: Int32, limit: Int) throws(SystemError) -> Data? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, into: $0) }
      guard count >= 0 else { throw SystemError(code: errno) }
      if count == 0 { return data }
      guard data.count + count <= limit else { return nil }
      data.append(contentsOf: buffer[..<count])
    }
  }

  /// Whether the reason why a call failed is over, after waiting for it.
  private static func isOver(_ descriptor: Int32, _ event: some BinaryInteger) -> Bool {
    guard errno == EAGAIN else { return errno == EINTR }
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = poll(&entry, 1, -1)
    return true
  }
}
