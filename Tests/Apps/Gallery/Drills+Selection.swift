#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// Several pictures are selected and moved, rated, put into the trash; one is renamed.
    func selection() async throws {
      let checks = Checks()
      let (folder, other) = (try PictureFolder(pictureCount: 6), try PictureFolder())
      defer {
        folder.remove()
        other.remove()
      }
      try folder.write(
        "5.jpg.xmp",
        Data(
          """
          <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description xmlns:xap="http://ns.adobe.com/xap/1.0/" xap:Rating="0"/></rdf:RDF></x:xmpmeta>
          """.utf8))
      try await withPipeline { pipeline in
        try await withWindow([], pipeline) { window, screen in
          let hands = Hands(screen: screen)
          window.show(PictureSource(opening: [folder.url]))
          await checks.eventually("a folder is opened", screen) { screen.cells(of: window).count == 6 }
          await screen.settle(window, cellCount: 6)
          let cells = screen.cells(of: window)
          for name in ["2.jpg", "4.jpg"] {
            guard let cell = cells[name]?.widget else { continue }
            _ = try await Hands.xdotool(["keydown", "ctrl"])
            try await hands.click(cell)
            _ = try await Hands.xdotool(["keyup", "ctrl"])
          }
          await checks.eventually("Ctrl and clicks select two", screen) { screen.says("2 selected") }
          checks.expect(!window.isShowingDetail, "and open none")
          if let cell = cells["5.jpg"]?.widget { try await hands.click(cell) }
          await checks.eventually("then a click selects one more", screen) { screen.says("3 selected") }
          for _ in 0..<30 { await screen.nextFrame() }
          try await keep("gallery-selection", screen, pipeline)

          try await hands.press("alt+4")
          await checks.eventually("Alt+4 gives stars, in files beside", screen) {
            ["2.jpg", "4.jpg", "5.jpg"].allSatisfy { folder.has("\($0).xmp") } && screen.says("★★★★")
          }
          let text = try String(contentsOf: folder.file("2.jpg.xmp"), encoding: .utf8)
          checks.expect(text.contains("xmp:Rating=\"4\""), "as XMP")
          await checks.eventually("in place of those of an older program", screen) {
            let old = try? String(contentsOf: folder.file("5.jpg.xmp"), encoding: .utf8)
            return old?.contains("xap:Rating=\"4\"") ?? false
          }

          try await move(folder, other, window, hands, screen, checks)
          try await rename(folder, window, hands, screen, checks)

          gtk_widget_activate_action_variant(screen.window, "win.only-rated", nil)
          await checks.eventually("only those with stars", screen) { window.grid.count == 3 }
          gtk_widget_activate_action_variant(screen.window, "win.only-rated", nil)
          window.grid.widget.focus()
          try await hands.press("ctrl+a")
          await checks.eventually("Ctrl+A selects all", screen) { screen.says("6 selected") }
          try await hands.press("Escape")
          await checks.eventually("Escape none", screen) { !screen.says("6 selected") }

          // Nobody undoes too late on a machine on which nothing runs for seconds.
          Gallery.noticeDuration = .seconds(60)
          defer { Gallery.noticeDuration = .seconds(6) }
          try await hands.press("Home", "shift+Right", "Delete")
          await checks.eventually("Shift and arrows select, Delete takes both out", screen) {
            window.grid.count == 4
          }
          for _ in 0..<30 { await screen.nextFrame() }
          try await hands.press("ctrl+z")
          await checks.eventually("Ctrl+Z puts them back", screen) { window.grid.count == 6 }
          checks.equal(window.grid.item(at: 0)?.name, "1.jpg", "the first then")
          try await moveBehind(folder, other, window, hands, screen, checks)
        }
      }
      output.add(
        "selection", checks, detail: "several pictures: selecting, stars, moving, the trash; a new name")
    }

    private func move(
      _ folder: PictureFolder, _ other: PictureFolder, _ window: GalleryWindow, _ hands: Hands,
      _ screen: Screen, _ checks: Checks
    ) async throws {
      Gallery.noticeDuration = .seconds(60)
      defer { Gallery.noticeDuration = .seconds(6) }
      for _ in 0..<30 { await screen.nextFrame() }
      let taken = Data("another file".utf8)
      try other.write("5.jpg", taken)
      try await choose(other.url, window, hands, checks) {
        try await self.click("Move to a folder", hands, checks)
      }
      await checks.eventually("two files are in the other folder", screen) {
        ["2.jpg", "4.jpg", "2.jpg.xmp"].allSatisfy(other.has) && window.grid.count == 4
      }
      checks.expect(!folder.has("2.jpg") && !folder.has("2.jpg.xmp"), "and gone from this one")
      checks.equal(try Data(contentsOf: other.file("5.jpg")), taken, "the file whose name was taken")
      for _ in 0..<30 { await screen.nextFrame() }
      try await click("Undo", hands, checks)
      await checks.eventually("Undo brings them back", screen) {
        folder.has("2.jpg") && folder.has("4.jpg") && window.grid.count == 6
      }
    }

    /// One of several files that were opened together is moved while the user looks at the next.
    private func moveBehind(
      _ folder: PictureFolder, _ other: PictureFolder, _ window: GalleryWindow, _ hands: Hands,
      _ screen: Screen, _ checks: Checks
    ) async throws {
      window.show(PictureSource(opening: ["1.jpg", "2.jpg", "4.jpg"].map(folder.file)))
      await checks.eventually("three files are opened together", screen) { window.grid.count == 3 }
      window.open(at: 0)
      try await choose(other.url, window, hands, checks) {
        gtk_widget_activate_action_variant(screen.window, "win.move-to", nil)
        await checks.eventually("a folder for the first is asked for", screen) {
          Self.dialogue(over: window) != nil
        }
        window.open(at: 1)
      }
      await checks.eventually("the first is moved", screen) {
        other.has("1.jpg") && window.grid.count == 2
      }
      checks.equal(window.grid.item(at: window.position)?.name, "2.jpg", "the picture that is large then")
    }

    private func rename(
      _ folder: PictureFolder, _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      window.open(at: 2)
      await checks.eventually("the third is large", screen) { window.detail.images.picture != nil }
      try await hands.press("F2")
      await checks.eventually("F2 asks for a name", screen) { Self.dialogue(over: window) != nil }
      guard let dialogue = Self.dialogue(over: window) else { return }
      for _ in 0..<20 { await Screen(Self.window(dialogue)).nextFrame() }
      try await hands.type("quay")
      try await hands.press("Return")
      await checks.eventually("the file has it, and keeps its ending", screen) {
        folder.has("quay.jpg") && !folder.has("3.jpg")
      }
      await checks.eventually("the picture stays large, at its new place", screen) {
        window.grid.item(at: window.position)?.name == "quay.jpg" && window.position == 5
      }
      window.closeDetail()
    }

    /// A turn is written into the file after a moment, in all formats that can keep one, and undone.
    func turning() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 3)
      defer { folder.remove() }
      Gallery.turnDelay = .milliseconds(300)
      defer { Gallery.turnDelay = .milliseconds(1500) }
      try await withPipeline { pipeline in
        try await formats(pipeline, checks)
        try await withWindow([], pipeline) { window, screen in
          let hands = Hands(screen: screen)
          window.show(PictureSource(opening: [folder.url]))
          await checks.eventually("a folder is opened", screen) { screen.cells(of: window).count == 3 }
          await screen.settle(window, cellCount: 3)
          window.open(at: 1)
          await checks.eventually("the second is large", screen) { window.detail.images.picture != nil }
          Gallery.noticeDuration = .seconds(60)
          defer { Gallery.noticeDuration = .seconds(6) }
          try await hands.press("ctrl+r")
          await checks.eventually("Ctrl+R turns the file", screen) {
            Self.size(folder.file("2.jpg")) == PixelSize(400, 600)
          }
          var isTurnedBack = false
          await checks.eventually("which is shown upright then", screen) {
            let size = window.detail.images.picture?.size
            guard window.detail.quarterTurns == 0 else { return false }
            isTurnedBack = isTurnedBack || size == PixelSize(600, 400)
            return size == PixelSize(400, 600)
          }
          checks.expect(!isTurnedBack, "until then it stays turned")
          for _ in 0..<40 { await screen.nextFrame() }
          try await click("Undo", hands, checks)
          await checks.eventually("Undo turns it back", screen) {
            Self.size(folder.file("2.jpg")) == PixelSize(600, 400)
              && window.detail.images.picture?.size == PixelSize(600, 400)
          }
          try await hands.press("ctrl+shift+r", "Right")
          await checks.eventually("a turn is written at once when one leafs on", screen) {
            window.position == 2 && Self.size(folder.file("2.jpg")) == PixelSize(400, 600)
          }
          window.closeDetail()
          for _ in 0..<20 { await screen.nextFrame() }
          try await hands.press("ctrl+a", "ctrl+r")
          await checks.eventually("selected pictures are turned in the grid", screen) {
            Self.size(folder.file("1.jpg")) == PixelSize(400, 600)
              && Self.size(folder.file("2.jpg")) == PixelSize(600, 400)
          }
          try await part(folder, window, hands, screen, checks)
        }
      }
      try await facts(checks)
      output.add("turning", checks, detail: "turns in files, by their orientation, and back")
    }

    /// The part that can be seen is saved as a file of its own.
    private func part(
      _ folder: PictureFolder, _ window: GalleryWindow, _ hands: Hands, _ screen: Screen, _ checks: Checks
    ) async throws {
      window.open(at: 1)
      await checks.eventually("the turned picture is large", screen) {
        window.detail.images.picture != nil && window.detail.zoom.scale != nil
      }
      for _ in 0..<6 { try await hands.press("plus") }
      guard let region = window.detail.zoom.model.geometry?.visible else { return }
      checks.expect(region.width < 590 && region.height < 390, "a part is to be seen: \(region)")
      try await hands.press("ctrl+s")
      await checks.eventually("Ctrl+S saves it", screen) { folder.has("2 (part).jpg") }
      let size = Self.size(folder.file("2 (part).jpg")) ?? PixelSize(0, 0)
      checks.expect(
        abs(Double(size.width) - region.width) < 3 && abs(Double(size.height) - region.height) < 3,
        "of \(size) for \(region)")
      await checks.eventually("and says so", screen) { screen.says("Saved as “2 (part).jpg”") }
      try FileManager.default.removeItem(at: folder.file("2 (part).jpg"))
      try await hands.press("ctrl+z")
      await checks.eventually("Undo says why it takes nothing away", screen) {
        Self.says("Not moved to the trash: ", screen)
      }
    }

    /// The properties of a picture have its place, with a map, and all metadata.
    private func facts(_ checks: Checks) async throws {
      let folder = try PictureFolder()
      defer { folder.remove() }
      try await withPipeline { pipeline in
        var options = EncodingOptions()
        options.metadata = EncodedMetadata(exif: Data(Self.located))
        let picture = Picture(NumberedPicture(7, size: PixelSize(64, 48)).bitmap)
        try folder.write("there.jpg", try await pipeline.encode(picture, as: .jpeg, options: options))
        try await withWindow([], pipeline) { window, screen in
          window.show(PictureSource(opening: [folder.file("there.jpg")]))
          await checks.eventually("a picture with a place is large", screen) { window.isShowingDetail }
          try await Hands(screen: screen).press("alt+Return")
          var dialogue: Screen?
          await checks.eventually("its properties have a map", screen) {
            dialogue = Self.dialogue(over: window).map { Screen(Self.window($0)) }
            let links = dialogue?.visible(gtk_link_button_get_type()) ?? []
            let map =
              "https://www.openstreetmap.org/?mlat=48.500000&mlon=-2.250000#map=16/48.500000/-2.250000"
            return links.contains {
              gtk_link_button_get_uri(OpaquePointer($0.widget)).map { String(cString: $0) } == map
            }
          }
          guard let dialogue else { return }
          for _ in 0..<20 { await dialogue.nextFrame() }
          checks.expect(dialogue.says("Place"), "under “Place”")
          if let expander = dialogue.visible(gtk_expander_get_type()).first {
            gtk_expander_set_expanded(OpaquePointer(expander.widget), 1)
          }
          await checks.eventually("and all metadata", dialogue) { dialogue.says("Latitude") }
          for _ in 0..<20 { await dialogue.nextFrame() }
          try await keep("look-metadata", dialogue, pipeline)
          gtk_window_destroy(Self.window(dialogue.window))
        }
      }
    }

    /// EXIF data with 48.5° north, 2.25° west.
    private static let located: [UInt8] = {
      func long(_ value: Int) -> [UInt8] { [0, 0, UInt8(value >> 8), UInt8(value & 255)] }
      func field(_ tag: Int, _ type: UInt8, _ count: Int, _ value: [UInt8]) -> [UInt8] {
        [UInt8(tag >> 8), UInt8(tag & 255), 0, type] + long(count) + value
      }
      let header = Array("MM\0*".utf8) + long(8)
      let first = [0, 1] + field(0x8825, 4, 1, long(26)) + long(0)
      let place =
        [0, 4] + field(1, 2, 2, Array("N\0\0\0".utf8)) + field(2, 5, 3, long(80))
        + field(3, 2, 2, Array("W\0\0\0".utf8)) + field(4, 5, 3, long(104)) + long(0)
      let latitude = long(48) + long(1) + long(30) + long(1) + long(0) + long(1)
      let longitude = long(2) + long(1) + long(15) + long(1) + long(0) + long(1)
      return header + first + place + latitude + longitude
    }()

    /// The size of the picture of a file, upright.
    static func size(_ file: URL) -> PixelSize? {
      let registry = CodecRegistry.standard
      return (try? Data(contentsOf: file)).flatMap { try? registry.header(of: $0, limits: .default).size }
    }

    /// The same picture four times round, whatever the format has had before.
    private func formats(_ pipeline: ImagePipeline, _ checks: Checks) async throws {
      let picture = Picture(NumberedPicture(7, size: PixelSize(64, 48)).bitmap)
      let exif = EncodedMetadata(exif: Data(Self.block))
      for type in [ImageType.jpeg, .png, .webp] {
        for metadata in [nil, exif] {
          var options = EncodingOptions()
          if let metadata { options.metadata = metadata }
          let file = try await pipeline.encode(picture, as: type, options: options)
          var turned = file
          for quarters in 1...4 {
            guard let next = try? OrientedFile.turned(turned, by: 1) else {
              checks.expect(type == .webp && metadata == nil, "a \(type.displayName) can be turned")
              break
            }
            turned = next
            let header = try CodecRegistry.standard.header(of: turned, limits: .default)
            let expected = quarters.isMultiple(of: 2) ? PixelSize(64, 48) : PixelSize(48, 64)
            checks.equal(header.size, expected, "the size of a \(type.displayName) after \(quarters) turns")
            let orientations: [Orientation] = [.right, .down, .left, .up]
            checks.equal(header.orientation, orientations[quarters - 1], "its orientation")
            if metadata != nil {
              checks.equal(header.metadata?.camera, "Ozu", "its camera")
            }
          }
        }
      }
      // The first turn adds the entry, the second one changes it.
      var big = Self.bigTIFF
      for orientation in [Orientation.right, .down] {
        big = try OrientedFile.turned(big, by: 1)
        let header = try CodecRegistry.standard.header(of: big, limits: .default)
        checks.equal(header.orientation, orientation, "the orientation of a BigTIFF")
      }
      for cut in [2, 4, 20, 40] {
        let part = try NumberedPicture(1).data().prefix(cut)
        checks.expect((try? OrientedFile.turned(Data(part), by: 1)) == nil, "\(cut) bytes cannot be turned")
      }
    }

    /// A grey pixel in a BigTIFF without an orientation.
    private static let bigTIFF: Data = {
      func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * $0) & 255) }
      }
      let fields = [
        (256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 212), (277, 1), (278, 1), (279, 1),
      ]
      let head = Array("II".utf8) + [43, 0, 8, 0, 0, 0] + little(16, 8)
      let entries = fields.flatMap { tag, value in
        little(tag, 2) + little(3, 2) + little(1, 8) + little(value, 8)
      }
      return Data(head + little(fields.count, 8) + entries + little(0, 8) + [77])
    }()

    /// EXIF data with the maker of a camera and no orientation.
    private static let block: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x0F, 0, 2, 0, 0, 0, 4] + Array("Ozu\0".utf8) + [
        0, 0, 0, 0,
      ]
  }

  extension UnsafeMutablePointer<GtkWidget> {
    @MainActor
    func focus() { gtk_widget_child_focus(self, GTK_DIR_TAB_FORWARD) }
  }
#endif
