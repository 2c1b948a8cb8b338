#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// A picture is turned by a few degrees under lines, and a copy has no empty corner.
    func straightening() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 2)
      defer { folder.remove() }
      try await withPipeline { pipeline in
        try await corners(folder, pipeline, checks)
        try await withWindow([], pipeline) { window, screen in
          let hands = Hands(screen: screen)
          window.show(PictureSource(opening: [folder.url]))
          await checks.eventually("a folder is opened", screen) { window.grid.count >= 2 }
          window.open(at: 1)
          await checks.eventually("the second is large", screen) { window.detail.images.picture != nil }
          try await hands.press("ctrl+shift+s")
          await checks.eventually("Ctrl+Shift+S opens a window", screen) {
            Self.dialogue(over: window) != nil
          }
          guard let dialogue = Self.dialogue(over: window).map({ Screen(Self.window($0)) }) else { return }
          for _ in 0..<20 { await dialogue.nextFrame() }
          for _ in 0..<6 { try await hands.press("Right", "Right", "Right", "Right", "Right") }
          await checks.eventually("the arrows turn it", dialogue) { dialogue.says("+3.0°") }
          for _ in 0..<60 { await dialogue.nextFrame() }
          try await keep("look-straighten", dialogue, pipeline)
          try await hands.press("alt+s")
          await checks.eventually("Alt+S saves a copy", screen) { folder.has("2 (straightened).jpg") }
          let expected = Straighten.part(of: PixelSize(600, 400), turnedBy: 3)
          let copy = try Data(contentsOf: folder.file("2 (straightened).jpg"))
          checks.equal(try CodecRegistry.standard.header(of: copy).size, expected, "the size of the copy")
          await checks.eventually("and says so", screen) { screen.says("Saved as “2 (straightened).jpg”") }
        }
      }
      output.add("straightening", checks, detail: "a copy that is turned by a few degrees")
    }

    /// Nothing but the picture is in the corners, whatever the angle.
    private func corners(_ folder: PictureFolder, _ pipeline: ImagePipeline, _ checks: Checks) async throws {
      let white = Bitmap(size: PixelSize(301, 200), isOpaque: true) { bytes, _ in
        bytes.initializeMemory(as: UInt8.self, repeating: 255)
      }
      let file = try await pipeline.encode(Picture(white), as: .png)
      try folder.write("white.png", file)
      defer { try? FileManager.default.removeItem(at: folder.file("white.png")) }
      for degrees in [-15, -7.3, -0.1, 0, 0.1, 1, 2.5, 15] {
        var request = ImageRequest(.data(file), processors: [Straighten(degrees: degrees)])
        request.cachePolicy = .bypass
        let bitmap = try await pipeline.image(for: request).bitmap
        let (right, bottom) = (bitmap.size.width - 1, bitmap.size.height - 1)
        let pixels = BGRABitmap(bitmap)
        for (x, y) in [(0, 0), (right, 0), (0, bottom), (right, bottom)] {
          checks.expect(pixels[x, y].red > 250, "the corner at \(x), \(y) of \(degrees)° is \(pixels[x, y])")
        }
        let ratio = Double(bitmap.size.width) / Double(bitmap.size.height)
        checks.expect(abs(ratio - 1.505) < 0.02, "\(bitmap.size) has the proportions, at \(degrees)°")
        if abs(degrees) < 1 { checks.expect(right > 290, "a small angle leaves nearly all: \(bitmap.size)") }
      }
    }

    /// Pictures become pages of a PDF file, one that is broken leaves its page empty and is named.
    func printing() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 2)
      defer { folder.remove() }
      try folder.write("3.jpg", Data("no picture".utf8))
      try await withPipeline { pipeline in
        let items = (1...3).map { PictureItem(name: "\($0).jpg", source: .url(folder.file("\($0).jpg"))) }
        let file = folder.file("pages.pdf")
        for (count, problem) in [(2, nil), (3, "“3.jpg”")] as [(Int, String?)] {
          let reason: String? = await withCheckedContinuation { continuation in
            Printing(Array(items.prefix(count)), pipeline).export(to: file) {
              continuation.resume(returning: $0)
            }
          }
          checks.equal(
            reason?.hasPrefix(problem ?? "-") ?? false, problem != nil, "the reason: \(reason ?? "none")")
          let text = String(decoding: try Data(contentsOf: file), as: Unicode.ASCII.self)
          checks.expect(text.hasPrefix("%PDF"), "a PDF file")
          let pages = text.ranges(of: "/Type /Page").count - text.ranges(of: "/Type /Pages").count
          checks.equal(pages, count, "its pages")
          checks.expect(text.contains("/Subtype /Image"), "with pictures")
        }
      }
      output.add("printing", checks, detail: "a page for each picture")
    }

    /// The wallpaper and a message with pictures are asked for by the portals of the desktop; without them a message says so.
    func portals() async throws {
      let checks = Checks()
      let folder = try PictureFolder(pictureCount: 2)
      defer { folder.remove() }
      let daemon = URL(filePath: "/usr/bin/dbus-daemon")
      guard FileManager.default.isExecutableFile(atPath: daemon.path(percentEncoded: false)) else {
        return output.add("portals", failures: [], detail: "left out: there is no dbus-daemon")
      }
      // A bus that starts nothing: a machine may have portals.
      let settings = folder.file("bus.conf")
      try Data(Self.bareBus.utf8).write(to: settings)
      let bus = try Self.start(
        daemon, ["--nofork", "--print-address", "--config-file=\(settings.path(percentEncoded: false))"], [:])
      defer { bus.process.terminate() }
      setenv("DBUS_SESSION_BUS_ADDRESS", Self.line(bus.output), 1)
      defer { unsetenv("DBUS_SESSION_BUS_ADDRESS") }
      let files = [folder.file("1.jpg"), folder.file("2.jpg")]
      try await withPipeline { pipeline in
        try await withWindow([], pipeline) { window, screen in
          let exported = ExportedWindow(window.window)
          @MainActor func ask(_ request: Portal.Request) async -> Portal.Outcome {
            await withCheckedContinuation { continuation in
              Portal.ask(request, files, over: exported) { continuation.resume(returning: $0) }
            }
          }
          checks.equal(await ask(.wallpaper), .missing, "a desktop without portals")
          window.show(PictureSource(opening: [folder.file("1.jpg")]))
          await checks.eventually("a picture is large", screen) { window.detail.images.picture != nil }
          gtk_widget_activate_action_variant(screen.window, "win.wallpaper", nil)
          await checks.eventually("the window says that there is none", screen) {
            screen.says("This desktop lets no program set the wallpaper")
          }
          guard let portal = FakePortal() else {
            checks.expect(false, "a portal can be put on the bus")
            return
          }
          for (code, outcome) in [(0, .done), (1, .cancelled)] as [(Int, Portal.Outcome)] {
            portal.answer = code
            for request in [.wallpaper, .email, .open] as [Portal.Request] {
              checks.equal(await ask(request), outcome, "\(request), answered by \(code)")
            }
          }
          checks.equal(
            portal.asked.prefix(3), ["SetWallpaperFile x11 1", "ComposeEmail x11 2", "OpenFile x11 1"],
            "what was asked")
        }
      }
      output.add(
        "portals", checks, detail: "the wallpaper, messages and programs, by the portals of the desktop")
    }

    private static let bareBus = """
      <busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
      <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
      </policy></busconfig>
      """
  }
#endif
