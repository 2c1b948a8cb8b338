/// A view that is nothing but values: what declarative toolkits, whose views come and go, keep in place of one.
///
/// ```swift
/// let model = DisplayModel(pipeline: .shared)
/// model.onChange = { state, transition in … }
/// model.layout(DisplaySize(width: 120, height: 80), scale: 2, mode: .aspectFill)
/// model.setImage(ImageRequest(url: url))
/// ```
///
/// All that `ImageBinding` promises holds. Another picture takes the one before away, since a declarative view that is
/// given another URL is another view.
@MainActor
public final class DisplayModel: ImageDisplaying {
  /// What puts pictures into the model.
  public private(set) lazy var images = ImageBinding(self, pipeline: pipeline, loader: loader)
  /// What is shown.
  public private(set) var state = DisplayState.empty
  /// The size of the picture in pixels, as soon as it is known: a declarative view gives the picture its place by it.
  public var expectedSize: PixelSize? { images.expectedSize }
  /// Whether `ImageBinding.advance(to:)` is to be called for every frame.
  public private(set) var isClockRunning = false
  /// Called after each change of what is shown, with how to go there, and of `isClockRunning`.
  public var onChange: (@MainActor (DisplayState, DisplayTransition) -> Void)?

  /// The size of the place for the picture, in points; `nil` before the first layout.
  public private(set) var displaySize: DisplaySize?
  /// How many pixels make a point.
  public private(set) var displayScale = 1.0
  /// How pictures are brought to the size.
  public private(set) var displayMode = ScaleMode.aspectFit

  private let pipeline: ImagePipeline
  private let loader: any DisplayLoading
  private var content = DisplayContent.nothing
  private var progress: LoadProgress?

  /// Makes a model whose pictures come through a pipeline.
  public convenience init(pipeline: ImagePipeline = .shared) {
    self.init(pipeline: pipeline, loader: PipelineLoading(pipeline: pipeline))
  }

  init(pipeline: ImagePipeline, loader: any DisplayLoading) {
    self.pipeline = pipeline
    self.loader = loader
    images.onPhaseChange = { [weak self] _ in self?.update(.none) }
  }

  /// Says where the picture is shown.
  public func layout(_ size: DisplaySize?, scale: Double, mode: ScaleMode) {
    displaySize = size
    displayScale = scale
    displayMode = mode
    images.layoutDidChange()
  }

  /// Shows the picture of a request in place of what is shown; `nil` for nothing.
  ///
  /// - Returns: whether the picture was there at once.
  @discardableResult
  public func setImage(
    _ request: ImageRequest?, options: DisplayOptions = DisplayOptions(), cacheFormat: CacheFormat? = nil,
    handlers: DisplayHandlers = DisplayHandlers()
  ) -> Bool {
    progress = nil
    guard let request else {
      images.clear()
      return false
    }
    var options = options
    options.placeholder = options.placeholder ?? .nothing
    var handlers = handlers
    handlers.progress = { [weak self, told = handlers.progress] progress in
      self?.progress = progress
      self?.update(.none)
      told?(progress)
    }
    images.cacheFormat = cacheFormat
    // What memory has takes the place of the old picture in one step; all else begins with nothing.
    content = .nothing
    return images.setImage(request, options: options, handlers: handlers)
  }

  /// Shows something; called by the binding.
  public func show(_ content: DisplayContent, transition: DisplayTransition) {
    self.content = content
    update(transition)
  }

  /// Tells of `expectedSize`; called by the binding.
  public func reserve(_ size: PixelSize) { onChange?(state, .none) }

  /// Begins or ends the frames; called by the binding.
  public func setFrameClock(isRunning: Bool) {
    isClockRunning = isRunning
    onChange?(state, .none)
  }

  private func update(_ transition: DisplayTransition) {
    state = DisplayState(content, images.phase, progress: progress)
    onChange?(state, transition)
  }
}
