#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// Files that are no pictures: each says why in its cell and large, and one that is mended comes at the next try.
    func troubled() async throws {
      let checks = Checks()
      let folder = try Self.brokenFolder()
      defer { folder.remove() }
      try await withPipeline { pipeline in
        let items = try PictureSource(opening: [folder.url]).items()
        try await withWindow(items, pipeline) { window, screen in
          let hands = Hands(screen: screen)
          for words in ["Damaged Picture", "Empty File", "Not a Picture"] {
            await checks.eventually("a cell says '\(words)'", screen) { screen.says(words) }
          }
          let position = (0..<window.grid.count).first { window.grid.item(at: $0)?.name == "page.jpg" } ?? 0
          window.open(at: position)
          for _ in 0..<40 { await screen.nextFrame() }
          await checks.eventually("the large view says what it is", screen) {
            screen.says("Not a Picture") && screen.button("Try Again") != nil
          }
          try folder.write("page.jpg", NumberedPicture(9).data())
          try await click("Try Again", hands, checks)
          await checks.eventually("a file that was mended is shown", screen) {
            window.detail.images.picture != nil
          }
          window.open(at: position + 1)
          window.open(at: position)
          await checks.eventually("and again", screen) { window.detail.images.picture != nil }
          let half = try NumberedPicture(4, size: .init(600, 400)).data()
          try folder.write("page.jpg", half.prefix(half.count / 2))
          window.open(at: position + 1)
          window.open(at: position)
          await checks.eventually("of a file that is cut off, the part that is there is shown", screen) {
            window.detail.images.picture?.notes.contains { $0.hasPrefix("the file is cut off") } ?? false
          }
        }
      }
      output.add("troubled", checks, detail: "no blank cell and no black void: reasons, and a new try")
    }

    /// A folder with pictures that are whole, cut off, empty, something else, and of long names.
    static func brokenFolder() throws -> PictureFolder {
      let folder = try PictureFolder()
      let whole = try NumberedPicture(3, size: .init(600, 400)).data()
      try folder.write("cut off.jpg", whole.prefix(120))
      try folder.write("empty.jpg", Data())
      try folder.write("page.jpg", Data("<!DOCTYPE html><html><body>Not here</body></html>".utf8))
      try folder.write("text.png", Data("This is a text and no picture.\n".utf8))
      try folder.write("whole.jpg", whole)
      try folder.write(
        "a name that somebody has made very long indeed, with the day and the place and all who were there.jpg",
        whole)
      try folder.write("שם בעברית.jpg", whole)
      return folder
    }

    /// A window has the same size and settings after a restart.
    func memory() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 2)
      defer { folder.remove() }
      let file = folder.file("remembered/window.json")
      try await withPipeline { pipeline in
        try await withWindow([], pipeline, memoryFile: file) { window, screen in
          gtk_window_set_default_size(window.window, 640, 520)
          for _ in 0..<10 { await screen.nextFrame() }
          try await Hands(screen: screen).press("ctrl+n")
        }
        for _ in 0..<10 { await Task.yield() }
        checks.expect(
          FileManager.default.fileExists(atPath: file.path(percentEncoded: false)), "it is written down")
        let items = try PictureSource(opening: [folder.url]).items()
        try await withWindow(items, pipeline, memoryFile: file) { window, screen in
          await checks.eventually("names are shown again", screen) { screen.says("1.jpg") }
          var (width, height) = (gint(0), gint(0))
          gtk_window_get_default_size(window.window, &width, &height)
          checks.expect(
            width == 640 && height == 520, "the size is that of before, but it is \(width) × \(height)")
        }
        for (look, mode, isRound) in [
          (#""mode": "fill", "hasRoundedCorners": true"#, ScaleMode.fill, true),
          (#""fillsCells": false"#, ScaleMode.aspectFit, false),
        ] {
          let rest = #""isMaximized": false, "showsNames": false, "appearance": 0, "slideSeconds": 4"#
          try Data("{\"width\": 640, \"height\": 520, \(rest), \(look)}".utf8).write(to: file)
          try await withWindow(items, pipeline, memoryFile: file) { window, screen in
            checks.equal(window.grid.style.mode, mode, "the mode of \(look)")
            checks.equal(window.grid.style.hasRoundedCorners, isRound, "the corners of \(look)")
          }
        }
        try Data("nonsense".utf8).write(to: file)
        try await withWindow(items, pipeline, memoryFile: file) { window, screen in
          checks.equal(window.grid.count, 2, "what cannot be read is forgotten")
        }
      }
      output.add("memory", checks, detail: "a window remembers its size and its names")
    }
  }
#endif
