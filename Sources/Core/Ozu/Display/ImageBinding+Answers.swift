/// The events of loads: they update the view and call the handlers.
extension ImageBinding {
  func receive(_ event: ImageTask.Event, ofLoad number: Int) {
    guard let current, current.load != nil, current.loadNumber == number else { return }
    guard let view else {
      // The view has been released.
      self.current = nil
      return
    }
    self.current?.retiring = nil
    switch event {
    case .progress(let progress):
      self.progress = progress
      view.stateDidChange()
      // A larger or newer picture loads without the app, which was told of the end.
      guard self.current?.number == current.number, !current.isAnswered else { return }
      current.handlers.progress?(progress)
    case .size(let size): reserve(size)
    case .preview(let response): show(preview: response.picture)
    case .finished(let outcome):
      self.current?.load = nil
      endProgress()
      guard self.current?.number == current.number else { return }
      switch outcome {
      case .success(let response): show(response, isSynchronous: false)
      case .failure(let error): fail(error)
      }
    }
  }

  /// Tells the view that nothing is loading, unless the phase changes too, which tells it.
  func endProgress() {
    guard progress != nil else { return }
    progress = nil
    if current?.isAnswered == true { view?.stateDidChange() }
  }

  private func reserve(_ sourceSize: PixelSize) {
    guard let current, !current.isAnswered, !sourceSize.isEmpty else { return }
    let size = ResizeGeometry(source: sourceSize, resize: current.target?.request.resize).outputSize
    guard size != current.expectedSize else { return }
    self.current?.expectedSize = size
    // If a closure shows the picture, it is not shown in this view; and a picture that stays has its space.
    if current.handlers.success == nil, shown.row != .picture { view?.reserve(size) }
    guard self.current?.number == current.number else { return }
    current.handlers.size?(size)
  }

  /// Reserves the room of the picture again, which the view has given up for a placeholder.
  func reserveAgain() {
    guard let current, current.handlers.success == nil, shown.row != .picture, let size = current.expectedSize
    else { return }
    view?.reserve(size)
  }

  private func show(preview: Picture) {
    guard let current, !current.isAnswered else { return }
    if current.options.showsPreviews, current.handlers.success == nil {
      change(.preview, current.options, to: preview)
    }
    guard self.current?.number == current.number else { return }
    current.handlers.preview?(preview)
  }

  func show(_ response: ImageResponse, isSynchronous: Bool) {
    guard let current else { return }
    let isFirst = !current.isAnswered
    self.current?.isAnswered = true
    self.current?.occasion = .sameSource
    if let success = current.handlers.success {
      guard isFirst else { return }
      shown = Shown(.picture)
      stopPlaying()
      phase = .shown
      guard self.current?.number == current.number else { return }
      success(response)
    } else {
      show(response.picture, isSynchronous: isSynchronous)
      guard isFirst, self.current?.number == current.number else { return }
      phase = .shown
    }
    guard self.current?.number == current.number else { return }
    current.handlers.completion?(.success(response))
  }

  private func show(_ picture: Picture, isSynchronous: Bool) {
    guard let current else { return }
    self.current?.hasShown = true
    // An animation that is set again plays on. The app may have removed any other content by itself.
    if let old = shown.picture, old.bitmap.sharesPixels(with: picture.bitmap),
      current.hasShown || player != nil
    {
      return
    }
    let isPlain = isSynchronous || shown.row.resemblesPicture
    change(.picture, current.options, to: picture, isPlain ? .none : current.options.transition)
    guard self.current?.number == current.number, current.options.playsAnimations,
      let animation = picture.animation
    else { return }
    player = FramePlayer(animation)
    updateClock()
  }

  private func fail(_ error: ImageError) {
    guard let current else { return }
    if error.isCancellation {
      // Cancelled by other code than this view: the view still wants it.
      self.current?.isCancelled = true
      if !current.isAnswered { phase = .cancelled }
      return
    }
    guard !current.isAnswered else { return }
    self.current?.isAnswered = true
    change(.failure, current.options)
    guard self.current?.number == current.number else { return }
    if error.isNetworkUnavailable, current.options.restartsWithNetwork { waitForNetwork(current) }
    phase = .failed(error)
    guard self.current?.number == current.number else { return }
    current.handlers.failure?(error)
    guard self.current?.number == current.number else { return }
    current.handlers.completion?(.failure(error))
  }
}

extension Bitmap {
  /// Whether two bitmaps share their memory. Then there is nothing new to show.
  func sharesPixels(with other: Bitmap) -> Bool {
    size == other.size
      && withUnsafeBytes { own in other.withUnsafeBytes { own.baseAddress == $0.baseAddress } }
  }
}
