#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// Files come in by a folder and by a drop, show their names, and go to the trash and back.
    func files() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 5)
      defer { folder.remove() }
      try await withPipeline { pipeline in
        try await withWindow([], pipeline, title: PictureSource.nothing.title) { window, screen in
          let hands = Hands(screen: screen)
          await checks.eventually("an empty window says how to open something", screen) {
            screen.says("Look at Pictures")
          }
          window.show(PictureSource(opening: [folder.url]))
          await checks.eventually("a folder is opened", screen) { window.grid.count == 5 }
          for _ in 0..<60 { await screen.nextFrame() }

          checks.expect(!screen.says("1.jpg"), "names are not shown")
          try await hands.press("ctrl+n")
          await checks.eventually("Ctrl+N shows names", screen) {
            screen.says("1.jpg") && screen.says("5.jpg")
          }
          try await hands.press("ctrl+n")
          await checks.eventually("and takes them away", screen) { !screen.says("1.jpg") }

          try await trash(folder, window, hands, screen, checks)
          try await drop(window, pipeline, screen, checks)
        }
        try await closing(folder, pipeline, checks)
      }
      output.add("files", checks, detail: "folders, names, the trash and back, a drop")
    }

    private func trash(
      _ folder: PictureFolder, _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      // Nobody undoes too late on a machine on which nothing runs for seconds.
      Gallery.noticeDuration = .seconds(60)
      defer { Gallery.noticeDuration = .seconds(6) }
      window.open(at: 1)
      await checks.eventually("a picture is large", screen) { window.detail.images.picture != nil }
      try await hands.press("Delete")
      await checks.eventually("Delete takes the picture out", screen) { window.grid.count == 4 }
      checks.equal(window.grid.item(at: window.position)?.name, "3.jpg", "the picture shown then")
      checks.expect(folder.has("2.jpg"), "its file is there while it can be undone")
      for _ in 0..<30 { await screen.nextFrame() }
      try await click("Undo", hands, checks)
      await checks.eventually("Undo puts it back", screen) { window.grid.count == 5 }
      checks.equal(window.grid.item(at: window.position)?.name, "2.jpg", "the picture shown after that")

      Gallery.noticeDuration = .milliseconds(200)
      try await hands.press("Delete")
      await checks.eventually("the file goes when the time is over", screen) { !folder.has("2.jpg") }
      let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
      let trashed = URL(filePath: data).appending(path: "Trash/files/2.jpg").path(percentEncoded: false)
      checks.expect(FileManager.default.fileExists(atPath: trashed), "and is in the trash")
      checks.equal(window.grid.count, 4, "the number of pictures that are left")

      window.show(PictureSource(opening: [folder.file("3.jpg")]))
      await checks.eventually("a file is opened by its name", screen) {
        window.grid.item(at: window.position)?.name == "3.jpg" && window.detail.images.picture != nil
      }
      try await hands.press("Delete")
      await checks.eventually("it goes too", screen) { !folder.has("3.jpg") }
      try folder.write("6.jpg", NumberedPicture(6, size: .init(600, 400)).data())
      await checks.eventually("the others of its folder stay, and are followed", screen) {
        window.grid.item(at: 3)?.name == "6.jpg" && window.isShowingDetail
      }

      Gallery.noticeDuration = .seconds(60)
      window.open(at: 1)
      try await hands.press("ctrl+r", "Delete")
      await checks.eventually("a picture is turned and taken out", screen) {
        window.grid.count == 3 && Self.size(folder.file("4.jpg")) == PixelSize(400, 600)
      }
      for _ in 0..<30 { await screen.nextFrame() }
      try await hands.press("ctrl+z")
      await checks.eventually("and comes back", screen) { window.grid.count == 4 && folder.has("4.jpg") }
      let other = try PictureFolder(pictureCount: 1)
      defer { other.remove() }
      window.open(at: 0)
      try await hands.press("Delete")
      await checks.eventually("a file is about to go", screen) { window.grid.count == 3 }
      window.show(PictureSource(opening: [other.url]))
      await checks.eventually("its namesake in another folder is shown", screen) {
        window.grid.item(at: 0)?.name == "1.jpg" && !folder.has("1.jpg")
      }

      Gallery.noticeDuration = .milliseconds(200)
      window.show(PictureSource(opening: ["4.jpg", "5.jpg", "nowhere.jpg"].map(folder.file)))
      await checks.eventually("files are opened together, also one that is missing", screen) {
        window.grid.count == 3
      }
      window.open(at: 0)
      try await hands.press("Delete")
      await checks.eventually("one goes", screen) { !folder.has("4.jpg") }
      try await hands.press("alt+3")
      await checks.eventually("the next gets stars, for which they are read again", screen) {
        folder.has("5.jpg.xmp")
      }
      for _ in 0..<60 { await screen.nextFrame() }
      checks.equal(window.grid.count, 2, "the number of them: the one that is gone does not come back")
      window.show(PictureSource(opening: [folder.url]))
      await checks.eventually("the first folder is shown again", screen) {
        window.grid.item(at: 1)?.name == "6.jpg"
      }
    }

    /// A window is closed right after its picture got stars, was turned and put into the trash: there it has both.
    private func closing(_ folder: PictureFolder, _ pipeline: ImagePipeline, _ checks: Checks) async throws {
      try folder.write("closing.jpg", NumberedPicture(7, size: .init(600, 400)).data())
      try await withWindow([], pipeline) { window, screen in
        window.show(PictureSource(opening: [folder.file("closing.jpg")]))
        await checks.eventually("a picture is large", screen) { window.detail.images.picture != nil }
        for action in ["win.rate-3", "win.turn-right", "win.trash"] {
          gtk_widget_activate_action_variant(screen.window, action, nil)
        }
      }
      let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
      let trash = URL(filePath: data).appending(path: "Trash/files")
      let beside = trash.appending(path: "closing.jpg.xmp").path(percentEncoded: false)
      await checks.soon("it is in the trash with its stars") {
        FileManager.default.fileExists(atPath: beside)
      }
      checks.equal(Self.size(trash.appending(path: "closing.jpg")), PixelSize(400, 600), "its size there")
      checks.expect(!folder.has("closing.jpg") && !folder.has("closing.jpg.xmp"), "nothing is left of it")
    }

    /// A file is dragged by the pointer from another window into the gallery.
    private func drop(
      _ window: GalleryWindow, _ pipeline: ImagePipeline, _ screen: Screen, _ checks: Checks
    ) async throws {
      let other = try PictureFolder()
      defer { other.remove() }
      try other.write("dropped.jpg", NumberedPicture(77).data())
      window.closeDetail()
      gtk_window_set_default_size(window.window, 700, 600)
      let view = ImageView(pipeline: pipeline)
      view.isDraggable = true
      let small = Self.window(with: view.widget)
      defer { gtk_window_destroy(small) }
      view.setImage(from: other.file("dropped.jpg"))
      let smallScreen = Screen(small)
      await checks.eventually("the picture to drag is shown", smallScreen) { view.images.picture != nil }
      for _ in 0..<30 { await smallScreen.nextFrame() }
      try await Hands(screen: smallScreen).drag(view.widget, to: window.grid.widget)
      await checks.eventually("what was dropped is opened", smallScreen) {
        window.grid.count == 1 || window.isShowingDetail
      }
      checks.expect(window.isShowingDetail, "and shown large")
    }
  }
#endif
