#if GTK
  import CGTK
  import Ozu

  /// Shows the pictures of a binding in a widget of GTK.
  ///
  /// It belongs to its widget: GLib holds it as the widget's data and frees it with the widget. The binding decides what is
  /// shown; this object tells it about layout, mapping and destruction, and draws.
  ///
  /// GTK 4 has no signal for a new size, but the paintable is drawn again after each change and reports it. A binding is
  /// never called while GTK draws, but in the next turn of the main loop.
  @MainActor
  final class WidgetDisplay: ImageDisplaying, MotionFollowing {
    private(set) lazy var images = ImageBinding(self, pipeline: pipeline)

    /// `nil` once the widget is being destroyed.
    private(set) var widget: UnsafeMutablePointer<GtkWidget>?
    let kind: WidgetKind
    private let pipeline: ImagePipeline
    private let paintable = ImagePaintable()
    private lazy var clock = WidgetClock { [weak self] in self?.tick($0) ?? false }
    private var fade: Fade?
    private var playsFrames = false
    private var layout: Layout?
    private var isLayoutPending = false
    /// Whether the widget was ever visible. Lists of GTK keep hundreds of widgets outside the visible part, with a place and
    /// mapped; their pictures are not loaded before the user scrolls there.
    private var isDrawn = false
    /// The number of frames since the widget was mapped. Only after the second frame it is known whether its container gives it a
    /// size.
    private var frameCount = 0
    /// Whether the widget got no size from its container, and takes the size of its picture.
    private var hasNoRoom = false
    /// Called for each change of `state`. They may use widgets that are destroyed together with this one, so they are removed
    /// before that.
    var observers: [@MainActor (PictureState) -> Void] = []
    private(set) var state = PictureState.empty
    private(set) lazy var stateObject = {
      hasStateObject = true
      return StateObject(state)
    }()
    private var hasStateObject = false
    /// Whether the app has set whether animations play.
    private var isPlaybackChosen = false

    /// The model by which the user zooms and moves the picture; `nil` for a view that shows the whole picture. This object
    /// tells it about the view's size and its picture, and the model decides how large the whole picture is loaded.
    var zoom: ZoomModel? {
      didSet {
        paintable.zoom = zoom.map(ZoomDrawing.init)
        zoomDidChange()
      }
    }

    private struct Fade {
      let duration: Duration
      var start: Duration?
    }

    private struct Layout: Equatable {
      let size: DisplaySize?
      let scale: Double
      let mode: ScaleMode
    }

    init(_ widget: UnsafeMutablePointer<GtkWidget>, kind: WidgetKind, pipeline: ImagePipeline) {
      self.widget = widget
      self.kind = kind
      self.pipeline = pipeline
      paintable.onDraw = { [weak self] in
        self?.isDrawn = true
        self?.checkLayout()
      }
      kind.setPaintable(paintable.pointer, of: widget)
      listen("map") { $0.appear() }
      listen("unmap") { $0.images.viewDidDisappear() }
      listen("destroy") { $0.detach() }
      listen("notify::scale-factor") { $0.checkLayout() }
      gtk_widget_add_css_class(widget, state.cssClass)
      listen(kind == .picture ? "notify::content-fit" : "notify::pixel-size") { $0.checkLayout() }
      if gtk_widget_get_mapped(widget) != 0 { appear() }
    }

    private func listen(_ signal: String, _ handler: @escaping @MainActor (WidgetDisplay) -> Void) {
      guard let widget else { return }
      SignalSource(widget).on(signal) { [weak self] _ in
        if let self { handler(self) }
      }
    }

    private func detach() {
      observers = []
      images.clear()
      widget = nil
      fade = nil
    }

    // MARK: Layout

    var displaySize: DisplaySize? {
      guard let size = viewSize else { return nil }
      guard let zoom, zoom.geometry?.isFitted == false, zoom.isFollowing(images.request) else { return size }
      let (whole, scale) = (zoom.wholeSize, displayScale)
      return DisplaySize(Double(whole.width) / scale, Double(whole.height) / scale)
    }

    /// The size of the place for the upright picture, in points.
    private var viewSize: DisplaySize? {
      guard isDrawn || kind == .image, let size = widget.flatMap(kind.displaySize) else { return nil }
      return quarterTurns.isMultiple(of: 2) ? size : DisplaySize(size.height, size.width)
    }

    var displayScale: Double { widget.map(WidgetScale.scale) ?? 1 }

    /// The clockwise rotation of the drawn picture in quarter turns, 0 to 3; other numbers are reduced to that range.
    var quarterTurns: Int {
      get { paintable.quarterTurns }
      set {
        let turns = ((newValue % 4) + 4) % 4
        guard turns != paintable.quarterTurns else { return }
        paintable.quarterTurns = turns
        checkLayout()
      }
    }

    var displayMode: ScaleMode {
      if zoom != nil { return .aspectFit }
      return hasNoRoom ? .none : widget.map(kind.displayMode) ?? .none
    }

    private func appear() {
      // A widget that reappears has no size until it is laid out. The size may be the same as before.
      layout = nil
      paintable.noteRenderer(of: widget)
      Motion.settings.follow(self)
      motionSettingsDidChange()
      images.viewDidAppear()
      frameCount = 0
      if let widget { clock.start(widget) }
    }

    private func checkLayout() {
      guard !isLayoutPending else { return }
      isLayoutPending = true
      Task { [weak self] in self?.tellLayout() }
    }

    private func tellLayout() {
      isLayoutPending = false
      guard let widget else { return }
      if kind.displaySize(of: widget) != nil { hasNoRoom = false }
      if let zoom, let size = viewSize {
        let scale = displayScale
        zoom.resize(to: PixelSize(Int((size.width * scale).rounded()), Int((size.height * scale).rounded())))
      }
      let now = Layout(size: displaySize, scale: displayScale, mode: displayMode)
      guard now != layout else { return }
      layout = now
      images.layoutDidChange()
      gtk_widget_queue_draw(widget)
    }

    /// Draws again, and asks for a larger whole picture if zooming needs it.
    func zoomDidChange() {
      guard let widget else { return }
      gtk_widget_queue_draw(widget)
      checkLayout()
    }

    // MARK: Showing

    func show(_ content: DisplayContent, transition: DisplayTransition) {
      guard let widget else { return }
      zoom?.follow(content, of: images.request)
      let isSeen = gtk_widget_get_mapped(widget) != 0
      let texture = content.bitmap.map(Texture.init)
      let isPart = if case .preview = content { true } else { false }
      guard case .fade(let duration) = transition, isSeen, duration > .zero, !Motion.isReduced else {
        fade = nil
        paintable.show(texture, scale: displayScale, fades: false, keepsPlace: isPart)
        return
      }
      fade = Fade(duration: duration)
      paintable.show(texture, scale: displayScale, fades: true)
      clock.start(widget)
    }

    func reserve(_ size: PixelSize) { paintable.reserve(size, scale: displayScale) }

    func setFrameClock(isRunning: Bool) {
      playsFrames = isRunning
      if isRunning, let widget { clock.start(widget) }
    }

    /// Plays or pauses animations, regardless of the setting of the desktop.
    func play(_ isPlaying: Bool) {
      isPlaybackChosen = true
      images.isPlaybackPaused = !isPlaying
    }

    func motionSettingsDidChange() {
      guard widget != nil, !isPlaybackChosen, images.isPlaybackPaused != Motion.isReduced else { return }
      images.isPlaybackPaused.toggle()
      // A button over the picture says what it does now.
      for observer in observers { observer(state) }
    }

    // MARK: State

    func stateDidChange() {
      guard let widget else { return }
      let (old, new) = (state, PictureState(images))
      state = new
      if old.name != new.name {
        gtk_widget_remove_css_class(widget, old.cssClass)
        gtk_widget_add_css_class(widget, new.cssClass)
        setBusy(widget, new.name == "loading")
      }
      if hasStateObject { stateObject.set(new) }
      for observer in observers { observer(new) }
    }

    private func tick(_ time: Duration) -> Bool {
      guard let widget else { return false }
      // A frame begins with this call, and the layout follows. So only in the second frame it is known that the container gives
      // the widget no size. Then the picture decides the size.
      frameCount += 1
      if frameCount == 2, kind == .picture, kind.displaySize(of: widget) == nil {
        hasNoRoom = gtk_widget_get_mapped(widget) != 0
      }
      checkLayout()
      advanceFade(time)
      if playsFrames { images.advance(to: time) }
      return frameCount < 2 || fade != nil || playsFrames
    }

    private func advanceFade(_ time: Duration) {
      guard var fade else { return }
      let start = fade.start ?? time
      fade.start = start
      let visibility = (time - start) / fade.duration
      self.fade = visibility < 1 ? fade : nil
      paintable.fade(to: visibility)
    }
  }

  extension WidgetDisplay {
    /// The display of a widget, made when it is first asked for.
    ///
    /// - Precondition: the widget is a `GtkPicture`, a `GtkImage` or a `GtkButton`.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>, pipeline: ImagePipeline = .shared)
      -> WidgetDisplay
    {
      if ozu_is_a(widget, gtk_button_get_type()) != 0 { return of(icon(of: widget), pipeline: pipeline) }
      guard let kind = WidgetKind(widget) else {
        preconditionFailure("a picture can be set on a GtkPicture, a GtkImage or a GtkButton")
      }
      let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
      if let known = g_object_get_qdata(object, displayKey) {
        return Unmanaged<WidgetDisplay>.fromOpaque(known).takeUnretainedValue()
      }
      let display = WidgetDisplay(widget, kind: kind, pipeline: pipeline)
      g_object_set_qdata_full(
        object, displayKey, Unmanaged.passRetained(display).toOpaque(),
        { display in
          if let display { Unmanaged<WidgetDisplay>.fromOpaque(display).release() }
        })
      return display
    }

    /// The image inside a button; one is added if the button has none.
    private static func icon(of button: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget> {
      let button = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
      if let child = gtk_button_get_child(button), WidgetKind(child) != nil { return child }
      let image: UnsafeMutablePointer<GtkWidget> = gtk_image_new()
      gtk_button_set_child(button, image)
      return image
    }

    private static let displayKey = g_quark_from_static_string("ozu-display")
  }

  /// The properties for assistive technologies.
  extension WidgetDisplay {
    /// The content of the picture in words: the description of the image.
    var alternativeText: String? {
      get { widget.flatMap(kind.alternativeText) }
      set { if let widget { kind.setAlternativeText(newValue, of: widget) } }
    }

    /// Reports whether the picture is still loading.
    func setBusy(_ widget: UnsafeMutablePointer<GtkWidget>, _ isBusy: Bool) {
      var value = GValue()
      g_value_init(&value, ozu_type_boolean())
      g_value_set_boolean(&value, isBusy ? 1 : 0)
      var state = GTK_ACCESSIBLE_STATE_BUSY
      gtk_accessible_update_state_value(OpaquePointer(widget), 1, &state, &value)
      g_value_unset(&value)
    }
  }
#endif
