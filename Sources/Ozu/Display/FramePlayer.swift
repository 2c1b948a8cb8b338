/// Plays one animated picture: keeps one frame made ahead, off the main actor, and hands it out when its time has
/// come.
///
/// How much memory the frames may take is the animation's own affair (`PictureAnimation.byteBudget`); the player
/// holds the frame that is shown and the one that comes.
@MainActor
final class FramePlayer {
  private let animation: PictureAnimation
  private var playback: AnimationPlayback
  private var ready: Frame?
  private var making: Task<Void, Never>?

  /// A frame that was made, or could not be: then its time passes with the one before it.
  private enum Frame {
    case made(Bitmap)
    case broken
  }

  init(_ animation: PictureAnimation) {
    self.animation = animation
    playback = AnimationPlayback(delays: animation.delays, loopCount: animation.loopCount)
  }

  deinit { making?.cancel() }

  /// Whether the last frame of the last round is shown.
  var isFinished: Bool { playback.next == nil }

  /// The frame to show from now on, if it is another than before.
  func advance(to now: Duration) -> Bitmap? {
    makeNext()
    guard playback.advance(to: now, isReady: ready != nil) else { return nil }
    let frame = ready
    ready = nil
    makeNext()
    guard case .made(let bitmap) = frame else { return nil }
    return bitmap
  }

  /// Stands still until it is advanced again.
  func pause() {
    playback.pause()
    making?.cancel()
    making = nil
  }

  private func makeNext() {
    guard ready == nil, making == nil, let next = playback.next else { return }
    making = Task { [weak self, animation] in
      let frame: Frame
      do throws(DecodingError) {
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
