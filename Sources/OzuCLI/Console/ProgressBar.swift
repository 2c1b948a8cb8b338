import Foundation
import OzuSynchronization

/// A line on the terminal that shows how far a job of several loads is. Nothing without a terminal.
final class ProgressBar: Sendable {
  private struct State {
    var doneCount = 0
    var fractions: [Int: Double] = [:]
    var lastDrawn: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let total: Int
  private let console: Console

  init(total: Int, console: Console) {
    self.total = total
    self.console = console
  }

  /// How much of one load has arrived, 0 to 1.
  func update(_ index: Int, fraction: Double) {
    guard console.errorIsTerminal else { return }
    draw { $0.fractions[index] = fraction }
  }

  /// One load has ended.
  func finish(_ index: Int) {
    guard console.errorIsTerminal else { return }
    draw(isForced: true) {
      $0.fractions[index] = nil
      $0.doneCount += 1
    }
  }

  /// Removes the line, so that something else can be printed in its place.
  func clear() {
    if console.errorIsTerminal { console.writeError("\r\u{1B}[K") }
  }

  /// At most ten times a second.
  private func draw(isForced: Bool = false, _ change: (inout State) -> Void) {
    let text = state.withLock { state -> String? in
      change(&state)
      let now = ContinuousClock.now
      let isDue = state.lastDrawn.map { $0.duration(to: now) > .milliseconds(100) } ?? true
      guard isDue || isForced else { return nil }
      state.lastDrawn = now
      let fraction = (Double(state.doneCount) + state.fractions.values.reduce(0, +)) / Double(total)
      let width = max(10, min(40, console.width - 20))
      let filled = Int(Double(width) * min(1, fraction))
      let bar = String(repeating: "━", count: filled) + String(repeating: "╌", count: width - filled)
      return "\r\(bar) \(state.doneCount)/\(total)\u{1B}[K"
    }
    if let text { console.writeError(text) }
  }
}
