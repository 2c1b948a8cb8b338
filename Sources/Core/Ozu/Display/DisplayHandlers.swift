/// The closures that a view's load calls. All are called on the main actor, and none after the load was cancelled or
/// another picture was set.
@MainActor
public struct DisplayHandlers {
  /// Called as bytes arrive.
  public var progress: ((LoadProgress) -> Void)?
  /// Called once when the size of the picture in pixels is known, before any of its pixels.
  public var size: ((PixelSize) -> Void)?
  /// Called with previews of the picture while it loads.
  public var preview: ((Picture) -> Void)?
  /// Shows the picture in place of the view: called once with the response.
  public var success: ((ImageResponse) -> Void)?
  /// Called once when the picture cannot be loaded, after the failure picture is shown.
  public var failure: ((ImageError) -> Void)?
  /// Called once at the end, after all other closures, with the result.
  public var completion: ((Result<ImageResponse, ImageError>) -> Void)?

  /// Makes handlers; all are optional.
  public init(
    progress: ((LoadProgress) -> Void)? = nil, size: ((PixelSize) -> Void)? = nil,
    preview: ((Picture) -> Void)? = nil, success: ((ImageResponse) -> Void)? = nil,
    failure: ((ImageError) -> Void)? = nil,
    completion: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) {
    self.progress = progress
    self.size = size
    self.preview = preview
    self.success = success
    self.failure = failure
    self.completion = completion
  }
}
