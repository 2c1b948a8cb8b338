import Foundation
import OzuBase

/// Reads lines from a descriptor. Each call returns all lines that have arrived: a client that waits for each answer is
/// served at once, and thousands of lines take few calls.
///
/// One lock guards the beginning of a line whose end has not arrived yet; the reader blocks under it.
final class LineReader: Sendable {
  private struct State {
    var rest = Data()
    var isAtEnd = false
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// The next lines without their ends, at least one; `nil` at the end. Blocks.
  func next() -> [String]? {
    state.withLock { state in
      while !state.isAtEnd {
        var chunk = Data(count: 64 << 10)
        let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        state.isAtEnd = count <= 0
        state.rest.append(chunk.prefix(max(0, count)))
        guard let end = state.rest.lastIndex(of: 0x0A) else { continue }
        let whole = state.rest[..<end]
        let lines = whole.split(separator: 0x0A, omittingEmptySubsequences: false).map(Self.text)
        state.rest = Data(state.rest[(end + 1)...])
        return lines
      }
      guard !state.rest.isEmpty else { return nil }
      defer { state.rest = Data() }
      return [Self.text(state.rest)]
    }
  }

  private static func text(_ line: Data) -> String {
    String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
  }
}
