/// Turns the durations of frames into whole units of a format, so that their sum does not drift: what rounding adds to one
/// frame is taken from the next.
package struct FrameClock {
  /// The unit of the format.
  private let unit: Duration
  /// The fewest units that players show as they are. Browsers show shorter frames for 100 ms; so a frame that has as many
  /// by itself keeps them, whatever its predecessors owe.
  private let playableCount: Int
  /// The most units that the format can say.
  private let limit: Int
  /// What is owed to the frames so far, in units; between -0.5 and 0.5.
  private var owed = 0.0

  /// A clock of so many units for a frame at most.
  package init(unit: Duration, playableCount: Int, limit: Int) {
    (self.unit, self.playableCount, self.limit) = (unit, playableCount, limit)
  }

  /// A duration as frames may have it: not below zero, and so short that sums of millions can be made.
  package static func clamped(_ duration: Duration) -> Duration {
    min(max(.zero, duration), AnimationTrack.longestDelay)
  }

  /// Whether the format can say a duration.
  package func holds(_ duration: Duration) -> Bool { duration / unit + 0.5 < Double(limit) }

  /// The units of the next frame. Zero stays zero.
  package mutating func count(of duration: Duration) -> Int {
    guard duration > .zero else { return 0 }
    let wanted = duration / unit
    guard holds(duration) else {
      owed = 0
      return limit
    }
    let exact = wanted + owed
    let count = max(0, Int(exact.rounded()))
    let shortest = min(playableCount, Int(wanted.rounded()))
    if count < shortest {
      owed = 0
      return shortest
    }
    owed = exact - Double(count)
    return count
  }
}
