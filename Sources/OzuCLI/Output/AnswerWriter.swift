import Foundation
import OzuSynchronization

/// Writes lines whole, in the order in which they come, from a queue of its own: a reader that is slow holds up this
/// queue, and no thread that others need.
///
/// What has come while the queue wrote is written at once. Who writes waits only while too much is ahead of it. One lock
/// guards what waits.
final class AnswerWriter: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var isWriting = false
    /// Those who wait until less is ahead of them, and `finish`.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Writers wait while more bytes than these are pending.
  private static let maximumPendingByteCount = 1 << 20

  private let console: Console
  private let queue = DispatchQueue(label: "ozu.cli.output")
  private let state = Mutex(State())

  init(console: Console) {
    self.console = console
  }

  /// Writes a line, soon.
  func write(_ line: [UInt8]) async {
    let (isFirst, isFull) = state.withLock { state in
      state.pending.append(contentsOf: line)
      defer { state.isWriting = true }
      return (!state.isWriting, state.pending.count > Self.maximumPendingByteCount)
    }
    if isFirst { queue.async { self.drain() } }
    if isFull { await room() }
  }

  /// Returns when everything is written.
  func finish() async {
    while state.withLock({ $0.isWriting }) { await room() }
  }

  private func room() async {
    await withCheckedContinuation { continuation in
      let isWriting = state.withLock { state in
        if state.isWriting { state.waiters.append(continuation) }
        return state.isWriting
      }
      if !isWriting { continuation.resume() }
    }
  }

  private func drain() {
    while true {
      let (batch, waiters) = state.withLock { state in
        let batch = Data(state.pending)
        // Its room is used again, unless it was exceptionally large.
        state.pending.removeAll(keepingCapacity: batch.count <= Self.maximumPendingByteCount)
        state.isWriting = !batch.isEmpty
        defer { state.waiters = [] }
        return (batch, state.waiters)
      }
      for waiter in waiters { waiter.resume() }
      guard !batch.isEmpty else { return }
      console.writeData(batch)
    }
  }
}
