import Foundation
import OzuBase

/// A line on the terminal that shows how many of several loads are done. Without a terminal nothing is shown.
final class ProgressBar: Sendable {
  private struct State {
    var line: ProgressLine
    var fractions: [Int: Double] = [:]
    var lastDrawn: ContinuousClock.Instant?
  }

  private let state: Mutex<State>
  private let console: Console
  private let isShown: Bool
  private let start = ContinuousClock.now

  init(total: Int, console: Console, isShown: Bool = true) {
    state = Mutex(State(line: ProgressLine(total: total, width: console.width)))
    self.console = console
    self.isShown = isShown && console.errorIsTerminal
  }

  /// Updates the part of one load that has arrived, 0 to 1.
  func update(_ index: Int, fraction: Double) {
    guard isShown else { return }
    draw { $0.fractions[index] = fraction }
  }

  /// Counts one load as ended.
  func finish(_ index: Int, isFailure: Bool = false) {
    guard isShown else { return }
    draw(isForced: true) {
      $0.fractions[index] = nil
      $0.line.doneCount += 1
      if isFailure { $0.line.failureCount += 1 }
    }
  }

  /// Removes the line, so that something else can be printed in its place.
  func clear() {
    if isShown { console.writeError("\r\u{1B}[K") }
  }

  /// At most ten times a second.
  private func draw(isForced: Bool = false, _ change: (inout State) -> Void) {
    let text = state.withLock { state -> String? in
      change(&state)
      let now = ContinuousClock.now
      let isDue = state.lastDrawn.map { $0.duration(to: now) > .milliseconds(100) } ?? true
      guard isDue || isForced else { return nil }
      state.lastDrawn = now
      state.line.running = state.fractions.values.reduce(0, +)
      state.line.elapsed = start.duration(to: now)
      return state.line.text
    }
    if let text { console.writeError("\r\(text)\u{1B}[K") }
  }
}

struct ProgressLine {
  let total: Int
  /// Columns of the terminal.
  let width: Int
  var doneCount = 0
  var failureCount = 0
  /// The sum of the fractions of the loads that run.
  var running = 0.0
  var elapsed = Duration.zero

  /// No rate is shown before this time: an early estimate is wrong, and short work needs none.
  private static let shortestRatedTime = Duration.seconds(2)

  var text: String {
    let done = Double(doneCount) + running
    var note = " \(doneCount)/\(total)"
    if failureCount > 0 { note += ", \(failureCount) failed" }
    if elapsed >= Self.shortestRatedTime, doneCount > 0, doneCount < total {
      let seconds: Double = elapsed / .seconds(1)
      let rate = Double(doneCount) / seconds
      note +=
        ", \(Format.fixed(rate, rate < 10 ? 1 : 0))/s, \(Self.clock((Double(total) - done) / rate)) left"
    }
    let columns = max(4, min(40, width - note.count - 1))
    let filled = Int(clamping: Double(columns) * min(1, done / Double(max(1, total))))
    return String(repeating: "━", count: filled) + String(repeating: "╌", count: columns - filled) + note
  }

  /// `0:09`, `3:20`, `2:03:00`.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(clamping: min(seconds, 359_999), rounded: .up)
    let minutes = whole / 60
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return minutes < 60
      ? "\(minutes):\(two(whole % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(whole % 60))"
  }
}
