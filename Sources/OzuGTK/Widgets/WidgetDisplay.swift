#if GTK
  import CGTK
  import Ozu

  /// A widget of GTK as the place of a binding's pictures.
  ///
  /// It belongs to its widget: GLib holds it as the widget's data and frees it with the widget, whenever that is. What
  /// is shown is decided by the binding; this tells it of layout, mapping and destruction, and draws.
  ///
  /// GTK 4 has no signal for a new size. The paintable knows: it is drawn anew after each change, and tells. A binding
  /// is never called from within drawing, though, but in the next turn of the main loop.
  @MainActor
  final class WidgetDisplay: ImageDisplaying {
    private(set) lazy var images = ImageBinding(self, pipeline: pipeline)

    /// `nil` once the widget is being destroyed.
    private var widget: UnsafeMutablePointer<GtkWidget>?
    private let kind: WidgetKind
    private let pipeline: ImagePipeline
    private let paintable = ImagePaintable()
    private lazy var clock = WidgetClock { [weak self] in self?.tick($0) ?? false }
    private var fade: Fade?
    private var playsFrames = false
    private var layout: Layout?
    private var isLayoutPending = false
    /// Whether the widget was given no room at all, and takes the size of its picture.
    private var hasNoRoom = false

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
      paintable.onDraw = { [weak self] in self?.checkLayout() }
      kind.setPaintable(paintable.pointer, of: widget)
      listen("map") { $0.appear() }
      listen("unmap") { $0.images.viewDidDisappear() }
      listen("destroy") { $0.detach() }
      listen("notify::scale-factor") { $0.checkLayout() }
      listen(kind == .picture ? "notify::content-fit" : "notify::pixel-size") { $0.checkLayout() }
      if gtk_widget_get_mapped(widget) != 0 { appear() }
    }

    private func listen(_ signal: String, _ handler: @escaping @MainActor (WidgetDisplay) -> Void) {
      guard let widget else { return }
      connect(ObjectPointer(widget), signal) { [weak self] _ in
        if let self { handler(self) }
      }
    }

    private func detach() {
      images.clear()
      widget = nil
      fade = nil
    }

    // MARK: Layout

    var displaySize: DisplaySize? { widget.flatMap(kind.displaySize) }

    var displayScale: Double { widget.map { Double(gtk_widget_get_scale_factor($0)) } ?? 1 }

    var displayMode: ScaleMode { hasNoRoom ? .none : widget.map(kind.displayMode) ?? .none }

    private func appear() {
      images.viewDidAppear()
      // The first frame after mapping is the first in which the widget has its size.
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
      if displaySize != nil { hasNoRoom = false }
      let now = Layout(size: displaySize, scale: displayScale, mode: displayMode)
      guard now != layout else { return }
      layout = now
      images.layoutDidChange()
      gtk_widget_queue_draw(widget)
    }

    // MARK: Showing

    func show(_ content: DisplayContent, transition: DisplayTransition) {
      guard let widget else { return }
      let isSeen = gtk_widget_get_mapped(widget) != 0
      let texture = content.bitmap.map(Texture.init)
      guard case .fade(let duration) = transition, isSeen, duration > .zero else {
        fade = nil
        paintable.show(texture, scale: displayScale, fades: false)
        return
      }
      fade = Fade(duration: duration)
      paintable.show(texture, scale: displayScale, fades: true)
      clock.start(widget)
    }

    func setFrameClock(isRunning: Bool) {
      playsFrames = isRunning
      if isRunning, let widget { clock.start(widget) }
    }

    private func tick(_ time: Duration) -> Bool {
      guard let widget else { return false }
      if kind == .picture, displaySize == nil, !hasNoRoom, case .waitingForLayout = images.phase {
        // Mapped, and after a frame still without room: nobody gives it a size, so the picture does.
        hasNoRoom = gtk_widget_get_mapped(widget) != 0
      }
      checkLayout()
      advanceFade(time)
      if playsFrames { images.advance(to: time) }
      return fade != nil || playsFrames
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
#endif
