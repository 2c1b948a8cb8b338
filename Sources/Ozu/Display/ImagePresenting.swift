import Foundation

/// What people hold that shows an image and has one binding: a view, a widget. Toolkit adapters give the binding; the
/// one-line calls come from here, the same for every toolkit.
///
/// ```swift
/// view.setImage(from: url)
/// view.setImage(from: url, placeholder: .thumbHash(hash), processors: [RoundedCorners(.rectangle(radius: 8))])
/// ```
///
/// A picture that memory has is shown within the call. See `ImageBinding` for what else is promised.
@MainActor
public protocol ImagePresenting {
  /// What puts pictures into the view.
  var images: ImageBinding { get }
}

extension ImagePresenting {
  /// The view's own format; `nil` (the default) for one made of its size and mode. Counts from the next setting on.
  public var cacheFormat: CacheFormat? {
    get { images.cacheFormat }
    nonmutating set { images.cacheFormat = newValue }
  }

  /// Shows the picture of a URL.
  ///
  /// - Parameters:
  ///   - url: where it is; `nil` leaves the placeholder, or what the caches have under `key`.
  ///   - key: an identity to use in place of the URL.
  ///   - placeholder: what is shown meanwhile; `nil` (the default) for what the view's options say.
  ///   - failureImage: what is shown when the picture cannot be loaded; `nil` for what the view's options say.
  ///   - format: the format of this picture; `nil` for that of the view.
  ///   - processors: the steps that follow the resize.
  ///   - transition: how the picture appears when it was not there at once; `nil` for what the view's options say.
  ///   - success: takes over the setting: called with the picture, in place of showing it.
  ///   - failure: called when the picture cannot be loaded.
  /// - Returns: whether the picture was there at once.
  @discardableResult
  public func setImage(
    from url: URL?, key: String? = nil, placeholder: DisplayPlaceholder? = nil, failureImage: Picture? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    let options = options(placeholder, failureImage, transition)
    if url == nil, key == nil {
      images.setNothing(options)
      return false
    }
    let request = ImageRequest(
      url: url, key: key, processors: processors, priority: options.priority, format: format)
    return setImage(request, options, success, failure)
  }

  /// Shows the picture of a local file.
  @discardableResult
  public func setImage(
    fromFile path: String, placeholder: DisplayPlaceholder? = nil, failureImage: Picture? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      .url(URL(filePath: path)), format, processors, options(placeholder, failureImage, transition),
      success, failure)
  }

  /// Shows a picture that is in memory already, brought to the view's size and kept under a key.
  @discardableResult
  public func setImage(
    _ picture: Picture, key: String, placeholder: DisplayPlaceholder? = nil, failureImage: Picture? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      .fetcher(HeldPicture(picture: picture, key: key)), format, processors,
      options(placeholder, failureImage, transition), success, failure)
  }

  /// Shows the picture of a fetcher, which is asked only when no cache has it.
  @discardableResult
  public func setImage(
    from fetcher: some ImageFetching, placeholder: DisplayPlaceholder? = nil, failureImage: Picture? = nil,
    format: CacheFormat? = nil, processors: [any ImageProcessing] = [], transition: DisplayTransition? = nil,
    success: ((ImageResponse) -> Void)? = nil, failure: ((ImageError) -> Void)? = nil
  ) -> Bool {
    setImage(
      .fetcher(fetcher), format, processors, options(placeholder, failureImage, transition), success,
      failure)
  }

  /// Calls the load off. The view keeps what it shows; the load begins again when the view reappears.
  public func cancelSetImage() {
    images.cancel()
  }

  private func setImage(
    _ source: ImageSource, _ format: CacheFormat?, _ processors: [any ImageProcessing],
    _ options: DisplayOptions, _ success: ((ImageResponse) -> Void)?, _ failure: ((ImageError) -> Void)?
  ) -> Bool {
    let request = ImageRequest(source, processors: processors, priority: options.priority, format: format)
    return setImage(request, options, success, failure)
  }

  private func setImage(
    _ request: ImageRequest, _ options: DisplayOptions, _ success: ((ImageResponse) -> Void)?,
    _ failure: ((ImageError) -> Void)?
  ) -> Bool {
    images.setImage(
      request, options: options, handlers: DisplayHandlers(success: success, failure: failure))
  }

  private func options(
    _ placeholder: DisplayPlaceholder?, _ failureImage: Picture?, _ transition: DisplayTransition?
  ) -> DisplayOptions {
    var options = images.options
    options.placeholder = placeholder ?? options.placeholder
    options.failurePicture = failureImage ?? options.failurePicture
    options.transition = transition ?? options.transition
    return options
  }
}
