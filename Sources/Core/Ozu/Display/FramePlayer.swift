/// Plays one animated picture. It makes one frame ahead, off the main actor, and returns it when its time has come.
///
/// The animation limits the memory of its frames (`PictureAnimation.byteBudget`); the player holds the current frame
/// and the next one.
@MainActor
final class FramePlayer {
  private let animation: PictureAnimation
  private var playback: AnimationPlayback
  private var ready: Frame?
  private var making: Task<Void, Never>?

  /// A frame, or the fact that it could not be made; the frame before it then stays for its time.
  private enum Frame {
    case made(Bitmap)
    case broken
  }

  init(_ animation: PictureAnimation) {
    self.animation = animation
    playback = AnimationPlayback(delays: animation.delays, loopCount: animation.loopCount)
  }

  deinit { making?.cancel() }

  /// The shortest time that a frame is shown.
  var shortestDelay: Duration { playback.shortestDelay }

  /// Whether the last frame of the last loop is shown.
  var isFinished: Bool { playback.next == nil }

  /// The frame to show from now on; nil if the current one stays.
  func advance(to now: Duration) -> Bitmap? {
    makeNext()
    guard playback.advance(to: now, isReady: ready != nil) else { return nil }
    let frame = ready
    ready = nil
    makeNext()
    guard case .made(let bitmap) = frame else { return nil }
    return bitmap
  }

  func pause() {
    playback.pause()
    making?.cancel()
    making = nil
  }

  private func makeNext() {
    guard ready == nil, making == nil, let next = playback.next else { return }
    making = Task { [weak self, animation] in
      let frame: Frame
      do throws(ImageDecodingError) {
        frame = .made(try await animation.frame(at: next))
      } catch {
        frame = .broken
      }
      if !Task.isCancelled { self?.take(frame) }
    }
  }

  private func take(_ frame: Frame) {
    making = nil
    ready = frame
  }
}

extension ImageBinding {
  /// The shortest time between two frames of the animation that is played; `nil` without one. A view need not draw more often.
  public var shortestFrameDelay: Duration? { player?.shortestDelay }

  /// How often the frame clock must tick; `nil` without an animation.
  package var frameRate: FrameRate? { shortestFrameDelay.map { FrameRate(shortestDelay: $0) } }

  func stopPlaying() {
    player = nil
    updateClock()
  }

  func updateClock() {
    let isNeeded = isVisible && !isPlaybackPaused && player.map { !$0.isFinished } ?? false
    guard isNeeded != isClockRunning else { return }
    isClockRunning = isNeeded
    view?.setFrameClock(isRunning: isNeeded)
  }
}

/// The clock of an animation: a value that receives the time and returns whether to show the next frame.
///
/// Times come from the toolkit's clock, from any starting point, and must not run backwards. After a pause the delay
/// of the current frame begins again, so that no frame is skipped.
struct AnimationPlayback {
  private let delays: [Duration]
  private let loopCount: Int
  private var due: Duration?
  private var round = 0

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
    guard now >= due, isReady else {
      // Set back, as the time of day may be, which is all that a view of SwiftUI knows.
      if due - now > delays[index] { self.due = now + delays[index] }
      return false
    }
    if next == 0 { round += 1 }
    index = next
    let following = due + delays[next]
    self.due = following > now ? following : now + delays[next]
    return true
  }

  /// Stops the clock until the next call of `advance`.
  mutating func pause() { due = nil }
}

/// How often the clock of a view must tick for an animation.
///
/// A clock ticks twice within the shortest delay between frames, so that a frame is shown at most half of its delay late. With
/// one tick a frame whose tick comes a moment too early would wait for the next, and the animation would run at half its speed.
/// More ticks than that take power for nothing.
package struct FrameRate: Hashable, Sendable {
  /// The ticks a second that the animation asks for: 10 to 120.
  package let preferred: Double
  /// The ticks a second below which frames come too late.
  package let minimum: Double

  /// - Parameter shortestDelay: the shortest time between two frames.
  package init(shortestDelay: Duration) {
    let perSecond = shortestDelay > .zero ? .seconds(1) / shortestDelay : Self.most
    preferred = min(max(Self.whole(2 * perSecond), Self.fewest), Self.most)
    minimum = min(max(Self.whole(perSecond), Self.fewest), preferred)
  }

  /// An excess this small is a rounding error of a division.
  private static func whole(_ ticks: Double) -> Double { (ticks - 1e-6).rounded(.up) }

  package var interval: Double { 1 / preferred }

  /// The rates of screens: 120 at most, and a screen with a variable rate goes down to 10.
  private static let most = 120.0
  private static let fewest = 10.0
}
