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

  /// Pauses until the next call of `advance`.
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

/// Animations.
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
