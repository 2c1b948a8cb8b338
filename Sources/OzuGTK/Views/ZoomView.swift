#if GTK
  import CGTK
  import Ozu

  /// A view that shows a picture of any size, and zooms and moves it: by wheel at the pointer, pinch, drag, double click and keys.
  ///
  /// ```swift
  /// let view = ZoomView()
  /// view.alternativeText = "A map of the harbour"
  /// view.setImage(ImageRequest(url: url))
  /// gtk_box_append(box, view.widget)
  /// ```
  ///
  /// What is seen is as sharp as the screen, and what is not seen is not decoded, where the file allows that (`ZoomModel`). Keys,
  /// when the view has the focus: plus and minus, 0 for the whole, 1 for its own pixels, and arrows.
  ///
  /// The object holds a reference to its widget, and the widget draws nothing without the object.
  @MainActor
  public final class ZoomView {
    /// The `GtkPicture`, to be put into a container.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// What is loaded and shown. Its `onChange` is the view's own; `onChange` of the view is for others.
    public let model: ZoomModel
    /// Called when something has come or the picture lies otherwise.
    public var onChange: @MainActor () -> Void = {}

    private let paintable: ZoomPaintable
    private var isResizePending = false
    /// The pointer, in points of the view.
    private var pointer: (x: Double, y: Double) = (0, 0)
    /// How far a drag has moved the picture already, in points.
    private var dragged: (x: Double, y: Double) = (0, 0)
    /// What a picture that was let go of goes on with, in points a second.
    private var speed: (x: Double, y: Double) = (0, 0)
    private var lastTick: Duration?
    private lazy var clock = WidgetClock { [weak self] time in self?.glide(to: time) ?? false }

    /// How much nearer one click of a wheel, or a key, brings the picture.
    private static let step = 1.25
    /// The points that an arrow moves the picture by.
    private static let arrowStep = 60.0
    /// What is left of the speed after a second.
    private static let friction = 0.02

    /// Makes a view whose pictures come through a pipeline.
    public init(pipeline: ImagePipeline = .shared) {
      model = ZoomModel(pipeline: pipeline)
      paintable = ZoomPaintable(model)
      widget = gtk_picture_new_for_paintable(paintable.pointer)
      g_object_ref_sink(ObjectPointer(widget))
      gtk_picture_set_content_fit(OpaquePointer(widget), GTK_CONTENT_FIT_FILL)
      gtk_widget_set_hexpand(widget, 1)
      gtk_widget_set_vexpand(widget, 1)
      gtk_widget_set_focusable(widget, 1)
      gtk_widget_add_css_class(widget, "ozu-zoom")
      paintable.onDraw = { [weak self] width, height in self?.noteSize(width, height) }
      model.onChange = { [weak self] in
        self?.paintable.invalidate()
        self?.onChange()
      }
      addPointer()
      addGestures()
      addKeys()
    }

    isolated deinit {
      model.clear()
      g_object_unref(ObjectPointer(widget))
    }

    /// What the picture shows, in words, for those who cannot see it.
    public var alternativeText: String? {
      get { gtk_picture_get_alternative_text(OpaquePointer(widget)).map { String(cString: $0) } }
      set { gtk_picture_set_alternative_text(OpaquePointer(widget), newValue) }
    }

    /// Shows another picture, as a whole at first.
    public func setImage(_ request: ImageRequest) {
      stopGliding()
      model.setImage(request)
    }

    /// How many pixels of the screen a pixel of the picture takes; `nil` before there is a picture.
    public var scale: Double? { model.geometry?.scale }

    /// Brings the picture nearer, in the middle of the view.
    public func zoomIn() { zoom(by: Self.step) }

    /// Takes the picture further away.
    public func zoomOut() { zoom(by: 1 / Self.step) }

    /// Shows the whole picture.
    public func fit() { model.change { $0.fit() } }

    /// Shows each pixel of the picture as one of the screen.
    public func showPixels() { model.change { $0.zoom(to: 1, at: $0.viewCenter) } }

    private func zoom(by factor: Double) { model.change { $0.zoom(by: factor, at: $0.viewCenter) } }

    /// A point of the view in pixels of the screen.
    private func pixels(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
      (point.x * paintable.scale, point.y * paintable.scale)
    }

    // MARK: Its size

    /// Hears of the size while GTK draws, and tells it in the next turn of the main loop: nothing may change in the middle
    /// of a frame.
    private func noteSize(_ width: Double, _ height: Double) {
      let scale = WidgetScale.scale(of: widget)
      let size = PixelSize(Int((width * scale).rounded()), Int((height * scale).rounded()))
      guard size != model.viewSize || scale != paintable.scale, !isResizePending else { return }
      isResizePending = true
      Task { [weak self] in
        guard let self else { return }
        isResizePending = false
        paintable.scale = scale
        paintable.noteRenderer(of: widget)
        model.resize(to: size)
      }
    }

    // MARK: Hands

    private func addPointer() {
      let motion = gtk_event_controller_motion_new()!
      SignalSource(motion).on("motion", withDoubles: { [weak self] _, x, y in self?.pointer = (x, y) })
      SignalSource(motion).on("enter", withDoubles: { [weak self] _, x, y in self?.pointer = (x, y) })
      gtk_widget_add_controller(widget, motion)
      let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES)!
      let controller = wheel
      SignalSource(wheel).onScroll { [weak self] x, y in
        guard let self else { return false }
        let modifiers = gtk_event_controller_get_current_event_state(controller)
        let hasControl = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
        // Two fingers on a touch pad move the picture, and zoom with Control.
        if hasControl || gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_WHEEL {
          guard y != 0 else { return true }
          let place = pixels(pointer)
          model.change { $0.zoom(by: y < 0 ? Self.step : 1 / Self.step, at: place) }
        } else {
          move(by: (-x, -y))
        }
        return true
      }
      gtk_widget_add_controller(widget, wheel)
    }

    private func addGestures() {
      let pinch = gtk_gesture_zoom_new()!
      var begun = 1.0
      SignalSource(pinch).on("begin") { [weak self] _ in begun = self?.scale ?? 1 }
      SignalSource(pinch).on(
        "scale-changed",
        withDouble: { [weak self] gesture, factor in
          guard let self else { return }
          var (x, y) = (0.0, 0.0)
          if gtk_gesture_get_bounding_box_center(OpaquePointer(gesture), &x, &y) == 0 { (x, y) = pointer }
          let place = pixels((x, y))
          model.change { $0.zoom(to: begun * factor, at: place) }
        })
      gtk_widget_add_controller(widget, pinch)

      let pan = gtk_gesture_drag_new()!
      SignalSource(pan).on(
        "drag-begin",
        withDoubles: { [weak self] _, _, _ in
          self?.stopGliding()
          self?.dragged = (0, 0)
          if let self { gtk_widget_grab_focus(widget) }
        })
      SignalSource(pan).on(
        "drag-update",
        withDoubles: { [weak self] _, x, y in
          guard let self else { return }
          move(by: (x - dragged.x, y - dragged.y))
          dragged = (x, y)
        })
      gtk_widget_add_controller(widget, pan)

      let swipe = gtk_gesture_swipe_new()!
      SignalSource(swipe).on(
        "swipe",
        withDoubles: { [weak self] _, x, y in
          guard let self, !Motion.isReduced, abs(x) + abs(y) > 100 else { return }
          speed = (x, y)
          lastTick = nil
          clock.start(widget)
        })
      gtk_widget_add_controller(widget, swipe)
      // Both see the same pointer; gestures of one widget alone can be grouped.
      gtk_gesture_group(swipe, pan)

      let click = gtk_gesture_click_new()!
      SignalSource(click).onClick { [weak self] count, x, y in
        guard let self, count == 2 else { return }
        stopGliding()
        let place = pixels((x, y))
        model.change { $0.toggle(at: place) }
      }
      gtk_widget_add_controller(widget, click)
    }

    private func addKeys() {
      let keys = gtk_event_controller_key_new()!
      SignalSource(keys).onKeys { [weak self] key, modifiers in
        guard let self, modifiers.rawValue & (GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue) == 0 else {
          return false
        }
        let step = Self.arrowStep
        switch Int32(key) {
        case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: zoomIn()
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: zoomOut()
        case GDK_KEY_0, GDK_KEY_KP_0: fit()
        case GDK_KEY_1, GDK_KEY_KP_1: showPixels()
        // A picture that is seen whole leaves arrows to who is around it: the next picture, mostly.
        case GDK_KEY_Left where canMove: move(by: (step, 0))
        case GDK_KEY_Right where canMove: move(by: (-step, 0))
        case GDK_KEY_Up where canMove: move(by: (0, step))
        case GDK_KEY_Down where canMove: move(by: (0, -step))
        default: return false
        }
        return true
      }
      gtk_widget_add_controller(widget, keys)
    }

    private var canMove: Bool { model.geometry?.isFitted == false }

    /// - Parameter offset: in points.
    private func move(by offset: (x: Double, y: Double)) {
      let offset = pixels(offset)
      model.change { $0.move(by: offset) }
    }

    // MARK: Gliding

    /// A picture that is let go of goes on for a moment; returns whether it still does.
    private func glide(to time: Duration) -> Bool {
      defer { lastTick = time }
      guard let lastTick else { return true }
      let seconds = min((time - lastTick) / .seconds(1), 0.1)
      let before = model.geometry
      move(by: (speed.x * seconds, speed.y * seconds))
      let rest = 1 - (1 - Self.friction) * min(1, seconds * 4)
      speed = (speed.x * rest, speed.y * rest)
      return abs(speed.x) + abs(speed.y) > 20 && model.geometry != before
    }

    private func stopGliding() {
      speed = (0, 0)
      clock.stop(widget)
    }
  }
#endif
