#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// One picture, as large as the window: it comes in while it loads, and can be zoomed, moved and turned.
  ///
  /// Zooming makes the view larger, and a larger view asks for a larger rendition: sharpness needs no code here.
  @MainActor
  public final class DetailView {
    /// The `GtkScrolledWindow`, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The picture and what is told of it.
    public let status: StatusImageView
    /// How the picture came, for its properties.
    private(set) var response: ImageResponse?
    private var zoom = 1.0
    private let horizontal: ZoomAxis
    private let vertical: ZoomAxis
    /// Where the pointer held the picture when a pan began, and where it is.
    private var grip: (x: Double, y: Double) = (0, 0)
    private var pointer: (x: Double, y: Double) = (0, 0)

    private static let zoomRange = 1.0...16.0

    init(pipeline: ImagePipeline) {
      status = StatusImageView(pipeline: pipeline)
      widget = gtk_scrolled_window_new()
      let scrolled = OpaquePointer(widget)
      gtk_scrolled_window_set_child(scrolled, status.widget)
      gtk_widget_add_css_class(widget, "detail")
      gtk_widget_set_vexpand(widget, 1)
      gtk_widget_set_focusable(widget, 1)
      g_object_ref_sink(ObjectPointer(widget))
      horizontal = ZoomAxis(gtk_scrolled_window_get_hadjustment(scrolled))
      vertical = ZoomAxis(gtk_scrolled_window_get_vadjustment(scrolled))
      addGestures()
      addWheel()
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// The binding of the picture.
    public var images: ImageBinding { status.images }

    /// How large the picture is seen: 1 when all of it fits the window.
    public var zoomFactor: Double { zoom }

    /// By how many quarters of a turn, clockwise, the picture is seen turned.
    public var quarterTurns: Int {
      get { status.view.picture.quarterTurns }
      set { status.view.picture.quarterTurns = newValue }
    }

    /// Shows a picture: first its thumbnail, then what has come of it, then all of it.
    func show(_ item: PictureItem, style: PictureStyle, thumbnail: Picture?) {
      setZoom(1)
      quarterTurns = 0
      response = nil
      status.view.alternativeText = item.name
      let options = DisplayOptions {
        $0.placeholder = thumbnail.map { .picture($0) } ?? .nothing
        $0.automaticFormat.allowsUpscaling = false
      }
      let handlers = DisplayHandlers(completion: { [weak self] outcome in self?.response = try? outcome.get()
      })
      images.setImage(style.request(for: item), options: options, handlers: handlers)
    }

    /// Takes the picture away.
    func clear() {
      images.clear()
      response = nil
    }

    /// Puts the original on the clipboard.
    func copy() async throws(ImageError) {
      try await status.view.copyToClipboard()
    }

    /// Makes the picture larger by half.
    func zoomIn() { setZoom(zoom * 1.5) }

    /// Undoes what `zoomIn` did.
    func zoomOut() { setZoom(zoom / 1.5) }

    /// Fits the picture to the window.
    func resetZoom() { setZoom(1) }

    /// - Parameter place: what stays where it is, in points of the view; `nil` for the middle.
    private func setZoom(_ value: Double, at place: (x: Double, y: Double)? = nil) {
      horizontal.hold(place?.x)
      vertical.hold(place?.y)
      zoom = min(max(value, Self.zoomRange.lowerBound), Self.zoomRange.upperBound)
      if zoom < 1.01 { zoom = 1 }
      // A picture that is seen whole needs no panning: a drag takes it out of the window.
      status.view.isDraggable = zoom == 1
      guard zoom > 1 else { return gtk_widget_set_size_request(status.widget, -1, -1) }
      gtk_widget_set_size_request(
        status.widget, gint(Double(gtk_widget_get_width(widget)) * zoom),
        gint(Double(gtk_widget_get_height(widget)) * zoom))
    }

    private func addGestures() {
      let pinch = gtk_gesture_zoom_new()!
      var begun = 1.0
      SignalSource(pinch).on("begin") { [weak self] _ in begun = self?.zoom ?? 1 }
      SignalSource(pinch).on(
        "scale-changed",
        withDouble: { [weak self] _, scale in
          self?.setZoom(begun * scale)
        })
      gtk_widget_add_controller(widget, pinch)

      let pan = gtk_gesture_drag_new()!
      SignalSource(pan).on(
        "drag-begin",
        withDoubles: { [weak self] _, _, _ in
          if let self { grip = (horizontal.value, vertical.value) }
        })
      SignalSource(pan).on(
        "drag-update",
        withDoubles: { [weak self] _, x, y in
          guard let self, zoom > 1 else { return }
          horizontal.move(to: grip.x - x)
          vertical.move(to: grip.y - y)
        })
      gtk_widget_add_controller(widget, pan)

      let click = gtk_gesture_click_new()!
      SignalSource(click).onClick { [weak self] count, x, y in
        guard let self, count == 2 else { return }
        setZoom(zoom > 1 ? 1 : 2.5, at: (x, y))
      }
      gtk_widget_add_controller(widget, click)
    }

    /// A wheel zooms at the pointer; two fingers on a touch pad move the picture, and zoom with Control.
    private func addWheel() {
      let motion = gtk_event_controller_motion_new()!
      SignalSource(motion).on("motion", withDoubles: { [weak self] _, x, y in self?.pointer = (x, y) })
      gtk_widget_add_controller(widget, motion)
      let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES)!
      // Before the scrolled window, which would move the picture.
      gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
      let controller = wheel
      SignalSource(wheel).onScroll { [weak self] _, y in
        guard let self else { return false }
        let modifiers = gtk_event_controller_get_current_event_state(controller)
        let hasControl = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
        guard hasControl || gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_WHEEL else {
          return false
        }
        if y != 0 { setZoom(zoom * (y < 0 ? 1.25 : 0.8), at: pointer) }
        return true
      }
      gtk_widget_add_controller(widget, wheel)
    }
  }
#endif
