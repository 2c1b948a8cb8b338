#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// The large picture with the buttons over it: previous, next, and out of the full screen. In full screen they disappear
  /// when the pointer does not move.
  @MainActor
  final class DetailPage {
    /// A `GtkOverlay`, to be put into a container.
    let widget: Widget
    let detail: DetailView
    private let previous: Widget
    private let next: Widget
    private let leave: Widget
    private var restNumber = 0

    init(
      pipeline: ImagePipeline, previous goBack: @escaping @MainActor () -> Void,
      next goOn: @escaping @MainActor () -> Void, leave end: @escaping @MainActor () -> Void
    ) {
      detail = DetailView(pipeline: pipeline)
      widget = gtk_overlay_new()
      g_object_ref_sink(ObjectPointer(widget))
      previous = Self.floating(
        button("go-previous-symbolic", tr("Previous picture"), goBack), GTK_ALIGN_START)
      next = Self.floating(button("go-next-symbolic", tr("Next picture"), goOn), GTK_ALIGN_END)
      leave = Self.floating(button("view-restore-symbolic", tr("Leave full screen"), end), GTK_ALIGN_END)
      gtk_widget_set_valign(leave, GTK_ALIGN_START)
      gtk_widget_set_visible(leave, 0)
      gtk_overlay_set_child(OpaquePointer(widget), detail.widget)
      for button in [previous, next, leave] { gtk_overlay_add_overlay(OpaquePointer(widget), button) }
      let motion = gtk_event_controller_motion_new()!
      SignalSource(motion).on("motion") { [weak self] _ in self?.pointerMoved() }
      gtk_widget_add_controller(widget, motion)
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// Whether the window fills its screen.
    var isFullscreen = false {
      didSet {
        gtk_widget_set_visible(leave, isFullscreen ? 1 : 0)
        pointerMoved()
      }
    }

    /// Sets whether there is a picture before and after this one.
    func setNeighbours(hasPrevious: Bool, hasNext: Bool) {
      gtk_widget_set_sensitive(previous, hasPrevious ? 1 : 0)
      gtk_widget_set_sensitive(next, hasNext ? 1 : 0)
    }

    private func pointerMoved() {
      restNumber += 1
      setButtons(areSeen: true)
      guard isFullscreen else { return }
      let number = restNumber
      Task { [weak self] in
        try? await Task.sleep(for: .seconds(2))
        guard let self, restNumber == number, isFullscreen else { return }
        setButtons(areSeen: false)
      }
    }

    private func setButtons(areSeen: Bool) {
      for button in [previous, next, leave] {
        gtk_widget_set_opacity(button, areSeen ? 1 : 0)
        gtk_widget_set_can_target(button, areSeen ? 1 : 0)
      }
      gtk_widget_set_cursor_from_name(widget, areSeen ? nil : "none")
    }

    private static func floating(_ button: Widget, _ align: GtkAlign) -> Widget {
      for name in ["osd", "circular", "floating"] { gtk_widget_add_css_class(button, name) }
      gtk_widget_set_halign(button, align)
      gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
      return button
    }
  }

  /// One picture, as large as the window: previews are shown while it loads, and it can be zoomed, moved and turned.
  @MainActor
  public final class DetailView {
    /// The picture with its progress and errors.
    public let zoom: ZoomView
    /// The response with the picture, for its properties.
    private(set) var response: ImageResponse?

    /// Called when the picture may have another size on the screen.
    var onZoom: @MainActor () -> Void = {}

    /// The factor by which one press of a button or a key zooms.
    private static let step = 1.5

    init(pipeline: ImagePipeline) {
      zoom = ZoomView(pipeline: pipeline)
      gtk_widget_add_css_class(widget, "detail")
      zoom.status.view.isDraggable = true
      // A picture that is visible as a whole cannot be moved, so a drag takes it to another program.
      zoom.onChange = { [weak self] in
        guard let self else { return }
        zoom.status.view.isDraggable = zoom.isFitted
        onZoom()
      }
    }

    /// The widget, to be put into a container.
    public var widget: UnsafeMutablePointer<GtkWidget> { zoom.widget }

    /// The binding of the picture.
    public var images: ImageBinding { zoom.images }

    /// The zoom factor: 1 when the whole picture fits the window.
    public var zoomFactor: Double { zoom.model.geometry.map { $0.scale / $0.fittingScale } ?? 1 }

    /// The clockwise rotation of the picture in quarter turns.
    public var quarterTurns: Int {
      get { zoom.quarterTurns }
      set { zoom.quarterTurns = newValue }
    }

    /// Shows a picture: first its thumbnail, then previews, then all of it.
    func show(_ item: PictureItem, thumbnail: Picture?) {
      quarterTurns = 0
      response = nil
      zoom.alternativeText = item.name
      let options = DisplayOptions {
        if let thumbnail { $0.placeholder = .picture(thumbnail) }
      }
      let handlers = DisplayHandlers(completion: { [weak self] outcome in self?.response = try? outcome.get()
      })
      zoom.setImage(item.request, options: options, handlers: handlers)
    }

    func clear() {
      images.clear()
      response = nil
    }

    /// Puts the original on the clipboard.
    func copy() async throws(ImageError) {
      try await zoom.status.view.copyToClipboard()
    }

    /// Makes the picture larger by half.
    func zoomIn() { zoom.zoom(by: Self.step) }

    /// Makes the picture smaller, as much as `zoomIn` makes it larger.
    func zoomOut() { zoom.zoom(by: 1 / Self.step) }

    /// Shows the picture at a number of pixels of the screen for each of its own; `nil` fits it to the window.
    func zoom(to scale: Double?) {
      guard let scale else { return zoom.fit() }
      zoom.model.change { $0.zoom(to: scale, at: $0.viewCenter) }
    }

    func resetZoom() { zoom.fit() }

    /// Shows each pixel of the picture as one of the screen.
    func showPixels() { zoom.showPixels() }
  }
#endif
