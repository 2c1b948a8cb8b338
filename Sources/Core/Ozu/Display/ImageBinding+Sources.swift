import OzuBase

extension ImageBinding {
  /// Gives the view the picture of a URL.
  ///
  /// - Parameters:
  ///   - url: the URL; `nil` if it is not known. Then the picture comes from the caches under `key`; without a key
  ///     only the placeholder is shown, and no closure is called.
  ///   - key: an identity to use in place of the URL, for example if the token in the URL changes.
  ///   - success: shows the picture in place of the view.
  ///   - failure: called if the picture cannot be loaded.
  /// - Returns: whether the picture was in memory and is shown now.
  @discardableResult
  public func setImage(
    from url: URL?, key: String? = nil, options: DisplayOptions? = nil,
    progress: ((LoadProgress) -> Void)? = nil, success: ((ImageResponse) -> Void)? = nil,
    failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      url, key, options, DisplayHandlers(progress: progress, success: success, failure: failure))
  }

  /// Gives the view the picture of a URL, and calls a closure at the end, after the view has shown it.
  ///
  /// A closure behind the call, without a label, is this one: `images.setImage(from: url) { result in … }`.
  @discardableResult
  public func setImage(
    from url: URL?, key: String? = nil, options: DisplayOptions? = nil,
    completion: @escaping (Result<ImageResponse, ImageError>) -> Void
  ) -> Bool {
    setImage(url, key, options, DisplayHandlers(completion: completion))
  }

  private func setImage(
    _ url: URL?, _ key: String?, _ options: DisplayOptions?, _ handlers: DisplayHandlers
  ) -> Bool {
    if url == nil, key == nil {
      setNothing(options ?? self.options)
      return false
    }
    return setImage(
      ImageRequest(url: url, key: key, priority: (options ?? self.options).priority),
      options: options, handlers: handlers)
  }

  /// Gives the view the picture of a local file.
  @discardableResult
  public func setImage(
    fromFile path: String, options: DisplayOptions? = nil, success: ((ImageResponse) -> Void)? = nil,
    failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      from: URL(filePath: path), options: options, success: success, failure: failure)
  }

  /// Gives the view a picture that is already in memory. It is scaled to the view's size and cached under a key.
  @discardableResult
  public func setImage(
    _ picture: Picture, key: String, options: DisplayOptions? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      from: HeldPicture(picture: picture, key: key), options: options, success: success, failure: failure)
  }

  /// Gives the view the picture of a fetcher. The fetcher is called only if no cache has the picture.
  @discardableResult
  public func setImage(
    from fetcher: some ImageFetching, options: DisplayOptions? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      ImageRequest(.fetcher(fetcher), priority: (options ?? self.options).priority),
      options: options, handlers: DisplayHandlers(success: success, failure: failure))
  }
}

/// Names that users of other libraries try first. The compiler says which name is the right one.
extension ImageBinding {
  /// The name is `setImage(from:)`.
  @available(*, unavailable, renamed: "setImage(from:)")
  public func setImage(with url: URL?) { setImage(from: url) }
  /// The name is `picture`.
  @available(*, unavailable, renamed: "picture")
  public var image: Picture? { picture }
  /// The name is `retry()`.
  @available(*, unavailable, renamed: "retry()")
  public func reload() { retry() }
  /// The name is `clear()`.
  @available(*, unavailable, renamed: "clear()")
  public func reset() { clear() }
  /// The name is `cancel()`.
  @available(*, unavailable, renamed: "cancel()")
  public func cancelDownloadTask() { cancel() }
  /// The request has the source.
  @available(*, unavailable, message: "use 'request', whose 'source' it is")
  public var url: URL? { request?.source.webURL }
  /// The phase has the error.
  @available(*, unavailable, message: "use 'phase', whose case 'failed' has it")
  public var error: ImageError? { nil }
}
