/// What stands between a view and its picture: the one place where it is decided what a view shows when.
///
/// ```swift
/// let images = ImageBinding(view)
/// images.setImage(from: url) // size and mode come from the view
/// ```
///
/// - **One picture.** A view has one request at a time. Setting another calls the first off, and whatever still comes
///   of it is dropped: a reused view never shows the picture of what it showed before.
/// - **No flicker.** A picture that memory has is set within the call, without placeholder and without animation.
///   One that is past its lifetime is too, and replaced if its origin has another. Otherwise the placeholder
///   comes first, then parts of the picture, then the picture with a fade, or the failure picture.
/// - **No jump.** The view hears of the size of its picture as soon as the first bytes say it, and can reserve its place.
/// - **Never larger than needed.** The size is the view's in pixels, the mode that of its content. A view without a
///   size waits for its layout. One that grows asks anew, and keeps its picture until the larger one is there.
/// - **Nothing forgotten.** A load that was called off begins again when the view reappears.
///
/// The binding belongs to its view, which it does not keep alive. Releasing it calls its load off.
///
/// How it is built: `current` is all that is known of the picture the view was given, and is replaced as a whole by the
/// next one. Loads have numbers; what comes from another than the current number is late. Views and closures that
/// are called out to may call back, so state is complete before each call, and whether it is still `current` is
/// asked after it.
@MainActor
public final class ImageBinding {
  /// The view.
  public private(set) weak var view: (any ImageDisplaying)?
  /// What the pictures are loaded with.
  public let pipeline: ImagePipeline
  /// The view's own format; `nil` (the default) for the automatic one. It is registered when it is first used, and
  /// counts from the next setting on.
  public var cacheFormat: CacheFormat?
  /// How pictures are shown that are set without options of their own. Counts from the next setting on.
  public var options = DisplayOptions()
  /// Called after each change of `phase`.
  public var onPhaseChange: (@MainActor (DisplayPhase) -> Void)?
  /// How far the view has come with its picture.
  public internal(set) var phase = DisplayPhase.empty {
    didSet {
      view?.stateDidChange()
      onPhaseChange?(phase)
    }
  }
  /// What has arrived of the picture that is loading; `nil` before anything has, and when nothing is loading.
  public internal(set) var progress: LoadProgress?

  let loader: any DisplayLoading
  /// The picture the view was given; changed by the binding's own files alone.
  var current: Current?
  var lastNumber = 0
  var player: FramePlayer?
  private(set) var isVisible = true
  var isClockRunning = false

  /// Makes the binding of a view.
  public convenience init(_ view: any ImageDisplaying, pipeline: ImagePipeline = .shared) {
    self.init(view, pipeline: pipeline, loader: PipelineLoading(pipeline: pipeline))
  }

  init(_ view: any ImageDisplaying, pipeline: ImagePipeline, loader: any DisplayLoading) {
    self.view = view
    self.pipeline = pipeline
    self.loader = loader
  }

  // MARK: What the view was given

  /// What the view was given; `nil` for nothing.
  public var request: ImageRequest? { current?.request }

  /// The picture the view shows: that of its request, whole. `nil` while it is loading.
  public var picture: Picture? { current?.shown.picture }

  /// The size in pixels of the picture that the view will show, as soon as the bytes that arrive say it; that of the picture
  /// once it is shown. `nil` before.
  ///
  /// It is what the recipe makes of the size that the file states. Processors that change the size are not foreseen.
  public var expectedSize: PixelSize? { current?.shown.picture?.size ?? current?.expectedSize }

  /// Whether a load is under way, also one for a larger or a newer picture than the one that is shown.
  public var isLoading: Bool { current?.load != nil }

  /// Gives the view another picture.
  ///
  /// A request without a size and a format gets the view's. When the same is loading already, it goes on and
  /// answers to the new handlers.
  ///
  /// - Parameters:
  ///   - options: how it is shown; `nil` for the options of the binding.
  ///   - handlers: whom to tell.
  /// - Returns: whether the picture was there at once.
  @discardableResult
  public func setImage(
    _ request: ImageRequest, options: DisplayOptions? = nil, handlers: DisplayHandlers = DisplayHandlers()
  ) -> Bool {
    guard let view else { return false }
    let options = options ?? self.options
    if isLoadingFirst(request, options, view) {
      current?.handlers = handlers
      if case .preview? = current?.shown {} else { showPlaceholder(options) }
      return false
    }
    lastNumber += 1
    progress = nil
    // Releases the load of the one before, which calls it off.
    current = Current(
      number: lastNumber, request: request, options: options, cacheFormat: cacheFormat, handlers: handlers)
    stopPlaying()
    return start()
  }

  /// Calls the load off and shows the placeholder alone: what is to be shown is not known.
  func setNothing(_ options: DisplayOptions) {
    lastNumber += 1
    let number = lastNumber
    current = nil
    progress = nil
    stopPlaying()
    phase = .empty
    // Whoever was told may have set something.
    guard current == nil, lastNumber == number else { return }
    showPlaceholder(options)
  }

  /// Takes the picture away, calls its load off and empties the view.
  public func clear() {
    guard current != nil else { return }
    lastNumber += 1
    current = nil
    progress = nil
    stopPlaying()
    phase = .empty
    guard current == nil else { return }
    view?.show(.nothing, transition: .none)
  }

  /// Calls the load off. The view keeps what it shows; the load begins again when the view reappears.
  ///
  /// No handler is called any more, unless it does.
  public func cancel() {
    current?.networkTicket = nil
    current?.isRestartDue = false
    guard var current else { return }
    if case .waitingForLayout = phase {} else if current.load == nil { return }
    current.load = nil
    current.retiring = nil
    current.isCancelled = true
    self.current = current
    progress = nil
    if !current.isAnswered { phase = .cancelled }
  }

  /// Asks again for a picture that could not be loaded, or whose load was called off.
  public func retry() {
    switch phase {
    case .failed:
      current?.networkTicket = nil
      current?.isRestartDue = false
      current?.isAnswered = false
      current?.shown = .nothing
      start()
    default: resume()
    }
  }

  // MARK: What the view tells

  /// To be called when the view's size, scale or mode may have changed.
  public func layoutDidChange() {
    guard let current, let view, !current.isCancelled else { return }
    if case .waitingForLayout = phase {
      start()
      return
    }
    guard let asked = current.target, !current.isAnswered || current.shown.picture != nil,
      current.load != nil || current.isAnswered,
      let target = target(of: current, in: view), target.outgrows(asked)
    else { return }
    if current.retiring == nil { self.current?.retiring = current.load }
    self.current?.load = nil
    ask(target)
  }

  /// To be called when the view comes on screen.
  public func viewDidAppear() {
    isVisible = true
    updateClock()
    if current?.isRestartDue == true { restart() } else { resume() }
  }

  /// To be called when the view leaves the screen.
  public func viewDidDisappear() {
    isVisible = false
    player?.pause()
    updateClock()
    guard let current, current.load != nil, current.options.cancelsWhenHidden else { return }
    cancel()
  }

  /// To be called by the frame clock for every frame the toolkit draws.
  ///
  /// - Parameter timestamp: any time that does not run backwards.
  public func advance(to timestamp: Duration) {
    guard isClockRunning, let player else { return }
    if let frame = player.advance(to: timestamp) { view?.show(.frame(frame), transition: .none) }
    updateClock()
  }

  /// Whether what moves stands still, because the app says so. It goes on from where it stood.
  public var isPlaybackPaused = false {
    didSet {
      guard isPlaybackPaused != oldValue else { return }
      if isPlaybackPaused { player?.pause() }
      updateClock()
    }
  }
}
