/// How a view shows its pictures. Every part has a default.
public struct DisplayOptions: Sendable {
  /// The placeholder until the picture is available. Nothing by default: what an earlier source has shown is removed. A
  /// picture in memory is shown at once, without a placeholder.
  public var placeholder = DisplayPlaceholder.nothing
  /// The image to show if the load fails; `nil` (the default) for none. Then a placeholder or a preview of the source
  /// stays.
  public var failureContent: DisplayContent?
  /// The same as a picture; `nil` for another image.
  public var failurePicture: Picture? {
    get { if case .failure(let picture) = failureContent { picture } else { nil } }
    set { failureContent = newValue?.ozuContent }
  }
  /// The transition to a picture that was not in memory. A fade of 0.1 s by default.
  public var transition = DisplayTransition.standard
  /// Whether previews of the picture are shown while it loads. On by default.
  public var showsPreviews = true
  /// Whether animations are played. On by default.
  public var playsAnimations = true
  /// Whether a load is cancelled when the view disappears; it begins again when the view reappears. On by default.
  public var cancelsWhenHidden = true
  /// Whether a load that failed without a network begins again when the network returns: up to five times, within ten
  /// minutes, and not if the view was given another picture meanwhile or was cancelled. A view that is not on screen
  /// then begins when it appears. On by default. `DisplayHandlers` are called for each end.
  public var restartsWithNetwork = true
  /// The priority of loads of URLs and fetchers; a request has its own. `veryHigh` by default, because the view is on
  /// screen.
  public var priority = ImagePriority.veryHigh
  /// The settings of the cache format for a view without its own format.
  public var automaticFormat = AutomaticFormat()

  /// Makes the default options.
  public init() {}

  /// Makes options from the defaults with changes: `DisplayOptions { $0.transition = .none }`.
  public init(_ configure: (inout DisplayOptions) -> Void) {
    self.init()
    configure(&self)
  }
}

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
