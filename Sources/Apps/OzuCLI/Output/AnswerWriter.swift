import Foundation
import OzuBase

/// Writes complete lines in their order, on a dispatch queue of its own: a slow reader delays this queue and no thread
/// that other work needs.
///
/// Lines that come within a millisecond after a write go into the next one, unless one of them is urgent: waking the
/// queue and writing take more time than making a line. `write` waits only while too many bytes are pending. One lock
/// guards the pending bytes.
final class AnswerWriter: Sendable {
  private struct State {
    var pending = Data()
    var isWriting = false
    /// Whether the pending bytes are written without a pause.
    var isUrgent = false
    /// Calls of `write` that wait for back-pressure to end, and `finish`.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// `write` waits while more bytes are pending.
  private static let maximumPendingByteCount = 256 << 10
  /// From this count on, pending bytes are written without a pause.
  private static let batchByteCount = 64 << 10

  private let console: Console
  private let queue = DispatchQueue(label: "ozu.cli.output")
  private let state = Mutex(State())

  init(console: Console) {
    self.console = console
  }

  /// Adds a line to the bytes that are written next.
  ///
  /// - Parameter isUrgent: whether to write it without waiting for more lines.
  func write(_ line: [UInt8], isUrgent: Bool) async {
    let (isFirst, isFull) = state.withLock { state in
      state.pending.append(contentsOf: line)
      state.isUrgent = state.isUrgent || isUrgent
      defer { state.isWriting = true }
      return (!state.isWriting, state.pending.count > Self.maximumPendingByteCount)
    }
    if isFirst { queue.async { self.drain() } }
    if isFull { await room() }
  }

  /// Returns when everything is written.
  func finish() async {
    while state.withLock({ state in
      state.isUrgent = true
      return state.isWriting
    }) { await room() }
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
    var capacity = 0
    while true {
      let (batch, wasUrgent, waiters) = state.withLock { state in
        let (batch, wasUrgent) = (state.pending, state.isUrgent)
        state.pending = Data(capacity: capacity)
        state.isWriting = !batch.isEmpty
        state.isUrgent = false
        defer { state.waiters = [] }
        return (batch, wasUrgent, state.waiters)
      }
      for waiter in waiters { waiter.resume() }
      guard !batch.isEmpty else { return }
      console.writeData(batch)
      capacity = min(batch.count, Self.maximumPendingByteCount)
      // No pause for urgent lines: their client sends the next request when it has the answer.
      let isDue = state.withLock { $0.isUrgent || $0.pending.count >= Self.batchByteCount }
      if !wasUrgent, !isDue { Thread.sleep(forTimeInterval: 0.001) }
    }
  }
}
