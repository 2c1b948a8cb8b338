#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// Every choice of the popover does what it says.
    func preferences() async throws {
      let checks = Checks()
      let server = try DemoServer(count: 60)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          let hands = Hands(screen: screen)
          await settle(window, screen)
          try await hands.press("ctrl+comma")
          guard
            await checks.eventually(
              "Ctrl+, opens the preferences", screen, { Self.dialogue(over: window) != nil }),
            let dialogue = Self.dialogue(over: window)
          else { return }
          let choices = Self.all(gtk_drop_down_get_type(), below: dialogue)
          let switches = Self.all(gtk_switch_get_type(), below: dialogue)
          let fields = Self.all(gtk_spin_button_get_type(), below: dialogue)
          guard checks.expect(choices.count == 2 && switches.count == 1 && fields.count == 1, "all are there")
          else { return }
          for control in choices + switches + fields {
            checks.expect(
              gtk_test_accessible_has_property(OpaquePointer(control), GTK_ACCESSIBLE_PROPERTY_LABEL) != 0,
              "a screen reader has a name for each")
          }

          await settle(window, screen)
          try await modes(choices[0], window, screen, checks)
          try await looks(switches[0], choices[1], window, screen, checks)
          try await hands.press("Escape")
          await checks.eventually("Escape closes them", screen) { Self.dialogue(over: window) == nil }
        }
      }
      output.add("preferences", checks, detail: "mode, corners, dark and light")
    }

    private func modes(
      _ choice: UnsafeMutablePointer<GtkWidget>, _ window: GalleryWindow, _ screen: Screen, _ checks: Checks
    ) async throws {
      for (index, fit) in [
        (1, GTK_CONTENT_FIT_CONTAIN), (2, GTK_CONTENT_FIT_FILL), (0, GTK_CONTENT_FIT_COVER),
      ] {
        gtk_drop_down_set_selected(OpaquePointer(choice), guint(index))
        await settle(window, screen)
        let cells = cells(of: window, screen)
        let fits = cells.map { gtk_picture_get_content_fit(OpaquePointer($0.place.widget)) }
        checks.expect(!cells.isEmpty && fits.allSatisfy { $0 == fit }, "mode \(index) is that of every cell")
        // A stretched picture cannot be read.
        guard fit != GTK_CONTENT_FIT_FILL else { continue }
        await screen.nextFrame {
          guard let picture = screen.picture() else { return }
          for cell in self.cells(of: window, screen) {
            let place = cell.place.rectangle
            let shown = cell.place.picture.images.picture
            let region = fit == GTK_CONTENT_FIT_COVER ? place : Self.fitted(shown, in: place)
            let seen = NumberedPicture.number(in: picture, region: region)
            checks.equal(seen, cell.number, "the number of a cell in mode \(index)")
          }
        }
      }
    }

    private func looks(
      _ corners: UnsafeMutablePointer<GtkWidget>, _ appearance: UnsafeMutablePointer<GtkWidget>,
      _ window: GalleryWindow, _ screen: Screen,
      _ checks: Checks
    ) async throws {
      func turn() async {
        let control = OpaquePointer(corners)
        let wasOn = gtk_switch_get_active(control)
        gtk_widget_activate(corners)
        await checks.eventually("the switch turns", screen) { gtk_switch_get_active(control) != wasOn }
        await settle(window, screen)
      }
      let plain = await look(at: window, screen)
      checks.expect(plain.colour > 20 && plain.corner > 20, "a picture has colours up to its corners")
      await turn()
      checks.expect(
        await look(at: window, screen).corner < 12, "round corners are those of the window's colour")
      await turn()
      checks.expect(plain.window > 180, "a window is light")
      gtk_drop_down_set_selected(OpaquePointer(appearance), 2)
      await settle(window, screen)
      checks.expect(await look(at: window, screen).window < 90, "and dark when it should be")
      gtk_drop_down_set_selected(OpaquePointer(appearance), 0)
      await settle(window, screen)
      checks.expect(await look(at: window, screen).window > 180, "and light again")
    }

    /// Measures of a cell and the window, in parts of 255: the colourfulness of the cell, the difference of its corner from
    /// the grey of the window, and the lightness of the window.
    private func look(
      at window: GalleryWindow, _ screen: Screen
    ) async -> (colour: Int, corner: Int, window: Int) {
      var look = (colour: 0, corner: 0, window: 0)
      await screen.nextFrame {
        // Not the first, which is selected and has a colour round it.
        let cells = self.cells(of: window, screen)
        guard let picture = screen.picture(), cells.count > 1 else { return }
        let place = cells[1].place.rectangle
        func colour(_ x: Int, _ y: Int) -> Int {
          let pixel = picture[x, y]
          let parts = [pixel.red, pixel.green, pixel.blue].map(Int.init)
          return parts.max()! - parts.min()!
        }
        let row = place.y + place.size.height / 2
        for x in place.x + 1..<place.x + place.size.width {
          look.colour = max(look.colour, colour(x, row))
        }
        look.corner = colour(place.x + 2, place.y + 2)
        look.window = Int(picture[12, picture.size.height - 8].green)
      }
      return look
    }

    /// The window that lies over a gallery; `nil` when there is none.
    static func dialogue(over window: GalleryWindow) -> UnsafeMutablePointer<GtkWidget>? {
      dialogue(over: window.window)
    }

    static func dialogue(over window: UnsafeMutablePointer<GtkWindow>) -> UnsafeMutablePointer<GtkWidget>? {
      let all = gtk_window_get_toplevels()!
      for index in 0..<g_list_model_get_n_items(all) {
        guard let object = g_list_model_get_item(all, index) else { continue }
        defer { g_object_unref(object) }
        let candidate = object.assumingMemoryBound(to: GtkWindow.self)
        if gtk_window_get_transient_for(candidate) == window {
          return object.assumingMemoryBound(to: GtkWidget.self)
        }
      }
      return nil
    }

    static func window(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWindow> {
      UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
    }

    /// The widgets of a kind below another, seen or not.
    static func all(
      _ type: GType, below root: UnsafeMutablePointer<GtkWidget>
    ) -> [UnsafeMutablePointer<GtkWidget>] {
      if ozu_is_a(root, type) != 0 { return [root] }
      var (found, child) = ([UnsafeMutablePointer<GtkWidget>](), gtk_widget_get_first_child(root))
      while let present = child {
        found += all(type, below: present)
        child = gtk_widget_get_next_sibling(present)
      }
      return found
    }
  }
#endif
