/// Whom a view's load tells what happens. All are called on the main actor, and none after the load was called off
/// or another picture was set.
@MainActor
public struct DisplayHandlers {
  /// Called as bytes arrive.
  public var progress: ((LoadProgress) -> Void)?
  /// Called once when the size of the picture is known, in pixels, before any of them is there.
  public var size: ((PixelSize) -> Void)?
  /// Called with parts of the picture while it loads.
  public var preview: ((Picture) -> Void)?
  /// Takes over the setting: called once with the picture, in place of showing it.
  public var success: ((ImageResponse) -> Void)?
  /// Called once when the picture cannot be loaded, after the failure picture is shown.
  public var failure: ((ImageError) -> Void)?
  /// Called once at the end, after everything else, with how it ended.
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
