#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// Everything by the keyboard: pictures are opened, leafed through, zoomed, copied and searched for.
    func keyboard() async throws {
      let checks = Checks()
      let server = try DemoServer(count: 60)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          let hands = Hands(screen: screen)
          try await hands.move(to: window.grid.widget)
          await settle(window, screen)
          try await hands.press("Home", "Right", "Right", "Return")
          await expectDetail(2, window, screen, checks)
          try await hands.press("Right")
          await expectDetail(3, window, screen, checks)
          try await hands.press("Left", "Left", "Left", "Left")
          await expectDetail(0, window, screen, checks)

          let detail = window.detail
          try await hands.press("plus", "plus")
          await checks.eventually("+ makes the picture larger", screen) { detail.zoomFactor > 2 }
          for _ in 0..<5 { try await hands.press("plus") }
          await checks.eventually("until it is wider than the view", screen) { detail.zoom.isWiderThanView }
          let share = Self.middle(of: window)
          try await hands.press("Right", "Right")
          await checks.eventually("an arrow moves a larger picture", screen) {
            Self.middle(of: window) > share + 0.01
          }
          checks.equal(window.position, 0, "the place, after an arrow over a larger picture")
          for _ in 0..<6 { try await hands.press("minus") }
          await checks.eventually("- makes it smaller", screen) { (1.4..<2).contains(detail.zoomFactor) }
          try await hands.press("0")
          await checks.eventually("0 fits it to the window", screen) { detail.zoomFactor == 1 }

          try await hands.press("ctrl+c")
          let clipboard = gtk_widget_get_clipboard(window.grid.widget)!
          await checks.eventually("Ctrl+C copies the original", screen) {
            gdk_content_formats_contain_mime_type(gdk_clipboard_get_formats(clipboard), "image/jpeg") != 0
          }
          let copied = await Pasting.read(clipboard, "image/jpeg")
          checks.expect(copied == (try? NumberedPicture(0).data()), "the clipboard has what the server sent")

          try await hands.press("Escape")
          checks.expect(!window.isShowingDetail, "Escape goes back to the grid")
          try await search(window, hands, screen, checks)
        }
      }
      output.add("keyboard", checks, detail: "the gallery by keys alone")
    }

    private func search(
      _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      try await hands.press("ctrl+f")
      try await hands.type("picture 1")
      await checks.eventually("the search finds 1 and 10 to 19", screen) { window.grid.count == 11 }
      await settle(window, screen)
      await screen.nextFrame {
        let cells = self.cells(of: window, screen)
        checks.equal(cells.map(\.number).sorted(), [1] + Array(10...19), "what is found")
        for mistake in self.mistakes(of: window, screen, isSettled: true) { checks.expect(false, mistake) }
      }
      try await hands.press("Return")
      await expectDetail(1, window, screen, checks)
      try await hands.press("ctrl+f")
      checks.expect(!window.isShowingDetail, "a search goes back to the grid")
      // At once, before GTK tells of the last letter.
      try await hands.press("ctrl+a", "7", "Return")
      await expectDetail(7, window, screen, checks)
      try await hands.press("ctrl+f")
      try await hands.type("xyz")
      await checks.eventually("what is nowhere is not found", screen) { window.grid.count == 0 }
      try await hands.press("Escape")
      await checks.eventually("Escape ends the search", screen) { window.grid.count == 60 }
    }

    /// The same by the mouse.
    func mouse() async throws {
      let checks = Checks()
      let server = try DemoServer(count: 60)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          let hands = Hands(screen: screen)
          await settle(window, screen)
          let cell = cells(of: window, screen)[7]
          try await hands.click(cell.place.widget)
          await expectDetail(cell.number, window, screen, checks)

          let buttons = screen.visible(gtk_button_get_type()).map(\.widget).filter { button in
            gtk_button_get_icon_name(button.button).map { String(cString: $0).hasPrefix("zoom") } ?? false
          }
          checks.equal(buttons.count, 2, "the number of buttons that zoom")
          let (smaller, larger) = (buttons[0], buttons[1])
          for _ in 0..<6 { try await hands.click(larger) }
          let model = window.detail.zoom.model
          await checks.eventually("there is room to move", screen) { window.detail.zoomFactor > 8 }
          let before = model.geometry
          let share = Self.middle(of: window)
          checks.expect((0.45...0.55).contains(share), "zooming keeps the middle, but it is at \(share)")
          try await hands.drag(window.detail.widget, by: (-200, 0))
          // A picture that is let go of glides on.
          await checks.eventually("a drag by 200 moves the picture as far", screen) {
            let way = (model.geometry?.center.x ?? 0) - (before?.center.x ?? 0)
            return way * (before?.scale ?? 0) >= 190
          }
          for _ in 0..<6 { try await hands.click(smaller) }

          let back = screen.button("All pictures")
          if let back { try await hands.click(back) }
          checks.expect(back != nil && !window.isShowingDetail, "the button goes back to the grid")
        }
      }
      output.add("mouse", checks, detail: "the gallery by the mouse")
    }

    /// Checks that the picture of a number is shown large.
    private func expectDetail(
      _ number: Int, _ window: GalleryWindow, _ screen: Screen, _ checks: Checks
    ) async {
      await checks.eventually("picture \(number) comes", screen) {
        window.isShowingDetail && window.detail.images.picture != nil
      }
      // The cross-fades of the stack and of the picture.
      for _ in 0..<30 { await screen.nextFrame() }
      await screen.nextFrame {
        guard let large = screen.visible(gtk_picture_get_type(), below: window.detail.widget).first else {
          checks.expect(false, "there is a large picture")
          return
        }
        let text = gtk_picture_get_alternative_text(OpaquePointer(large.widget)).map { String(cString: $0) }
        checks.equal(text, "Picture \(number)", "the text of the large picture")
        let region = Self.place(of: window.detail, in: large.rectangle)
        let seen = screen.picture().flatMap { NumberedPicture.number(in: $0, region: region) }
        checks.equal(seen, number, "the number in the large picture")
      }
    }
  }

  extension Drills {
    /// Where the large picture lies.
    private static func place(of detail: DetailView, in view: PixelRectangle) -> PixelRectangle {
      guard let geometry = detail.zoom.model.geometry else { return view }
      let place = geometry.place(of: PixelRegion(geometry.pictureSize))
      return PixelRectangle(
        x: view.x + Int(place.x), y: view.y + Int(place.y), width: Int(place.width), height: Int(place.height)
      )
    }

    /// Where in a view a picture lies that is fitted into it.
    static func fitted(_ picture: Picture?, in place: PixelRectangle) -> PixelRectangle {
      guard let size = picture?.size else { return place }
      let factor = min(
        Double(place.size.width) / Double(size.width), Double(place.size.height) / Double(size.height))
      let (width, height) = (Int(Double(size.width) * factor), Int(Double(size.height) * factor))
      return PixelRectangle(
        x: place.x + (place.size.width - width) / 2, y: place.y + (place.size.height - height) / 2,
        width: width, height: height)
    }
  }

  extension UnsafeMutablePointer<GtkWidget> {
    fileprivate var button: UnsafeMutablePointer<GtkButton> {
      UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkButton.self)
    }
  }
#endif
