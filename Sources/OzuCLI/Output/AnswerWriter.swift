import Foundation
import OzuSynchronization

/// Writes lines whole, in the order in which they come, from a queue of its own: a reader that is slow holds up this
/// queue, and no thread that others need.
///
/// What comes within a millisecond of a write goes into the next one, unless somebody waits for nothing else: to wake the
/// queue and to write cost more than to make a line. Who writes waits only while too much is ahead of it. One lock guards
/// what waits.
final class AnswerWriter: Sendable {
  private struct State {
    var pending = Data()
    var isWriting = false
    /// Whether what is pending is to be written as soon as it can be.
    var isUrgent = false
    /// Those who wait until less is ahead of them, and `finish`.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Writers wait while more bytes than these are pending.
  private static let maximumPendingByteCount = 256 << 10
  /// How many bytes are written without waiting for more.
  private static let batchByteCount = 64 << 10

  private let console: Console
  private let queue = DispatchQueue(label: "ozu.cli.output")
  private let state = Mutex(State())

  init(console: Console) {
    self.console = console
  }

  /// Writes a line, soon.
  ///
  /// - Parameter isUrgent: whether it is to be written without waiting for others.
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
      // Who waits for each answer has the next one soon, and then nobody sleeps.
      let isDue = state.withLock { $0.isUrgent || $0.pending.count >= Self.batchByteCount }
      if !wasUrgent, !isDue { Thread.sleep(forTimeInterval: 0.001) }
    }
  }
}
