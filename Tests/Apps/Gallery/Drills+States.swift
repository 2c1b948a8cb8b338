#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuBase
  import OzuTesting

  extension Drills {
    /// The state of a view, by CSS classes, by properties of a GObject, by a closure and by text.
    func states() async throws {
      let checks = Checks()
      let (gate, server) = (Gate(), try LoopbackServer())
      defer { server.stop() }
      let file = try NumberedPicture(5).data()
      let isBroken = Flag(true)
      server.route("/5.jpg") { _ in
        isBroken.value ? .status(503) : .ok(file, type: "image/jpeg").dripping(1 << 10, through: gate)
      }
      let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
      let view = StatusImageView(pipeline: pipeline)
      let window = Self.window(with: view.widget)
      gtk_window_set_default_size(window, 420, 320)
      defer { gtk_window_destroy(window) }
      let screen = Screen(window)
      for _ in 0..<3 { await screen.nextFrame() }

      let picture = view.view.picture
      var told: [String] = []
      picture.onStateChange { told.append($0.name) }
      let bar: UnsafeMutablePointer<GtkWidget> = gtk_progress_bar_new()
      g_object_ref_sink(ObjectPointer(bar))
      defer { g_object_unref(ObjectPointer(bar)) }
      g_object_bind_property(
        picture.stateObject, "progress", ObjectPointer(bar), "fraction", G_BINDING_DEFAULT)
      checks.equal(Self.classes(of: picture.widget), ["ozu-empty"], "the class of a view without a picture")

      view.images.options.restartsWithNetwork = false
      view.setImage(from: server.url("/5.jpg"))
      await checks.eventually("the load fails", screen) { picture.state.name == "failed" }
      checks.equal(Self.classes(of: picture.widget), ["ozu-failed"], "the class of a view whose load failed")
      checks.equal(Self.text("reason", of: picture), picture.state.reason, "the property of the reason")
      checks.expect(picture.state.reason?.contains("503") ?? false, "the reason has the server's answer")
      await checks.eventually("the reason is written over the view", screen) {
        screen.says("Server Trouble") && screen.says("The server answered 503 (Service Unavailable)")
      }
      isBroken.value = false
      guard let button = screen.button("Try Again") else {
        checks.expect(false, "there is a button to try again")
        return output.add("states", checks, detail: "")
      }
      try await Hands(screen: screen).click(button)
      await checks.eventually("the button asks again", screen) { gate.waitingCount == 1 }
      checks.expect(!screen.says("Server Trouble"), "the reason goes with the next try")
      gate.admit(max(1, file.count / 2048))
      await checks.eventually("half of the file comes", screen) { picture.state.fraction ?? 0 > 0.2 }
      checks.equal(Self.classes(of: picture.widget), ["ozu-loading"], "the class of a view that loads")
      let fraction = gtk_progress_bar_get_fraction(OpaquePointer(bar))
      checks.expect(fraction > 0.2 && fraction < 0.9, "a bound bar shows how much has come, \(fraction)")
      await checks.eventually("a slow load is seen", screen) {
        screen.visible(gtk_progress_bar_get_type()).count == 1
      }
      gate.open()
      await checks.eventually("the picture comes", screen) { view.images.picture != nil }
      checks.equal(Self.classes(of: picture.widget), ["ozu-shown"], "the class of a view with its picture")
      checks.expect(screen.visible(gtk_progress_bar_get_type()).isEmpty, "the bar goes")
      var order: [String] = []
      for name in told where order.last != name { order.append(name) }
      checks.equal(order, ["loading", "failed", "loading", "shown"], "the states in order")

      try await placeholders(view, screen, checks)
      await formats(view, screen, checks)
      await colours(view, screen, checks)
      await motion(view, screen, checks)
      output.add("states", checks, detail: "how far a view is, by classes, properties, closures and words")
    }

    /// The dominant colour is the placeholder of a picture.
    private func placeholders(_ view: StatusImageView, _ screen: Screen, _ checks: Checks) async throws {
      let red = Pixel(red: 200, green: 30, blue: 20)
      view.setImage(from: nil, placeholder: .color(red))
      for _ in 0..<3 { await screen.nextFrame() }
      var seen: Pixel?
      await screen.nextFrame {
        seen = screen.picture(of: view.widget).map { BGRABitmap($0)[$0.size.width / 2, $0.size.height / 2] }
      }
      checks.equal(seen, red, "the colour of the placeholder")
    }

    /// Pixels of every format are shown as they are.
    private func formats(_ view: StatusImageView, _ screen: Screen, _ checks: Checks) async {
      let source = Bitmap(size: PixelSize(80, 60), isOpaque: true) { _, _ in
        Pixel(red: 120, green: 120, blue: 120)
      }
      for format in PixelFormat.allCases {
        let picture = Picture(source.converted(to: format))
        view.images.setImage(
          ImageRequest(.picture(picture, key: "\(format)")),
          options: DisplayOptions { $0.placeholder = .picture(picture) })
        await checks.eventually("\(format) is shown", screen) { view.images.picture != nil }
        for _ in 0..<12 { await screen.nextFrame() }
        var seen: Pixel?
        await screen.nextFrame {
          seen = screen.picture(of: view.widget).map { BGRABitmap($0)[$0.size.width / 2, $0.size.height / 2] }
        }
        checks.expect(
          seen.map { abs(Int($0.red) - 120) < 3 && abs(Int($0.blue) - 120) < 3 } ?? false,
          "\(format) is seen as \(String(describing: seen))")
      }
    }

    /// Colours of Display P3 that were kept are converted for the screen where GTK can: (200, 100, 100) there is (215, 93, 97) in
    /// sRGB.
    private func colours(_ view: StatusImageView, _ screen: Screen, _ checks: Checks) async {
      let wide = Bitmap(size: PixelSize(80, 60), isOpaque: true) { _, _ in
        Pixel(red: 200, green: 100, blue: 100)
      }
      let picture = Picture(wide.withColorSpace(.coded(primaries: 12, transfer: 13)))
      view.images.setImage(ImageRequest(.picture(picture, key: "wide colours")))
      await checks.eventually("kept colours are shown", screen) { view.images.picture != nil }
      for _ in 0..<12 { await screen.nextFrame() }
      var seen: Pixel?
      await screen.nextFrame {
        seen = screen.picture(of: view.widget).map { BGRABitmap($0)[$0.size.width / 2, $0.size.height / 2] }
      }
      let expected =
        ozu_has_color_states() != 0
        ? Pixel(red: 215, green: 93, blue: 97) : Pixel(red: 200, green: 100, blue: 100)
      let differences = seen.map {
        [
          Int($0.red) - Int(expected.red), Int($0.green) - Int(expected.green),
          Int($0.blue) - Int(expected.blue),
        ]
      }
      checks.expect(
        differences?.allSatisfy { abs($0) < 3 } ?? false,
        "colours of Display P3 are seen as \(expected), but as \(String(describing: seen))")
    }

    /// With less motion, as soon as the desktop asks for it, the first frame is shown until the button is pressed.
    private func motion(_ view: StatusImageView, _ screen: Screen, _ checks: Checks) async {
      Self.setAnimations(false)
      defer { Self.setAnimations(true) }
      let file = DrawnAnimation.gif(width: 200, height: 150, frameCount: 10)
      view.images.setImage(ImageRequest(.data(file, key: "less motion")))
      await checks.eventually("the animation comes", screen) { view.images.picture?.animation != nil }
      checks.expect(!view.view.picture.isPlaying, "what moves stands still where less motion is wanted")
      // Made with the picture, it is laid out with the next frame.
      await checks.eventually("and has a button to play it", screen) { screen.button("Play") != nil }
      if let button = screen.button("Play") { try? await Hands(screen: screen).click(button) }
      await checks.eventually("which plays it", screen) { view.view.picture.isPlaying }
      await checks.eventually("and then pauses it", screen) { screen.button("Pause") != nil }
    }

    static func setAnimations(_ isOn: Bool) {
      var value = GValue()
      g_value_init(&value, ozu_type_boolean())
      g_value_set_boolean(&value, isOn ? 1 : 0)
      let settings = UnsafeMutableRawPointer(gtk_settings_get_default()!).assumingMemoryBound(
        to: GObject.self)
      g_object_set_property(settings, "gtk-enable-animations", &value)
      g_value_unset(&value)
    }

    private static func classes(of widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
      guard let names = gtk_widget_get_css_classes(widget) else { return [] }
      defer { g_strfreev(names) }
      var (found, index) = ([String](), 0)
      while let name = names[index] {
        found.append(String(cString: name))
        index += 1
      }
      return found.filter { $0.hasPrefix("ozu-") }
    }

    private static func text(_ property: String, of picture: PictureWidget) -> String? {
      var value = GValue()
      g_value_init(&value, ozu_type_string())
      defer { g_value_unset(&value) }
      g_object_get_property(picture.stateObject.assumingMemoryBound(to: GObject.self), property, &value)
      return g_value_get_string(&value).map { String(cString: $0) }
    }
  }

  /// Something that a server's handler asks and a drill changes.
  final class Flag: Sendable {
    private let state: Mutex<Bool>
    init(_ value: Bool) { state = Mutex(value) }
    var value: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  extension Screen {
    /// Whether a label with a text is to be seen.
    func says(_ text: String) -> Bool {
      visible(gtk_label_get_type()).contains { place in
        gtk_label_get_text(OpaquePointer(place.widget)).map { String(cString: $0) } == text
      }
    }
  }
#endif
