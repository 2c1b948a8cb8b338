// Restarts a picture that failed without a network, when the network returns.
extension ImageBinding {
  func waitForNetwork(_ current: Current) {
    let number = current.number
    self.current?.networkTicket = pipeline.networkReturn.wait(restartCount: current.restartCount) {
      [weak self] in
      Task { @MainActor in self?.networkReturned(number) }
    }
  }

  private func networkReturned(_ number: Int) {
    guard let current, current.number == number, current.networkTicket != nil, view != nil else { return }
    self.current?.networkTicket = nil
    if isVisible || !current.options.cancelsWhenHidden {
      restart()
    } else {
      self.current?.isRestartDue = true
    }
  }

  func restart() {
    guard case .failed = phase else { return }
    current?.restartCount += 1
    retry()
  }
}
