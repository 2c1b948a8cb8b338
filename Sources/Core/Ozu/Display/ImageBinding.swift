/// Connects a view with its picture, and decides what the view shows at each moment.
///
/// ```swift
/// let images = ImageBinding(view)
/// images.setImage(from: url) // size and mode come from the view
/// ```
///
/// - **One picture.** A view has one request at a time. Setting another cancels the first, and later events of the
///   first are dropped.
/// - **Never another's picture.** Another source, `nil`, `clear()` and a failure remove what belonged to an earlier source, at
///   once. The same source keeps its picture until it is replaced. The table on the page "Showing pictures" has all cases.
/// - **No flicker.** A picture in memory is shown within the call, without placeholder and animation. A stale one is
///   shown too, and is replaced if its origin has a newer one. Otherwise the view shows first the placeholder, then
///   previews, and then the picture with a fade, or the failure picture.
/// - **No jump.** The view receives the size of its picture as soon as the first bytes contain it, and can reserve
///   space.
/// - **Never larger than needed.** The size is that of the view in pixels, the mode that of its content; smaller pictures
///   are not enlarged. A view without a size waits for its layout. A view that grows loads a larger picture, and keeps
///   the old one until then.
/// - **Nothing forgotten.** A cancelled load begins again when the view reappears.
///
/// The view owns the binding; the binding does not retain the view. Releasing the binding cancels its load.
///
/// Design: `current` contains everything about the current request, and the next request replaces it as a whole.
/// Loads have numbers; events of a load with another number are late and ignored. Views and closures that the binding
/// calls may call back, so the state is complete before each call, and after the call the binding checks whether
/// `current` has changed.
@MainActor
public final class ImageBinding {
  /// The view.
  public private(set) weak var view: (any ImageDisplaying)?
  /// The pipeline that loads the pictures.
  public let pipeline: ImagePipeline
  /// The view's own cache format; `nil` (the default) for the automatic one. It is registered on first use. A change
  /// takes effect at the next call of `setImage`.
  public var cacheFormat: CacheFormat?
  /// The options of pictures that are set without their own. A change takes effect at the next call of `setImage`.
  public var options = DisplayOptions()
  /// Called after each change of `phase`.
  public var onPhaseChange: (@MainActor (DisplayPhase) -> Void)?
  /// The phase of the view's picture.
  public internal(set) var phase = DisplayPhase.empty {
    didSet {
      view?.stateDidChange()
      onPhaseChange?(phase)
    }
  }
  /// The received bytes of the loading picture; `nil` before the first, and if nothing is loading.
  public internal(set) var progress: LoadProgress?

  let loader: any DisplayLoading
  /// The current request and its state. Only the files of the binding change it.
  var current: Current?
  var shown = Shown(.nothing)
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

  // MARK: Setting pictures

  /// The request of the view; `nil` if there is none.
  public var request: ImageRequest? { current?.request }

  /// The complete picture of the request, if the view shows it. `nil` while it is loading.
  ///
  /// Callbacks that are called while another source takes the place of this one do not find the former picture.
  public var picture: Picture? { current?.occasion == .sameSource ? shown.picture : nil }

  /// The size in pixels of the picture that the view will show, as soon as the received bytes contain it. Once the
  /// picture is shown, its size. `nil` before.
  ///
  /// It is computed from the size in the file and the recipe. Processors that change the size are not taken into
  /// account.
  public var expectedSize: PixelSize? { picture?.size ?? current?.expectedSize }

  /// The pixels of the picture for each point of a view: those of its screen, unless the request has a scale of its own.
  package func scale(onScreen screen: Double) -> Double {
    let own = request?.scale ?? 1
    return own == 1 ? screen : own
  }

  /// Whether a load is running, also one for a larger or a newer picture than the current one.
  public var isLoading: Bool { current?.load != nil }

