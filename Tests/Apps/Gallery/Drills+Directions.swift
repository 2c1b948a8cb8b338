#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// From right to left everything is the other way round; and names of any length take the room that there is.
    func directions() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 3)
      defer { folder.remove() }
      let name = String(repeating: "a name that somebody has made very long ", count: 5) + ".jpg"
      try folder.write(name, NumberedPicture(9, size: .init(600, 400)).data())
      try await withPipeline { pipeline in
        let items = try PictureSource(opening: [folder.url]).items()
        try await withWindow(items, pipeline) { window, screen in
          let hands = Hands(screen: screen)
          gtk_window_set_default_size(window.window, 640, 520)
          try await hands.press("ctrl+n")
          await checks.eventually("names are shown", screen) { screen.says("1.jpg") && screen.says(name) }
          await settle(window, screen)
          let width = screen.picture()?.size.width ?? 0
          checks.expect(
            (600...700).contains(width), "a long name leaves the window as wide as it was, not \(width)")
          checks.expect(
            Self.labels(screen, name).allSatisfy { $0.size.width < 250 }, "and its cell as wide as the others"
          )
          let leftToRight = cells(of: window, screen).map(\.place.rectangle.x)
          checks.expect(leftToRight.first == leftToRight.min(), "the first picture is the leftmost")

          gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL)
          defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
          gtk_widget_set_direction(screen.window, GTK_TEXT_DIR_RTL)
          for _ in 0..<20 { await screen.nextFrame() }
          let rightToLeft = cells(of: window, screen).map(\.place.rectangle.x)
          checks.expect(
            rightToLeft.count == leftToRight.count && rightToLeft.first == rightToLeft.max(),
            "from right to left it is the rightmost")

          window.open(at: 1)
          await checks.eventually("one is large", screen) { window.detail.images.picture != nil }
          for _ in 0..<30 { await screen.nextFrame() }
          if let next = screen.button("Next picture").flatMap({ screen.place(of: $0) }),
            let previous = screen.button("Previous picture").flatMap({ screen.place(of: $0) })
          {
            checks.expect(next.x < previous.x, "the next one lies to the left")
          } else {
            checks.expect(false, "there are buttons for the next and the one before")
          }
          try await hands.press("Left")
          await checks.eventually("Left goes on", screen) { window.position == 2 }
          try await hands.press("Right")
          await checks.eventually("Right goes back", screen) { window.position == 1 }
          window.open(at: 3)
          await checks.eventually("the one of the long name is large", screen) {
            window.detail.images.picture != nil
          }
          for _ in 0..<10 { await screen.nextFrame() }
          let large = screen.picture()?.size.width ?? 0
          checks.equal(large, width, "the width of the window")
        }
      }
      output.add("directions", checks, detail: "right to left, and names that are long")
    }

    /// Where the labels with a text are.
    private static func labels(_ screen: Screen, _ text: String) -> [PixelRectangle] {
      screen.visible(gtk_label_get_type()).filter { place in
        gtk_label_get_text(OpaquePointer(place.widget)).map { String(cString: $0) } == text
      }.map(\.rectangle)
    }
  }
#endif
