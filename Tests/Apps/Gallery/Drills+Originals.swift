#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuTesting

  extension Drills {
    /// The original on the clipboard and in a drag: what another program reads are the bytes that the source has.
    func originals() async throws {
      let checks = Checks()
      let server = try LoopbackServer()
      defer { server.stop() }
      let file = try NumberedPicture(3).data()
      server.route("/3.jpg") { _ in .ok(file, type: "image/jpeg").header("Cache-Control", "max-age=3600") }
      let path = FileManager.default.temporaryDirectory.appending(path: "ozu original \(UUID()).jpg")
      try file.write(to: path)
      defer { try? FileManager.default.removeItem(at: path) }
      try await withPipeline { pipeline in
        for url in [server.url("/3.jpg"), path] {
          try await withView(pipeline) { view, screen in
            view.isDraggable = true
            view.setImage(from: url, key: url.isFileURL ? nil : "kept")
            await checks.eventually("\(url): the picture is shown", screen) { view.images.picture != nil }
            // The address has run out: what the caches have under the key is copied.
            await pipeline.flush()
            server.route("/3.jpg", .status(404))
            checks.expect(
              view.images.picture?.size != NumberedPicture(3).size, "it is smaller than the original")

            try await view.copyToClipboard()
            let clipboard = gtk_widget_get_clipboard(view.widget)!
            let copied = await Pasting.read(clipboard, "image/jpeg")
            checks.expect(copied == file, "\(url): the clipboard has the original's bytes")
            let pixels = try await Self.picture(pipeline, await Pasting.read(clipboard, "image/png"))
            checks.equal(pixels?.size, NumberedPicture(3).size, "the size of the pixels on the clipboard")
            let name = await Pasting.read(
              clipboard, url.isFileURL ? "text/uri-list" : "text/plain;charset=utf-8")
            let text = String(decoding: name ?? Data(), as: UTF8.self).trimmingCharacters(
              in: .whitespacesAndNewlines)
            checks.equal(text, url.absoluteString, "the name on the clipboard")

            guard let dragged = Self.dragged(out: view.widget) else {
              checks.expect(false, "\(url): a drag out of the view has content")
              return
            }
            defer { g_object_unref(ObjectPointer(dragged)) }
            let bytes = await Pasting.read(dragged, "image/jpeg")
            checks.expect(bytes == file, "\(url): a drag has the original's bytes")

            view.isDraggable = false
            checks.expect(Self.dragged(out: view.widget) == nil, "a view that is not draggable has no drag")
          }
        }
      }
      try await dragByHand(path, checks)
      output.add("originals", checks, detail: "what is copied and dragged out are the bytes of the source")
    }

    /// A picture is dragged out of its widget and over another by the pointer: what is offered there are its bytes.
    private func dragByHand(_ path: URL, _ checks: Checks) async throws {
      try await withPipeline { pipeline in
        let view = ImageView(pipeline: pipeline)
        view.isDraggable = true
        let place: UnsafeMutablePointer<GtkWidget> = gtk_label_new("here")
        let target = gtk_drop_target_new(g_file_get_type(), GDK_ACTION_COPY)!
        gtk_widget_add_controller(place, target)
        let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
        gtk_box_set_homogeneous(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), 1)
        for widget in [view.widget, place] {
          gtk_widget_set_hexpand(widget, 1)
          gtk_widget_set_vexpand(widget, 1)
          gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), widget)
        }
        let window = Self.window(with: box)
        defer { gtk_window_destroy(window) }
        gtk_window_set_default_size(window, 400, 200)
        let screen = Screen(window)
        for _ in 0..<3 { await screen.nextFrame() }
        view.setImage(from: path)
        await checks.eventually("the picture is shown", screen) { view.images.picture != nil }
        var endCount = 0
        // Has two arguments, of which a closure may want none.
        if let source = Self.dragSource(of: view.widget) {
          SignalSource(source).on("drag-end") { _ in endCount += 1 }
        }
        try await Hands(screen: screen).drag(view.widget, by: (200, 0)) {
          await checks.eventually("it is over the other widget", screen) {
            gtk_drop_target_get_current_drop(target) != nil
          }
          guard let drop = gtk_drop_target_get_current_drop(target) else { return }
          let bytes = await Pasting.read(drop: drop, "image/jpeg")
          checks.expect(bytes == (try? Data(contentsOf: path)), "a drag by hand has the original's bytes")
        }
        await checks.eventually("the drag ends", screen) { endCount == 1 }
      }
    }

    private static func picture(_ pipeline: ImagePipeline, _ data: Data?) async throws -> Picture? {
      guard let data else { return nil }
      return try await pipeline.image(for: ImageRequest(.data(data, key: "pasted")))
    }

    /// The content provider that GTK gets from a view's drag source when a drag begins; owned by the caller.
    private static func dragged(
      out widget: UnsafeMutablePointer<GtkWidget>
    ) -> UnsafeMutablePointer<GdkContentProvider>? {
      guard let source = dragSource(of: widget) else { return nil }
      var arguments = [GValue](repeating: GValue(), count: 3)
      g_value_init(&arguments[0], gtk_drag_source_get_type())
      g_value_set_object(&arguments[0], source)
      for index in 1...2 {
        g_value_init(&arguments[index], g_type_from_name("gdouble"))
        g_value_set_double(&arguments[index], 20)
      }
      var answer = GValue()
      g_value_init(&answer, gdk_content_provider_get_type())
      defer {
        g_value_unset(&answer)
        for index in arguments.indices { g_value_unset(&arguments[index]) }
      }
      g_signal_emitv(arguments, g_signal_lookup("prepare", gtk_drag_source_get_type()), 0, &answer)
      return g_value_dup_object(&answer)?.assumingMemoryBound(to: GdkContentProvider.self)
    }

    /// The `GtkDragSource` of a widget, which holds it.
    private static func dragSource(of widget: UnsafeMutablePointer<GtkWidget>) -> ObjectPointer? {
      let controllers = gtk_widget_observe_controllers(widget)!
      defer { g_object_unref(ObjectPointer(controllers)) }
      for index in 0..<g_list_model_get_n_items(controllers) {
        let controller = g_list_model_get_item(controllers, index)!
        defer { g_object_unref(controller) }
        if ozu_is_a(controller, gtk_drag_source_get_type()) != 0 { return controller }
      }
      return nil
    }
  }
#endif
