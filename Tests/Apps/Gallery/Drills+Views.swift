#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// The screen's scale changes: the picture is requested again at twice the pixels, and the old one stays until then.
    func scale() async throws {
      let checks = Checks()
      let (gate, server) = (Gate(isOpen: true), try LoopbackServer())
      defer { server.stop() }
      let file = try NumberedPicture(6).data()
      server.route("/6.jpg") { _ in .ok(file, type: "image/jpeg").held(by: gate) }
      // Nothing is kept on disk, so that a new request goes to the server.
      let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
      try await withView(pipeline) { view, screen in
        defer { Self.setScale(1) }
        view.setImage(from: server.url("/6.jpg"))
        await checks.eventually("the picture is shown", screen) { view.images.picture != nil }
        checks.equal(view.images.picture?.size, PixelSize(200, 150), "a picture at a scale of 1")
        for _ in 0..<12 { await screen.nextFrame() }  // Its fade.

        gate.close()
        Self.setScale(2)
        await checks.eventually("it is asked for anew", screen) { view.images.isLoading }
        checks.equal(view.images.picture?.size, PixelSize(200, 150), "the picture while a sharper one loads")
        await screen.nextFrame { checks.equal(Self.number(in: view, screen), 6, "what is seen meanwhile") }

        gate.open()
        await checks.eventually("the sharper one comes", screen) { !view.images.isLoading }
        checks.equal(view.images.picture?.size, PixelSize(400, 300), "a picture at a scale of 2")
        await screen.nextFrame { checks.equal(Self.number(in: view, screen), 6, "what is seen then") }
        checks.equal(server.requestCount, 2, "the number of downloads")

        Self.setScale(1)
        for _ in 0..<5 { await screen.nextFrame() }
        checks.equal(view.images.picture?.size, PixelSize(400, 300), "the picture back at a scale of 1")
        checks.equal(server.requestCount, 2, "the number of downloads after that")
      }
      output.add("scale", checks, detail: "a new scale factor brings a new picture, in place of the old")
    }

    /// Puts all windows on a screen of another density, as a settings daemon does. The header of GDK's X11 part
    /// needs those of X11, which nothing else here does.
    static func setScale(_ scale: gint) {
      typealias SetScale = @convention(c) (OpaquePointer?, gint) -> Void
      guard let function = dlsym(nil, "gdk_x11_display_set_surface_scale") else { return }
      unsafeBitCast(function, to: SetScale.self)(gdk_display_get_default(), scale)
    }

    /// A view is hidden and shown again: its load is cancelled and begins again.
    func mapping() async throws {
      let checks = Checks()
      let (gate, server) = (Gate(), try LoopbackServer())
      defer { server.stop() }
      let file = try NumberedPicture(9).data()
      server.route("/9.jpg") { _ in .ok(file, type: "image/jpeg").held(by: gate) }
      let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
      try await withView(pipeline) { view, screen in
        view.setImage(from: server.url("/9.jpg"))
        await checks.eventually("the picture loads", screen) { server.requestCount == 1 }
        gtk_widget_set_visible(view.widget, 0)
        checks.expect(Self.isCancelled(view.images.phase), "an unmapped view calls its load off")
        await checks.eventually("nothing is left of the load", screen) { pipeline.diagnostics().jobs.isEmpty }

        gtk_widget_set_visible(view.widget, 1)
        await checks.eventually("it begins again", screen) { server.requestCount == 2 }
        gate.open()
        await checks.eventually("the picture comes", screen) { view.images.picture != nil }
        for _ in 0..<12 { await screen.nextFrame() }
        await screen.nextFrame { checks.equal(Self.number(in: view, screen), 9, "what is seen") }

        gtk_widget_set_visible(view.widget, 0)
        gtk_widget_set_visible(view.widget, 1)
        for _ in 0..<3 { await screen.nextFrame() }
        checks.equal(server.requestCount, 2, "the number of downloads after a look away")
        await screen.nextFrame { checks.equal(Self.number(in: view, screen), 9, "what is seen after it") }
      }
      output.add("mapping", checks, detail: "a load ends with the view out of sight and begins again")
    }

    private static func isCancelled(_ phase: DisplayPhase) -> Bool {
      if case .cancelled = phase { true } else { false }
    }

    /// An animation plays on the frame clock, within a limit of memory, and stops while it is not visible.
    func animation() async throws {
      let checks = Checks()
      let pool = PixelBufferPool(retainedByteLimit: 0)
      // A frame takes 120 kB, and all of them ten times the budget.
      let (frameCount, budget) = (30, 360_000)
      let pipeline = ImagePipeline {
        $0.caching.diskStorage = .none
        $0.decoding.pixelBufferPool = pool
        $0.decoding.limits.animationByteCount = budget
      }
      try await withView(pipeline) { view, screen in
        let file = DrawnAnimation.gif(width: 200, height: 150, frameCount: frameCount)
        view.images.setImage(ImageRequest(.data(file, key: "animation")))
        await checks.eventually("the animation comes", screen) { view.images.picture?.animation != nil }
        let animation = view.images.picture?.animation
        checks.equal(animation?.frameCount, frameCount, "the number of frames")
        checks.equal(animation?.byteBudget, budget, "the budget of the frames")
        for _ in 0..<12 { await screen.nextFrame() }

        pool.resetPeak()
        let seen = await Self.changes(of: view, screen, frameCount: 120)
        checks.expect(seen > 10, "frames change on the frame clock, but \(seen) did in 120 ticks")
        let peak = pool.statistics.peakLentByteCount
        // The frame that is shown, the one that comes and the picture itself are the player's.
        let shown = 3 * 200 * 150 * 4
        checks.expect(
          peak > 0 && peak <= budget + shown * 5 / 4, "frames keep to \(budget) bytes, but \(peak) were taken"
        )

        gtk_widget_set_visible(view.widget, 0)
        await screen.nextFrame()
        let paintable = gtk_picture_get_paintable(OpaquePointer(view.widget))
        var invalidations = 0
        SignalSource(paintable!).on("invalidate-contents") { _ in invalidations += 1 }
        for _ in 0..<60 { await screen.nextFrame() }
        checks.equal(invalidations, 0, "the number of frames of an unmapped animation")

        gtk_widget_set_visible(view.widget, 1)
        await checks.eventually("it goes on when it is mapped", screen) { invalidations >= 2 }
        view.images.isPlaybackPaused = true
        invalidations = 0
        for _ in 0..<60 { await screen.nextFrame() }
        checks.equal(invalidations, 0, "the number of frames while the app has it stand still")
      }
      output.add("animation", checks, detail: "frames on the frame clock, and none out of sight")
    }

    /// How often a view looks different from the frame before.
    private static func changes(of view: ImageView, _ screen: Screen, frameCount: Int) async -> Int {
      var (count, last) = (0, [UInt8]())
      for _ in 0..<frameCount {
        await screen.nextFrame {
          let now = screen.picture(of: view.widget).map { $0.withUnsafeBytes(Array.init) } ?? []
          if !last.isEmpty, now != last { count += 1 }
          last = now
        }
      }
      return count
    }

    /// Assistive technologies get the text of a picture.
    func accessibility() async throws {
      let checks = Checks()
      let server = try DemoServer(count: 30)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withView(pipeline) { view, _ in
          view.alternativeText = "The harbour in the morning"
          checks.expect(
            Self.isDescribed(view.widget), "a view with a text is an image with a name and a description")
          checks.equal(view.alternativeText, "The harbour in the morning", "its text")
          view.alternativeText = nil
          checks.equal(view.alternativeText, nil, "a text that was taken away")
        }
        let button: UnsafeMutablePointer<GtkWidget> = gtk_button_new()
        g_object_ref_sink(ObjectPointer(button))
        defer { g_object_unref(ObjectPointer(button)) }
        let inside: UnsafeMutablePointer<GtkWidget> = gtk_picture_new()
        gtk_button_set_child(UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self), inside)
        checks.expect(PictureWidget(button).widget == inside, "a button's widget is the picture inside")
        try await withWindow(server.items, pipeline) { window, screen in
          let cells = screen.visible(gtk_picture_get_type(), below: window.grid.widget)
          checks.expect(!cells.isEmpty, "there are cells")
          for cell in cells {
            checks.expect(Self.isDescribed(cell.widget), "a cell is an image with a name and a description")
          }
          window.open(at: 3)
          await screen.nextFrame()
          let large = screen.visible(gtk_picture_get_type(), below: window.detail.widget).first?.widget
          let text = large.flatMap { gtk_picture_get_alternative_text(OpaquePointer($0)) }
          checks.equal(text.map { String(cString: $0) }, "Picture 3", "the text of the large picture")
        }
      }
      output.add("accessibility", checks, detail: "every picture has its alternative text")
    }

    private static func isDescribed(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
      let accessible = OpaquePointer(widget)
      return gtk_test_accessible_has_role(accessible, GTK_ACCESSIBLE_ROLE_IMG) != 0
        && gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION) != 0
        && gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) != 0
    }

    // MARK: Tools

    /// Opens a window with nothing but a view of 200 × 150 points.
    func withView<Result>(
      _ pipeline: ImagePipeline, _ body: (ImageView, Screen) async throws -> Result
    ) async throws -> Result {
      let view = ImageView(pipeline: pipeline)
      view.contentMode = .aspectFill
      let window = Self.window(with: view.widget)
      let screen = Screen(window)
      for _ in 0..<3 { await screen.nextFrame() }
      defer { gtk_window_destroy(window) }
      return try await body(view, screen)
    }

    /// A bare window of 200 × 150 points.
    static func window(with child: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWindow> {
      let widget: UnsafeMutablePointer<GtkWidget> = gtk_window_new()
      let window = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
      gtk_window_set_decorated(window, 0)
      gtk_window_set_default_size(window, 200, 150)
      gtk_window_set_child(window, child)
      gtk_window_present(window)
      return window
    }

    /// The number that a view shows.
    static func number(in view: ImageView, _ screen: Screen) -> Int? {
      screen.picture(of: view.widget).flatMap { NumberedPicture.number(in: $0) }
    }
  }
#endif
