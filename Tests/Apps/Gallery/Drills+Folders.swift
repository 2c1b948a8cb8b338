#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// A folder is followed, has subfolders and a way up, is sorted, and its cells have a size that the user chooses.
    func folders() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 4)
      defer { folder.remove() }
      try FileManager.default.createDirectory(at: folder.file("Harbour"), withIntermediateDirectories: true)
      for number in [11, 12] {
        try folder.write("Harbour/\(number).jpg", NumberedPicture(number, size: .init(600, 400)).data())
      }
      try await withPipeline { pipeline in
        try await withWindow([], pipeline) { window, screen in
          let hands = Hands(screen: screen)
          try await Hands.leave(screen)
          window.show(PictureSource(opening: [folder.url]))
          await checks.eventually("the pictures and the subfolder are shown", screen) {
            screen.cells(of: window).count == 4 && screen.says("Harbour")
          }
          await screen.settle(window, cellCount: 4)
          try await keep("look-folders", screen, pipeline)
          try await follow(folder, window, screen, checks)
          try await enter(window, hands, screen, checks)
          try await sort(folder, window, hands, screen, checks)
          try await resizeCells(window, hands, screen, checks)
        }
        try await missing(folder, pipeline, checks)
      }
      output.add("folders", checks, detail: "changes of a folder, subfolders, order, the size of cells")
    }

    /// Files come, are written again and go.
    private func follow(
      _ folder: PictureFolder, _ window: GalleryWindow, _ screen: Screen, _ checks: Checks
    ) async throws {
      try folder.write("5.jpg", NumberedPicture(5, size: .init(600, 400)).data())
      await checks.eventually("a new file has a cell", screen) { window.grid.count == 5 }
      try folder.write("2.jpg", NumberedPicture(42, size: .init(600, 400)).data())
      await checks.eventually("a file that is written again shows its new picture", screen) {
        Self.number(of: 2, in: window, screen) == 42
      }
      window.open(at: 0)
      await checks.eventually("the first is large", screen) { window.detail.images.picture != nil }
      try FileManager.default.removeItem(at: folder.file("1.jpg"))
      await checks.eventually("a removed file has none, and the next is large", screen) {
        window.grid.count == 4 && window.detail.zoom.alternativeText == "2.jpg"
      }
      window.closeDetail()
      for _ in 0..<30 { await screen.nextFrame() }
    }

    /// The number in the picture of the cell whose name has a number.
    private static func number(of cell: Int, in window: GalleryWindow, _ screen: Screen) -> Int? {
      guard let found = screen.cells(of: window)["\(cell).jpg"] else { return nil }
      return screen.picture().flatMap { NumberedPicture.number(in: $0, region: found.rectangle) }
    }

    private func enter(
      _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      checks.expect(screen.button("Folder above") != nil, "there is a button for the folder above")
      try await hands.press("ctrl+f")
      try await hands.type("harb")
      await checks.eventually("a search finds the subfolder", screen) {
        window.grid.count == 0 && screen.says("Harbour")
      }
      for _ in 0..<30 { await screen.nextFrame() }
      guard let name = Self.label("Harbour", screen) else {
        checks.expect(false, "the subfolder has a name")
        return
      }
      try await hands.click(name)
      await checks.eventually("a click opens the subfolder", screen) {
        window.grid.count == 2 && window.grid.item(at: 0)?.name == "11.jpg"
      }
      try await hands.press("alt+Up")
      await checks.eventually("Alt+Up goes up", screen) { window.grid.count == 4 && screen.says("Harbour") }
      // The folder is the first cell.
      for _ in 0..<30 { await screen.nextFrame() }
      try await hands.press("Home", "Return")
      await checks.eventually("the keyboard opens the subfolder", screen) { window.grid.count == 2 }
      try await click("Folder above", hands, checks)
      await checks.eventually("the button goes up", screen) { window.grid.count == 4 }
    }

    private static func label(_ text: String, _ screen: Screen) -> UnsafeMutablePointer<GtkWidget>? {
      screen.visible(gtk_label_get_type()).map(\.widget).first { label in
        gtk_label_get_text(OpaquePointer(label)).map { String(cString: $0) } == text
      }
    }

    private func sort(
      _ folder: PictureFolder, _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      let day = 86_400.0
      for (name, age) in [("2.jpg", 3.0), ("3.jpg", 1), ("4.jpg", 4), ("5.jpg", 2)] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1e9 - age * day)],
          ofItemAtPath: folder.file(name).path(percentEncoded: false))
      }
      try folder.write("4.jpg", NumberedPicture(4, size: .init(1_200, 800)).data())
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1e9 - 4 * day)],
        ofItemAtPath: folder.file("4.jpg").path(percentEncoded: false))
      for (order, names) in [
        ("date", ["3.jpg", "5.jpg", "2.jpg", "4.jpg"]), ("size", ["4.jpg"]),
        ("name", ["2.jpg", "3.jpg", "4.jpg", "5.jpg"]),
      ] {
        gtk_widget_activate_action_variant(screen.window, "win.order", g_variant_new_string(order))
        await checks.eventually("the order by \(order)", screen) {
          names.indices.allSatisfy { window.grid.item(at: $0)?.name == names[$0] }
        }
      }
      // A camera took the fifth before all others, whatever the date of its file is.
      try folder.write("5.jpg", try Self.taken(NumberedPicture(5), "1999:05:31 18:20:00"))
      gtk_widget_activate_action_variant(screen.window, "win.order", g_variant_new_string("date"))
      await checks.eventually("the date of capture counts before that of the file", screen) {
        // By name the fifth is the last, too.
        (0..<4).map { window.grid.item(at: $0)?.name } == ["3.jpg", "2.jpg", "4.jpg", "5.jpg"]
      }
      gtk_widget_activate_action_variant(screen.window, "win.order", g_variant_new_string("name"))
      await checks.eventually("by name again", screen) { window.grid.item(at: 0)?.name == "2.jpg" }
      gtk_widget_activate_action_variant(screen.window, "win.reversed", nil)
      await checks.eventually("reversed", screen) { window.grid.item(at: 0)?.name == "5.jpg" }
      gtk_widget_activate_action_variant(screen.window, "win.reversed", nil)
    }

    /// A JPEG with a date of capture.
    private static func taken(_ picture: NumberedPicture, _ date: String) throws -> Data {
      // One entry, DateTime, whose twenty bytes stand behind the directory.
      let header: [UInt8] = Array("MM\0*".utf8) + [0, 0, 0, 8]
      let entry: [UInt8] = [0, 1, 0x01, 0x32, 0, 2, 0, 0, 0, 20, 0, 0, 0, 26, 0, 0, 0, 0]
      var options = EncodingOptions()
      options.metadata = EncodedMetadata(exif: Data(header + entry + Array(date.utf8) + [0]))
      let codecs = CodecRegistry.standard
      return try codecs.encoder(for: .jpeg).encode(picture.bitmap, options: options)
    }

    private func resizeCells(
      _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      let side = window.grid.cellSide
      try await hands.press("ctrl+plus", "ctrl+plus")
      await checks.eventually("Ctrl++ makes the cells larger", screen) { window.grid.cellSide > side }
      for _ in 0..<5 { await screen.nextFrame() }
      let drawn = screen.visible(gtk_picture_get_type(), below: window.grid.widget).last?.rectangle.size.width
      checks.expect((drawn ?? 0) > side, "and what is drawn: \(drawn ?? 0) points")
      await screen.settle(window, cellCount: 4)
      try await keep("look-large-cells", screen, PipelineOfWindow.of(window))
      try await hands.move(to: window.grid.widget)
      _ = try await Hands.xdotool([
        "keydown", "ctrl", "click", "5", "click", "5", "click", "5", "keyup", "ctrl",
      ])
      await checks.eventually("Ctrl and the wheel make them smaller", screen) { window.grid.cellSide < side }
      try await hands.press("ctrl+plus")
      await checks.eventually("and as they were", screen) { window.grid.cellSide == side }
    }

    /// A folder that is not there has a window that says so.
    private func missing(_ folder: PictureFolder, _ pipeline: ImagePipeline, _ checks: Checks) async throws {
      try await withWindow([], pipeline) { window, screen in
        window.show(try PictureSource(arguments: [folder.file("nowhere").path(percentEncoded: false)]))
        await checks.eventually("a missing folder is a page that says so", screen) {
          screen.says("Cannot Be Opened") && screen.says("No such file or directory")
        }
        window.show(PictureSource(opening: [folder.url]))
        await checks.eventually("from which another can be opened", screen) { window.grid.count == 4 }
        folder.remove()
        await checks.eventually("a folder that goes while it is shown, too", screen) {
          screen.says("Cannot Be Opened")
        }
      }
    }
  }

  extension Screen {
    /// The cells of pictures that are to be seen, by their names.
    func cells(of window: GalleryWindow) -> [String: VisibleWidget] {
      visible(gtk_picture_get_type(), below: window.grid.widget).reduce(into: [:]) { cells, cell in
        guard let text = gtk_picture_get_alternative_text(OpaquePointer(cell.widget)) else { return }
        cells[String(cString: text)] = cell
      }
    }

    /// Waits until a grid shows cells and none is loading, a minute at most.
    func settle(_ window: GalleryWindow, cellCount: Int) async {
      await nextFrame()
      await frames(while: {
        let shown = cells(of: window)
        return shown.count != cellCount || shown.values.contains { $0.picture.images.picture == nil }
      })
      for _ in 0..<12 { await nextFrame() }
    }
  }

  /// The pipeline that a window's grid uses.
  @MainActor
  enum PipelineOfWindow {
    static func of(_ window: GalleryWindow) -> ImagePipeline { window.detail.images.pipeline }
  }
#endif
