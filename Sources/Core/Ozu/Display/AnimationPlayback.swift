/// The clock of an animation: a value that receives the time and returns whether to show the next frame.
///
/// Times come from the toolkit's clock, from any starting point, and must not run backwards. After a pause the delay
/// of the current frame begins again, so that no frame is skipped.
struct AnimationPlayback {
  private let delays: [Duration]
  private let loopCount: Int
  private var due: Duration?
  private var round = 0

  /// The current frame.
  private(set) var index = 0

  /// - Parameter loopCount: how often the animation is played; 0 for ever.
  init(delays: [Duration], loopCount: Int) {
    self.delays = delays.map(Self.seen)
    self.loopCount = loopCount
  }

  /// The delay that is used for a frame: a delay of up to 10 ms in a file means 100 ms.
  ///
  /// It is the rule of browsers, the same for every format: Firefox (`FrameTimeout::FromRawMilliseconds`), Chromium
  /// (`DeferredImageDecoder::FrameDurationAtIndex`), WebKit (`ImageDecoderCG::frameDurationAtIndex`).
  static func seen(_ delay: Duration) -> Duration {
    delay <= .milliseconds(10) ? .milliseconds(100) : delay
  }

  /// The shortest time that a frame is shown.
  var shortestDelay: Duration { delays.min() ?? .milliseconds(100) }

  /// The next frame; `nil` at the end of the last loop.
  var next: Int? {
    if index + 1 < delays.count { return index + 1 }
    return loopCount == 0 || round + 1 < loopCount ? 0 : nil
  }

  /// Goes to the next frame if its time has come and it is ready.
  ///
  /// A frame that is ready too late is shown late, and the following frames keep their distance to it. No frame is
  /// left out: each is painted over the one before, so it must be made in any case.
  ///
  /// - Returns: whether the frame at `index` must be shown now.
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

  /// Stops the clock until the next call of `advance`.
  mutating func pause() { due = nil }
}
