import OzuBase

/// An object that shows an image and has a binding: a view or a widget. The adapter of a toolkit provides the
/// binding; this protocol adds the short calls, the same for every toolkit.
///
/// ```swift
/// view.setImage(from: url)
/// view.setImage(from: url, placeholder: .thumbHash(hash), processors: [RoundedCorners(.rectangle(radius: 8))])
/// ```
///
/// A picture in memory is shown within the call. `ImageBinding` describes the other guarantees.
@MainActor
public protocol ImagePresenting {
  /// The binding of the view.
  var images: ImageBinding { get }
}

extension ImagePresenting {
  /// The view's own cache format; `nil` (the default) for one made from its size and mode. A change takes effect at
  /// the next call of `setImage`.
  public var cacheFormat: CacheFormat? {
    get { images.cacheFormat }
    nonmutating set { images.cacheFormat = newValue }
  }

  /// Shows the picture of a URL.
  ///
  /// - Parameters:
  ///   - url: the URL; `nil` shows the cached picture of `key`, or without a key only the placeholder, and then calls no closure.
  ///   - key: an identity to use in place of the URL.
  ///   - placeholder: the placeholder; `nil` (the default) for that of the view's options.
  ///   - failureImage: the image to show if the load fails, a `Picture` or one of the toolkit; `nil` for that of the view's options.
  ///   - format: the cache format of this picture; `nil` for that of the view.
  ///   - processors: the steps that follow the resize.
  ///   - transition: the transition to a picture that was not in memory; `nil` for that of the view's options.
  ///   - success: shows the picture in place of the view.
  ///   - failure: called if the picture cannot be loaded.
  ///   - progress: called as bytes arrive.
  ///   - completion: called once at the end with the result, after the view has shown it.
  /// - Returns: whether the picture was in memory and is shown now.
  @discardableResult
  public func setImage(
    from url: URL?, key: String? = nil, placeholder: DisplayPlaceholder? = nil,
    failureImage: (any FailureImage)? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil,
    progress: ((LoadProgress) -> Void)? = nil,
    completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) -> Bool {
    let handlers = DisplayHandlers(
      progress: progress, success: success, failure: failure, completion: completion)
    let options = options(placeholder, failureImage, transition)
    if url == nil, key == nil {
      images.setNothing(options)
      return false
    }
    let request = ImageRequest(
      url: url, key: key, processors: processors, priority: options.priority, format: format)
    return images.setImage(request, options: options, handlers: handlers)
  }

  /// Shows the picture of a URL, and calls a closure at the end with the result, after the view has shown it.
  ///
  /// A closure behind the call, without a label, is this one: `view.setImage(from: url) { result in … }`.
  @discardableResult
  public func setImage(
    from url: URL?, key: String? = nil, placeholder: DisplayPlaceholder? = nil,
    failureImage: (any FailureImage)? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    completion: @escaping (Result<ImageResponse, ImageError>) -> Void
  ) -> Bool {
    setImage(
      from: url, key: key, placeholder: placeholder, failureImage: failureImage, format: format,
      processors: processors, transition: transition, success: nil, completion: completion)
  }

  /// Shows the picture of a local file.
  @discardableResult
  public func setImage(
    fromFile path: String, placeholder: DisplayPlaceholder? = nil, failureImage: (any FailureImage)? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil,
    progress: ((LoadProgress) -> Void)? = nil,
    completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) -> Bool {
    setImage(
      from: URL(filePath: path), placeholder: placeholder, failureImage: failureImage, format: format,
      processors: processors, transition: transition, success: success, failure: failure,
      progress: progress, completion: completion)
  }

  /// Shows a picture that is already in memory. It is scaled to the view's size and cached under a key.
  @discardableResult
  public func setImage(
    _ picture: Picture, key: String, placeholder: DisplayPlaceholder? = nil,
    failureImage: (any FailureImage)? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil,
    progress: ((LoadProgress) -> Void)? = nil,
    completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) -> Bool {
    setImage(
      from: HeldPicture(picture: picture, key: key), placeholder: placeholder, failureImage: failureImage,
      format: format, processors: processors, transition: transition, success: success, failure: failure,
      progress: progress, completion: completion)
  }

  /// Shows the picture of a fetcher. The fetcher is called only if no cache has the picture.
  @discardableResult
  public func setImage(
    from fetcher: some ImageFetching, placeholder: DisplayPlaceholder? = nil,
    failureImage: (any FailureImage)? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil,
    progress: ((LoadProgress) -> Void)? = nil,
    completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) -> Bool {
    let options = options(placeholder, failureImage, transition)
    return images.setImage(
      ImageRequest(.fetcher(fetcher), processors: processors, priority: options.priority, format: format),
      options: options,
      handlers: DisplayHandlers(
        progress: progress, success: success, failure: failure, completion: completion))
  }

  /// Cancels the load. The view keeps its content; the load begins again when the view reappears.
  public func cancelSetImage() {
    images.cancel()
  }

  private func options(
    _ placeholder: DisplayPlaceholder?, _ failureImage: (any FailureImage)?, _ transition: DisplayTransition?
  ) -> DisplayOptions {
    var options = images.options
    options.placeholder = placeholder ?? options.placeholder
    options.failureContent = failureImage?.ozuContent ?? options.failureContent
    options.transition = transition ?? options.transition
    return options
  }
}