  /// Gives the view another picture.
  ///
  /// A request without a size and a format gets those of the view. If the same picture is already loading, that load
  /// continues, with the new priority, and reports to the new handlers; a load from before the picture's removal from the
  /// caches (`removeImage(for:)`) is replaced by a new one.
  ///
  /// - Parameters:
  ///   - options: the options of this picture; `nil` for those of the binding.
  ///   - handlers: the closures to call.
  /// - Returns: whether the picture was in memory and is shown now.
  @discardableResult
  public func setImage(
    _ request: ImageRequest, options: DisplayOptions? = nil, handlers: DisplayHandlers = DisplayHandlers()
  ) -> Bool {
    guard let view else { return false }
    let options = options ?? self.options
    if isLoadingFirst(request, options, view) {
      current?.options = options
      current?.handlers = handlers
      current?.replace(with: request)
      let number = current?.number
      change(.sameSource, options)
      // The load has told the former handlers.
      if current?.number == number, isLoading, let size = current?.expectedSize { handlers.size?(size) }
      return false
    }
    let isSame = hasSource(of: request)
    // Set again by a callback of the first call, the view still shows the former source.
    let occasion = isSame ? current?.occasion ?? .sameSource : .otherSource
    lastNumber += 1
    progress = nil
    // Releases the former load, which cancels it.
    current = Current(
      number: lastNumber, request: request, options: options, cacheFormat: cacheFormat, handlers: handlers,
      occasion: occasion)
    if !isSame || !options.playsAnimations { stopPlaying() }
    return start()
  }

  /// Whether the view's request has the source of another request, whatever their sizes and steps.
  func hasSource(of request: ImageRequest) -> Bool { current?.request.key.source == request.key.source }

  /// Cancels the load and shows only the placeholder, because there is no request.
  func setNothing(_ options: DisplayOptions) { end(.noSource, options) }

  /// Cancels the load, removes the picture and empties the view, whatever it shows.
  public func clear() { end(.clear, options) }

  private func end(_ occasion: DisplayOccasion, _ options: DisplayOptions) {
    lastNumber += 1
    let number = lastNumber
    current = nil
    progress = nil
    stopPlaying()
    if case .empty = phase {} else { phase = .empty }
    // A callback may have set another picture.
    guard current == nil, lastNumber == number else { return }
    change(occasion, options)
  }

  /// Changes the content of the view as the table says.
  ///
  /// - Parameter picture: the preview or the picture that has arrived.
  func change(
    _ occasion: DisplayOccasion, _ options: DisplayOptions, to picture: Picture? = nil,
    _ transition: DisplayTransition = .none
  ) {
    switch shown.row.step(after: occasion) {
    case .keep: break
    case .empty: show(.nothing, .nothing)
    case .placeholder: showPlaceholder(options.placeholder, occasion)
    case .preview: if let picture { show(.preview, .preview(picture)) }
    case .picture: if let picture { show(.picture, .picture(picture), transition) }
    case .failureElseKeep: if let own = options.failureContent { show(.failure, own) }
    case .failureElseEmpty:
      if let own = options.failureContent { show(.failure, own) } else { show(.nothing, .nothing) }
    }
  }

  private func showPlaceholder(_ placeholder: DisplayPlaceholder, _ occasion: DisplayOccasion) {
    guard let view else { return }
    let request = current?.request
    let content = placeholder.content(in: view.displaySize) { request.flatMap(loader.otherSize) }
    switch (content, occasion) {
    case (nil, .noSource): show(.nothing, .nothing)
    case (nil, .sameSource): return
    case (nil, _):
      if shown.row != .nothing { shown = Shown(.former) }
      return
    case (.nothing, .sameSource) where shown.row == .nothing: return
    case (.nothing, _): show(.nothing, .nothing)
    case (let content?, _): show(.placeholder, content)
    }
    reserveAgain()
  }

  /// The state is complete before the view is told, because it may call back.
  private func show(
    _ row: DisplayRow, _ content: DisplayContent, _ transition: DisplayTransition = .none
  ) {
    let picture: Picture? = if case .picture(let picture) = content { picture } else { nil }
    shown = Shown(row, picture)
    stopPlaying()
    view?.show(content, transition: transition)
  }

  /// Cancels the load. The view keeps its content; the load begins again when the view reappears.
  ///
  /// No handler is called before that.
  public func cancel() {
    current?.networkTicket = nil
    current?.isRestartDue = false
    guard var current else { return }
    if case .waitingForLayout = phase {} else if current.load == nil, !current.isBeginning { return }
    current.load = nil
    current.retiring = nil
    current.isCancelled = true
    self.current = current
    endProgress()
    if !current.isAnswered { phase = .cancelled }
  }

