/// Which frame of an animation is seen when: a value that is told the time and tells whether to go on.
///
/// Time is whatever the toolkit's clock says, in any unit that does not run backwards. After a pause the frame that
/// is shown begins its delay anew, so that nothing is skipped that was not seen.
struct AnimationPlayback {
  private let delays: [Duration]
  private let loopCount: Int
  private var due: Duration?
  private var round = 0

  /// The frame that is shown.
  private(set) var index = 0

  /// - Parameter loopCount: how often it is played; 0 for ever.
  init(delays: [Duration], loopCount: Int) {
    self.delays = delays.map(Self.seen)
    self.loopCount = loopCount
  }

  /// How long a frame is really seen: files that say less than 20 ms mean 100 ms, as browsers have it.
  static func seen(_ delay: Duration) -> Duration {
    delay < .milliseconds(20) ? .milliseconds(100) : delay
  }

  /// The frame that comes next; `nil` at the end of the last round.
  var next: Int? {
    if index + 1 < delays.count { return index + 1 }
    return loopCount == 0 || round + 1 < loopCount ? 0 : nil
  }

  /// Goes to the next frame if its time has come and it is ready.
  ///
  /// A frame that is ready too late is shown late, and the following ones keep their distance to it: no frame is
  /// left out, because each is painted over the one before and would have to be made all the same.
  ///
  /// - Returns: whether the frame at `index` is to be shown now.
  mutating func advance(to now: Duration, isReady: Bool) -> Bool {
    guard let next else { return false }
    guard let due else {
      self.due = now + delays[index]
      return false
    }
    guard now >= due, isReady else { return false }
    if next == 0 { round += 1 }
    index = next
    let following = due + delays[next]
    self.due = following > now ? following : now + delays[next]
    return true
  }

  /// Forgets the time, until it is told again.
  mutating func pause() { due = nil }
}
