import Foundation

extension ImageBinding {
  /// Gives the view the picture of a URL.
  ///
  /// - Parameters:
  ///   - url: where it is; `nil` when that is not known. Then the picture comes from the caches under `key`, or
  ///     without a key the placeholder is all there is.
  ///   - key: an identity to use in place of the URL, for example for addresses whose token changes.
  ///   - success: takes over the setting: called with the picture, in place of showing it.
  ///   - failure: called when the picture cannot be loaded.
  /// - Returns: whether the picture was there at once.
  @discardableResult
  public func setImage(
    from url: URL?, key: String? = nil, options: DisplayOptions? = nil,
    progress: ((LoadProgress) -> Void)? = nil, success: ((ImageResponse) -> Void)? = nil,
    failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    if url == nil, key == nil {
      setNothing(options ?? self.options)
      return false
    }
    return setImage(
      ImageRequest(url: url, key: key, priority: (options ?? self.options).priority),
      options: options, handlers: DisplayHandlers(progress: progress, success: success, failure: failure))
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

  /// Gives the view a picture that is in memory already, brought to the view's size and kept under a key.
  @discardableResult
  public func setImage(
    _ picture: Picture, key: String, options: DisplayOptions? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      from: HeldPicture(picture: picture, key: key), options: options, success: success, failure: failure)
  }

  /// Gives the view the picture of a fetcher, which is asked only when no cache has it.
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