  /// Loads a picture again that failed, or whose load was cancelled. For a button: a person who asks again is never answered with a
  /// remembered failure, so the origin is asked.
  public func retry() {
    switch phase {
    case .failed:
      if let current { loader.forgetFailures(of: current.target?.request ?? current.request) }
      current?.networkTicket = nil
      current?.isRestartDue = false
      current?.isAnswered = false
      start()
    default: resume()
    }
  }

  // MARK: Events of the view

  /// Call this when the view's size, scale or mode may have changed.
  public func layoutDidChange() {
    guard let current, let view, !current.isCancelled else { return }
    if case .waitingForLayout = phase {
      if target(of: current, in: view) != nil { start() }
      return
    }
    guard !current.isAnswered || current.hasShown, current.load != nil || current.isAnswered,
      let target = target(of: current, in: view), current.target.map(target.outgrows) ?? true
    else { return }
    if current.retiring == nil { self.current?.retiring = current.load }
    self.current?.load = nil
    ask(target)
  }

  /// Call this when the view appears on screen.
  public func viewDidAppear() {
    isVisible = true
    updateClock()
    if current?.isRestartDue == true { restart() } else { resume() }
  }

  /// Call this when the view leaves the screen.
  public func viewDidDisappear() {
    isVisible = false
    player?.pause()
    updateClock()
    guard let current, current.load != nil, current.options.cancelsWhenHidden else { return }
    cancel()
  }

  /// Call this from the frame clock for every frame that the toolkit draws.
  ///
  /// - Parameter timestamp: a time from any starting point that does not run backwards.
  public func advance(to timestamp: Duration) {
    guard isClockRunning, let player else { return }
    if let frame = player.advance(to: timestamp) {
      // The animation knows pixels alone.
      let base = shown.picture
      let picture = Picture(frame, scale: base?.scale ?? 1, header: base?.header)
      view?.show(.frame(picture), transition: .none)
    }
    updateClock()
  }

  /// Whether the app has paused the animation. It continues from where it stopped.
  public var isPlaybackPaused = false {
    didSet {
      guard isPlaybackPaused != oldValue else { return }
      if isPlaybackPaused { player?.pause() }
      updateClock()
    }
  }
}

extension ImageBinding {
  /// The current request of the view, and the state of its load.
  struct Current {
    let number: Int
    private(set) var request: ImageRequest
    var options: DisplayOptions
    let cacheFormat: CacheFormat?
    var handlers: DisplayHandlers
    /// The target of the load; `nil` until the view has a size.
    var target: DisplayTarget?
    var load: DisplayLoad?
    /// The number of the current load; events of others are ignored.
    var loadNumber = 0
    var loadEpoch = 0
    /// The former load, for a smaller size. It is kept until the new one has joined the download that both need.
    var retiring: DisplayLoad?
    /// `otherSource` until the view has made room for the request's source, if it had another; then `sameSource`.
    var occasion: DisplayOccasion
    /// Whether the picture has been shown since the request was set.
    var hasShown = false
    /// The size of the picture that will be shown, once it is known.
    var expectedSize: PixelSize?
    /// Whether success or failure has been reported.
    var isAnswered = false
    /// The ticket of the wait for the network. It is released with the picture.
    var networkTicket: NetworkObservation?
    var restartCount = 0
    var isRestartDue = false
    /// Whether a load was cancelled that the view still wants.
    var isCancelled = false
    /// Whether a load is about to begin, which a callback before it may cancel.
    var isBeginning = false

    /// Takes over a request for the same picture, which may have another address: a load that begins again uses that.
    mutating func replace(with request: ImageRequest) {
      self.request = request
      load?.setPriority(request.priority)
    }
  }

  /// The content of the view. It outlives the request that it belongs to.
  struct Shown {
    let row: DisplayRow
    /// The picture of the source; `nil` if a closure shows it (`DisplayHandlers.success`).
    let picture: Picture?

    init(_ row: DisplayRow, _ picture: Picture? = nil) {
      self.row = row
      self.picture = picture
    }
  }
}
