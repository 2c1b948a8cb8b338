/// The events of loads: they update the view and call the handlers.
extension ImageBinding {
  func receive(_ event: DisplayEvent, ofLoad number: Int) {
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
      guard self.current?.number == current.number else { return }
      current.handlers.progress?(progress)
    case .size(let size): reserve(size)
    case .preview(let preview): show(preview: preview)
    case .finished(.success(let response)):
      self.current?.load = nil
      self.progress = nil
      show(response, isSynchronous: false)
    case .finished(.failure(let error)):
      self.current?.load = nil
      self.progress = nil
      fail(error)
    }
  }

  /// Reserves space for the picture before its first pixels.
  private func reserve(_ sourceSize: PixelSize) {
    guard let current, !current.isAnswered, !sourceSize.isEmpty else { return }
    let size = ResizeGeometry(source: sourceSize, resize: current.target?.request.resize).outputSize
    guard size != current.expectedSize else { return }
    self.current?.expectedSize = size
    // If a closure shows the picture, it is not shown in this view.
    if current.handlers.success == nil { view?.reserve(size) }
    guard self.current?.number == current.number else { return }
    current.handlers.size?(size)
  }

  func showPlaceholder(_ options: DisplayOptions) {
    guard let placeholder = options.placeholder, let view else { return }
    current?.shown = .placeholder
    let request = current?.request
    let content = placeholder.content(in: view.displaySize) { request.flatMap(loader.otherSize) }
    view.show(content, transition: .none)
  }

  private func show(preview: Picture) {
    guard let current, !current.isAnswered else { return }
    if current.options.showsPreviews, current.handlers.success == nil {
      self.current?.shown = .preview
      view?.show(.preview(preview), transition: .none)
    }
    guard self.current?.number == current.number else { return }
    current.handlers.preview?(preview)
  }

  func show(_ response: ImageResponse, isSynchronous: Bool) {
    guard let current else { return }
    let isFirst = !current.isAnswered
    self.current?.isAnswered = true
    if let success = current.handlers.success {
      guard isFirst else { return }
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
    guard let current, let view else { return }
    if let old = current.shown.picture, old.bitmap.sharesPixels(with: picture.bitmap) { return }
    let isPlain = isSynchronous || current.shown.resemblesPicture
    self.current?.shown = .picture(picture)
    stopPlaying()
    view.show(.picture(picture), transition: isPlain ? .none : current.options.transition)
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
    if let picture = current.options.failurePicture {
      view?.show(.failure(picture), transition: .none)
      guard self.current?.number == current.number else { return }
    }
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
