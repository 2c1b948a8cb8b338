#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuTesting

  extension Drills {
    /// A picture that is thrown glides on, unless less motion is wanted, and two fingers zoom it.
    func touch() async throws {
      let checks = Checks()
      let folder = try PictureFolder()
      defer { folder.remove() }
      try folder.write("map.jpg", NumberedPicture(5, size: PixelSize(2400, 1800)).data())
      try await withPipeline { pipeline in
        let view = ZoomView(pipeline: pipeline)
        let window = Self.window(with: view.widget)
        defer { gtk_window_destroy(window) }
        gtk_window_set_default_size(window, 500, 400)
        let screen = Screen(window)
        let hands = Hands(screen: screen)
        for _ in 0..<5 { await screen.nextFrame() }
        view.setImage(ImageRequest(url: folder.file("map.jpg")))
        await checks.eventually("the whole is shown", screen) { view.model.layers.count == 1 }
        view.showPixels()
        await checks.eventually("its pixels have come", screen) { !view.model.isLoading }

        // GTK takes the speed from the last 150 ms. On a machine that stops for as long before the button is released,
        // the picture is put down and not thrown, so a throw is tried again. A picture that never glides still fails.
        var thrown = try await distances(view, hands, screen)
        for _ in 0..<4 where thrown.glided <= 20 { thrown = try await distances(view, hands, screen) }
        checks.expect(thrown.held > 60, "the picture follows the pointer, by \(thrown.held) points")
        checks.expect(thrown.glided > 20, "and glides on, by \(thrown.glided)")
        let rest = view.model.geometry?.center.x ?? 0
        for _ in 0..<20 { await screen.nextFrame() }
        checks.equal(view.model.geometry?.center.x ?? 0, rest, "the place where it has come to rest")

        Self.setAnimations(false)
        let still = try await distances(view, hands, screen)
        Self.setAnimations(true)
        checks.expect(still.held > 60, "it follows the pointer where less motion is wanted too")
        checks.equal(still.glided, 0, "the way that it glides there")

        await pinch(view, screen, checks)
      }
      output.add("touch", checks, detail: "a throw and two fingers")
    }

    /// How far a quick drag to the left moves the picture, and how far it goes when it was let go.
    private func distances(
      _ view: ZoomView, _ hands: Hands, _ screen: Screen
    ) async throws -> (held: Double, glided: Double) {
      view.model.change { $0.zoom(to: 1, at: $0.viewCenter) }
      view.model.change { $0.move(by: ($0.center.x - 1200, 0)) }
      @MainActor func place() -> Double { view.model.geometry?.center.x ?? 0 }
      let start = place()
      try await hands.fling(view.widget, by: (-120, 0))
      let released = place()
      for _ in 0..<150 { await screen.nextFrame() }
      // The drag itself is 120 points; frames before its end may have glided already.
      return (min(released - start, 120), place() - start > 120 ? place() - start - 120 : 0)
    }

    /// X has no two fingers without a driver: the gesture is told of them as GTK would tell it.
    private func pinch(_ view: ZoomView, _ screen: Screen, _ checks: Checks) async {
      guard let gesture = Self.controller(gtk_gesture_zoom_get_type(), of: view.widget) else {
        checks.expect(false, "the view listens to two fingers")
        return
      }
      view.model.change { $0.fit() }
      let whole = view.scale ?? 0
      Self.emit("begin", gesture) { value in
        g_value_init(&value, gdk_event_sequence_get_type())
        g_value_set_boxed(&value, nil)
      }
      for factor in [1.5, 2, 3] {
        Self.emit("scale-changed", gesture) { value in
          g_value_init(&value, ozu_type_double())
          g_value_set_double(&value, factor)
        }
        await screen.nextFrame()
      }
      let scale = view.scale ?? 0
      checks.expect(
        abs(scale / whole - 3) < 0.01, "two fingers make it three times as large, but \(scale / whole)")
      Self.emit("scale-changed", gesture) { value in
        g_value_init(&value, ozu_type_double())
        g_value_set_double(&value, 0.5)
      }
      checks.expect(view.model.geometry?.isFitted == true, "and no smaller than the whole")
    }

    /// The gesture or controller of a kind that a widget has.
    private static func controller(
      _ type: GType, of widget: UnsafeMutablePointer<GtkWidget>
    ) -> UnsafeMutableRawPointer? {
      guard let list = gtk_widget_observe_controllers(widget) else { return nil }
      defer { g_object_unref(ObjectPointer(list)) }
      for index in 0..<g_list_model_get_n_items(list) {
        guard let item = g_list_model_get_item(list, index) else { continue }
        // The widget has it too.
        defer { g_object_unref(item) }
        if ozu_is_a(item, type) != 0 { return UnsafeMutableRawPointer(item) }
      }
      return nil
    }

    /// Emits a signal with one argument.
    private static func emit(
      _ signal: String, _ object: UnsafeMutableRawPointer, _ setArgument: (inout GValue) -> Void
    ) {
      var values = [GValue(), GValue()]
      g_value_init(&values[0], gtk_gesture_zoom_get_type())
      g_value_set_object(&values[0], object)
      setArgument(&values[1])
      let number = g_signal_lookup(signal, gtk_gesture_zoom_get_type())
      g_signal_emitv(values, number, 0, nil)
      g_value_unset(&values[0])
      g_value_unset(&values[1])
    }
  }
#endif
