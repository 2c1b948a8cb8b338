/// Animations.
extension ImageBinding {
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
