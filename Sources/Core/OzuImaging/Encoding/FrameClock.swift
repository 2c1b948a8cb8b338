/// Converts the durations of frames into whole units of a format, so that their sum does not drift: the rounding
/// error of one frame is carried over to the next.
package struct FrameClock {
  /// The unit of the format.
  private let unit: Duration
  /// The least number of units that players show as stored. Browsers show shorter frames for 100 ms, so a frame
  /// that is longer than those has this many units at least, however it is rounded.
  private let playableCount: Int
  /// The most units that the format can store.
  private let limit: Int
  /// The rounding error of the frames so far, in units; between -0.5 and 0.5.
  private var owed = 0.0

  /// A clock with at most `limit` units for a frame.
  package init(unit: Duration, playableCount: Int, limit: Int) {
    (self.unit, self.playableCount, self.limit) = (unit, playableCount, limit)
  }

  /// A duration limited to the range of frames: not negative, and so short that millions of them can be added.
  package static func clamped(_ duration: Duration) -> Duration {
    min(max(.zero, duration), AnimationTrack.longestDelay)
  }

  /// Whether the format can store a duration.
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
    let shortest = wanted > Double(playableCount - 1) ? playableCount : Int(wanted.rounded())
    if count < shortest {
      owed = 0
      return shortest
    }
    owed = exact - Double(count)
    return count
  }
}
