/// A view as a set of values. Declarative toolkits, whose views are created again and again, keep one in place of a
/// view.
///
/// ```swift
/// let model = DisplayModel(pipeline: .shared)
/// model.onChange = { state, transition in … }
/// model.layout(DisplaySize(width: 120, height: 80), scale: 2, mode: .aspectFill)
/// model.setImage(ImageRequest(url: url))
/// ```
///
/// It has all guarantees of `ImageBinding`.
@MainActor
public final class DisplayModel: ImageDisplaying {
  /// The binding of the model.
  public private(set) lazy var images = ImageBinding(self, pipeline: pipeline, loader: loader)
  /// The current state.
  public private(set) var state = DisplayState.empty
  /// The size of the picture in pixels, as soon as it is known. A declarative view reserves space with it.
  public var expectedSize: PixelSize? { images.expectedSize }
  /// Whether `ImageBinding.advance(to:)` must be called for every frame, or as often as `ImageBinding.shortestFrameDelay` asks
  /// for.
  public private(set) var isClockRunning = false
  /// Called after each change of `state`, with its transition, and after each change of `isClockRunning`.
  public var onChange: (@MainActor (DisplayState, DisplayTransition) -> Void)?

  /// The size of the picture's area, in points; `nil` before the first layout.
  public private(set) var displaySize: DisplaySize?
  /// The number of pixels per point.
  public private(set) var displayScale = 1.0
  /// How pictures are scaled to the size.
  public private(set) var displayMode = ScaleMode.aspectFit

  private let pipeline: ImagePipeline
  private let loader: any DisplayLoading
  private var content = DisplayContent.nothing

  /// Makes a model that loads through a pipeline.
  public convenience init(pipeline: ImagePipeline = .shared) {
    self.init(pipeline: pipeline, loader: PipelineLoading(pipeline: pipeline))
  }

  init(pipeline: ImagePipeline, loader: any DisplayLoading) {
    self.pipeline = pipeline
    self.loader = loader
  }

  /// Sets the area of the picture.
  public func layout(_ size: DisplaySize?, scale: Double, mode: ScaleMode) {
    setArea(size, scale: scale, mode: mode, for: images.request)
  }

  /// Sets the area of the picture that is set next. A current one of another request is not loaded in it.
  package func setArea(_ size: DisplaySize?, scale: Double, mode: ScaleMode, for request: ImageRequest?) {
    (displaySize, displayScale, displayMode) = (size, scale, mode)
    // A load of the same picture in a smaller area stays until the new one has joined its download.
    if images.request?.key == request?.key { images.layoutDidChange() }
  }

  /// Shows the picture of a request in place of the current one; `nil` shows nothing.
  ///
  /// - Returns: whether the picture was in memory and is shown now.
  @discardableResult
  public func setImage(
    _ request: ImageRequest?, options: DisplayOptions = DisplayOptions(), cacheFormat: CacheFormat? = nil,
    handlers: DisplayHandlers = DisplayHandlers()
  ) -> Bool {
    guard let request else {
      content = .nothing
      images.clear()
      return false
    }
    images.cacheFormat = cacheFormat
    // The binding changes the content too, but after its phase: no state is both of the new source and with the old content.
    if !images.hasSource(of: request) {
      content = options.placeholder.mayKeep ? content.asPlaceholder : .nothing
    }
    return images.setImage(request, options: options, handlers: handlers)
  }

  /// Shows content; called by the binding.
  public func show(_ content: DisplayContent, transition: DisplayTransition) {
    self.content = content
    update(transition)
  }

  /// Reports the phase and the progress; called by the binding.
  public func stateDidChange() { update(.none) }

  /// Reports `expectedSize`; called by the binding.
  public func reserve(_ size: PixelSize) { onChange?(state, .none) }

  /// Starts or stops the frame clock; called by the binding.
  public func setFrameClock(isRunning: Bool) {
    isClockRunning = isRunning
    onChange?(state, .none)
  }

  private func update(_ transition: DisplayTransition) {
    state = DisplayState(content, images.phase, progress: images.progress)
    onChange?(state, transition)
  }
}

extension DisplayContent {
  /// The same pixels for a source that they do not belong to.
  fileprivate var asPlaceholder: DisplayContent {
    shownPicture.map(DisplayContent.placeholder) ?? self
  }
}
