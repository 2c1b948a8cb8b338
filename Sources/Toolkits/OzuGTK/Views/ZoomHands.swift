#if GTK
  import CGTK
  import Ozu

  /// The gestures and keys that zoom and move a picture.
  ///
  /// GTK gives places in points of the widget; the model has pixels of the screen over the upright picture.
  @MainActor
  final class ZoomHands {
    /// The factor by which one click of a wheel, or a key, zooms.
    static let step = 1.25
    /// The points that an arrow moves the picture by.
    private static let arrowStep = 60.0
    /// The part of the speed that is left after a second.
    private static let friction = 0.02

    /// Valid whenever a closure of a gesture runs. The closures hold this object weakly.
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let model: ZoomModel
    private weak var display: WidgetDisplay?
    private var pointer: (x: Double, y: Double) = (0, 0)
    /// The distance by which the current drag has moved the picture already.
    private var dragged: (x: Double, y: Double) = (0, 0)
    /// The speed of the picture after the user has released it, in points per second.
    private var speed: (x: Double, y: Double) = (0, 0)
    private var lastTick: Duration?
    private lazy var clock = WidgetClock { [weak self] time in self?.glide(to: time) ?? false }

    init(_ widget: UnsafeMutablePointer<GtkWidget>, _ model: ZoomModel, _ display: WidgetDisplay) {
      self.widget = widget
      self.model = model
      self.display = display
      addPointer()
      addPinch()
      addDrag()
      addClick()
      addKeys()
    }

    // MARK: Places

    /// Converts a point of the widget to the model's view.
    private func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
      let middle = (
        x: Double(gtk_widget_get_width(widget)) / 2, y: Double(gtk_widget_get_height(widget)) / 2
      )
      let offset = offset((point.x - middle.x, point.y - middle.y))
      let view = model.viewSize
      return (offset.x + Double(view.width) / 2, offset.y + Double(view.height) / 2)
    }

    /// Converts a distance on the widget to the model's view.
    private func offset(_ offset: (x: Double, y: Double)) -> (x: Double, y: Double) {
      let scale = WidgetScale.scale(of: widget)
      let (x, y) = (offset.x * scale, offset.y * scale)
      return switch display?.quarterTurns {
      case 1: (y, -x)
      case 2: (-x, -y)
      case 3: (-y, x)
      default: (x, y)
      }
    }

    private func move(by way: (x: Double, y: Double)) {
      let way = offset(way)
      model.change { $0.move(by: way) }
    }

    private func zoom(by factor: Double, at point: (x: Double, y: Double)) {
      let place = place(point)
      model.change { $0.zoom(by: factor, at: place) }
    }

    // MARK: Gestures

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
        stopGliding()
        // Two fingers on a touch pad move the picture, and zoom with Control.
        if hasControl || gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_WHEEL {
          if y != 0 { zoom(by: y < 0 ? Self.step : 1 / Self.step, at: pointer) }
        } else {
          move(by: (-x, -y))
        }
        return true
      }
      gtk_widget_add_controller(widget, wheel)
    }

    private func addPinch() {
      let pinch = gtk_gesture_zoom_new()!
      var begun = 1.0
      SignalSource(pinch).on("begin") { [weak self] _ in begun = self?.model.geometry?.scale ?? 1 }
      SignalSource(pinch).on(
        "scale-changed",
        withDouble: { [weak self] gesture, factor in
          guard let self else { return }
          var (x, y) = (0.0, 0.0)
          // GTK warns when a gesture without fingers on the screen is asked for its place.
          let isTouched = gtk_gesture_is_active(OpaquePointer(gesture)) != 0
          if !isTouched || gtk_gesture_get_bounding_box_center(OpaquePointer(gesture), &x, &y) == 0 {
            (x, y) = pointer
          }
          let place = place((x, y))
          model.change { $0.zoom(to: begun * factor, at: place) }
        })
      gtk_widget_add_controller(widget, pinch)
    }

    private func addDrag() {
      let pan = gtk_gesture_drag_new()!
      SignalSource(pan).on(
        "drag-begin",
        withDoubles: { [weak self] _, _, _ in
          guard let self else { return }
          stopGliding()
          dragged = (0, 0)
          display?.widget.map { _ = gtk_widget_grab_focus($0) }
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
          guard let self, isWiderThanView || isHigherThanView, !Motion.isReduced, abs(x) + abs(y) > 100 else {
            return
          }
          speed = (x, y)
          lastTick = nil
          clock.start(widget)
        })
      gtk_widget_add_controller(widget, swipe)
      // Both follow the same pointer. Only gestures of one widget can be grouped.
      gtk_gesture_group(swipe, pan)
    }

    private func addClick() {
      let click = gtk_gesture_click_new()!
      SignalSource(click).onClick { [weak self] count, x, y in
        guard let self, count == 2 else { return }
        stopGliding()
        let place = place((x, y))
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
        return press(key)
      }
      gtk_widget_add_controller(widget, keys)
    }

    private func press(_ key: guint) -> Bool {
      let step = Self.arrowStep
      switch Int32(key) {
      case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add:
        model.change { $0.zoom(by: Self.step, at: $0.viewCenter) }
      case GDK_KEY_minus, GDK_KEY_KP_Subtract: model.change { $0.zoom(by: 1 / Self.step, at: $0.viewCenter) }
      case GDK_KEY_0, GDK_KEY_KP_0: model.change { $0.fit() }
      case GDK_KEY_1, GDK_KEY_KP_1: model.change { $0.zoom(to: 1, at: $0.viewCenter) }
      // When the picture cannot move, arrows are left to the window, which may show the next picture.
      case GDK_KEY_Left where isWiderThanView: move(by: (step, 0))
      case GDK_KEY_Right where isWiderThanView: move(by: (-step, 0))
      case GDK_KEY_Up where isHigherThanView: move(by: (0, step))
      case GDK_KEY_Down where isHigherThanView: move(by: (0, -step))
      default: return false
      }
      return true
    }

    /// Whether the picture can be moved to the left or right of the screen.
    var isWiderThanView: Bool { canMove(isOnItsSide ? \.isHigherThanView : \.isWiderThanView) }

    private var isHigherThanView: Bool { canMove(isOnItsSide ? \.isWiderThanView : \.isHigherThanView) }

    private var isOnItsSide: Bool { display?.quarterTurns.isMultiple(of: 2) == false }

    private func canMove(_ way: KeyPath<ZoomGeometry, Bool>) -> Bool {
      model.geometry?[keyPath: way] ?? false
    }

    // MARK: Gliding

    /// Moves a picture on for a moment after the user has released it. Returns whether it still moves.
    private func glide(to time: Duration) -> Bool {
      defer { lastTick = time }
      guard let lastTick else { return true }
      let seconds = min((time - lastTick) / .seconds(1), 0.1)
      // Two ticks may have the same time. That the picture has not moved then does not mean that it is at its edge.
      guard seconds > 0 else { return true }
      let before = model.geometry
      move(by: (speed.x * seconds, speed.y * seconds))
      let rest = 1 - (1 - Self.friction) * min(1, seconds * 4)
      speed = (speed.x * rest, speed.y * rest)
      return abs(speed.x) + abs(speed.y) > 20 && model.geometry != before
    }

    func stopGliding() {
      speed = (0, 0)
      clock.stop(widget)
    }
  }
#endif
