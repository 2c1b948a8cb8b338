#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// One picture large: buttons, wheel, turning, full screen, slides, and the windows over it.
    func large() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 5)
      defer { folder.remove() }
      try await withPipeline { pipeline in
        try await withWindow([], pipeline) { window, screen in
          let hands = Hands(screen: screen)
          window.show(PictureSource(opening: [folder.file("2.jpg")]))
          await checks.eventually("a file is opened large, in its folder", screen) {
            window.isShowingDetail && window.position == 1 && window.grid.count == 5
              && window.detail.images.picture != nil
          }
          for _ in 0..<30 { await screen.nextFrame() }
          try await click("Next picture", hands, checks)
          checks.equal(window.position, 2, "the place after the button for the next")
          try await click("Previous picture", hands, checks)
          checks.equal(window.position, 1, "the place after the button for the one before")
          try await wheel(window, hands, screen, checks)

          try await turn(window, hands, screen, checks)
          try await percentage(window, hands, screen, checks)

          try await hands.press("ctrl+t")
          await checks.eventually("Ctrl+T shows the filmstrip", screen) {
            screen.visible(gtk_list_view_get_type()).count == 1
          }
          for _ in 0..<60 { await screen.nextFrame() }
          try await keep("look-filmstrip", screen, pipeline)
          if let strip = screen.visible(gtk_list_view_get_type()).first?.widget {
            let cells = screen.visible(gtk_picture_get_type(), below: strip)
            checks.equal(cells.count, 5, "the number of pictures in it")
            if cells.count == 5 { try await hands.click(cells[4].widget) }
            checks.equal(window.position, 4, "the place after a click on the last")
            try folder.write("1.jpg", NumberedPicture(1, size: .init(400, 600)).data())
            await checks.eventually("a file that is written again has its new picture there", screen) {
              guard cells.count == 5, let size = cells[0].picture.images.picture?.size else { return false }
              return size.height > size.width
            }
            window.open(at: 1)
          }
          try await hands.press("ctrl+t")

          try await fullscreen(window, hands, screen, checks)
          try await dialogues(window, hands, screen, checks)
        }
      }
      output.add("large", checks, detail: "one picture large, by buttons, wheel and keys")
    }

    /// Clicks on the button with a text.
    func click(_ text: String, _ hands: Hands, _ checks: Checks) async throws {
      guard let button = hands.screen.button(text) else {
        checks.expect(false, "there is a button '\(text)'")
        return
      }
      try await hands.click(button)
    }

    private func wheel(_ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks)
      async throws
    {
      try await hands.turnWheel(over: window.detail.widget, by: -4)
      await checks.eventually("the wheel makes the picture larger", screen) { window.detail.zoomFactor > 2 }
      for _ in 0..<10 { await screen.nextFrame() }
      let share = Self.middle(of: window)
      checks.expect(
        (0.47...0.53).contains(share), "what is under the pointer stays there, but is at \(share)")
      try await hands.turnWheel(over: window.detail.widget, by: 6)
      await checks.eventually("and smaller", screen) { window.detail.zoomFactor == 1 }
    }

    /// Where in the picture the middle of the view is, from left to right: 0 to 1.
    static func middle(of window: GalleryWindow) -> Double {
      guard let geometry = window.detail.zoom.model.geometry else { return 0 }
      return geometry.center.x / Double(geometry.pictureSize.width)
    }

    /// A turned picture stands where it was broad, and is moved as the hand goes.
    private func turn(_ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks)
      async throws
    {
      let model = window.detail.zoom.model
      let upright = model.viewSize
      try await hands.press("ctrl+r")
      await checks.eventually("Ctrl+R turns it", screen) {
        model.viewSize == PixelSize(upright.height, upright.width) && window.detail.zoomFactor == 1
      }
      try await hands.press("plus", "plus", "plus", "plus", "plus")
      for _ in 0..<10 { await screen.nextFrame() }
      let before = model.geometry?.center ?? (x: 0, y: 0)
      // To the right on the screen is up in a picture that is turned clockwise.
      try await hands.drag(window.detail.widget, by: (60, 0))
      for _ in 0..<60 { await screen.nextFrame() }
      let after = model.geometry?.center ?? (x: 0, y: 0)
      checks.expect(
        after.y > before.y + 1 && abs(after.x - before.x) < 1,
        "a drag to the right moves a turned picture up, but from \(before) to \(after)")
      try await hands.press("0", "ctrl+shift+r")
      await checks.eventually("Ctrl+Shift+R turns it back", screen) { model.viewSize == upright }
    }

    /// The size in per cent is shown and set, and in a narrow window there is room for it.
    private func percentage(_ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks)
      async throws
    {
      try await hands.press("1")
      await checks.eventually("own pixels are 100 %", screen) { screen.says("100%") }
      guard let button = screen.visible(gtk_menu_button_get_type()).first?.widget else {
        checks.expect(false, "there is a button with the size")
        return
      }
      try await hands.click(button)
      let entry = { screen.visible(gtk_entry_get_type(), below: button).first?.widget }
      await checks.eventually("a click opens an entry", screen) { entry() != nil }
      for _ in 0..<20 { await screen.nextFrame() }
      if let entry = entry() { gtk_widget_grab_focus(entry) }
      try await hands.press("ctrl+a")
      try await hands.type("250")
      try await hands.press("Return")
      await checks.eventually("250 makes it two and a half times as large", screen) {
        screen.says("250%") && window.detail.zoom.scale == 2.5
      }
      await checks.eventually("the menu closes", screen) { entry() == nil }
      try await hands.press("0")
      await checks.eventually("0 fits it again", screen) { window.detail.zoom.isFitted }

      var (width, height) = (gint(0), gint(0))
      gtk_window_get_default_size(window.window, &width, &height)
      for narrow in [500, 360] {
        gtk_window_set_default_size(window.window, gint(narrow), height)
        for _ in 0..<20 { await screen.nextFrame() }
      }
      await checks.eventually("a window can be 360 points wide", screen) {
        gtk_widget_get_width(screen.window) <= 360
      }
      try await keep("look-narrow-large", screen, window.detail.images.pipeline)
      window.closeDetail()
      for _ in 0..<40 { await screen.nextFrame() }
      checks.expect(gtk_widget_get_width(screen.window) <= 360, "with the grid too")
      try await keep("gallery-narrow", screen, window.detail.images.pipeline)
      window.open(at: 1)
      gtk_window_set_default_size(window.window, width, height)
      for _ in 0..<20 { await screen.nextFrame() }
    }

    private func fullscreen(
      _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      try await hands.press("F11")
      await checks.eventually("F11 fills the screen", screen) { gtk_window_is_fullscreen(window.window) != 0 }
      for _ in 0..<20 { await screen.nextFrame() }
      try await click("Leave full screen", hands, checks)
      await checks.eventually("the button leaves it", screen) { gtk_window_is_fullscreen(window.window) == 0 }

      Gallery.slideDuration = .milliseconds(400)
      defer { Gallery.slideDuration = nil }
      let before = window.position
      try await hands.press("F5")
      await checks.eventually("the slides go on", screen) { window.position == before + 2 }
      try await hands.press("Escape")
      await checks.eventually("Escape ends them", screen) { gtk_window_is_fullscreen(window.window) == 0 }
      let after = window.position
      for _ in 0..<60 { await screen.nextFrame() }
      checks.equal(window.position, after, "the place after the slides")
      checks.expect(window.isShowingDetail, "the picture stays large")
    }

    private func dialogues(
      _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      for (key, words) in [
        ("alt+Return", ["Dimensions", "600 × 400 pixels", "JPEG"]), ("ctrl+question", []),
      ] {
        try await hands.press(key)
        await checks.eventually("\(key) opens a window", screen) { Self.dialogue(over: window) != nil }
        guard let dialogue = Self.dialogue(over: window) else { continue }
        let other = Screen(Self.window(dialogue))
        for word in words { await checks.eventually("it says \(word)", screen) { other.says(word) } }
        for _ in 0..<10 { await screen.nextFrame() }
        try await hands.press("Escape")
        await checks.eventually("Escape closes it", screen) { Self.dialogue(over: window) == nil }
        for _ in 0..<10 { await screen.nextFrame() }
      }
      try await hands.clickSecondary(window.detail.widget)
      await checks.eventually("the second button opens a menu", screen) {
        !screen.visible(gtk_popover_menu_get_type()).isEmpty
      }
      try await hands.press("Escape")
      await checks.eventually("Escape closes it", screen) {
        screen.visible(gtk_popover_menu_get_type()).isEmpty
      }
      checks.expect(window.isShowingDetail, "and the picture stays")
    }
  }
#endif
