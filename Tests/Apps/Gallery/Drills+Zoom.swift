#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  extension Drills {
    private static let mapSize = PixelSize(3000, 2400)

    /// A picture whose colours say where they are: red to the right, green downwards.
    private static func map(as type: ImageType = .jpeg) throws -> URL {
      let bitmap = Bitmap(size: mapSize, isOpaque: true) { x, y in
        Pixel(
          red: UInt8(x * 255 / mapSize.width), green: UInt8(y * 255 / mapSize.height),
          blue: (x / 8 + y / 8) % 2 == 0 ? 60 : 120)
      }
      let file = FileManager.default.temporaryDirectory.appending(
        path: "map-\(UUID().uuidString).\(type.rawValue)")
      try CodecRegistry.standard.encode(bitmap, as: type, options: EncodingOptions(compressionQuality: 0.9))
        .write(to: file)
      return file
    }

    /// The faults in the drawn view; empty if every point shows its part of the map.
    private static func mistakes(_ view: ZoomView, _ screen: Screen) -> [String] {
      guard let seen = screen.picture(of: view.widget), let geometry = view.model.geometry else {
        return ["nothing is seen"]
      }
      var mistakes: [String] = []
      for (x, y) in [(0.1, 0.1), (0.5, 0.5), (0.9, 0.9), (0.1, 0.9), (0.75, 0.25)] {
        let point = (x * Double(seen.size.width), y * Double(seen.size.height))
        let place = geometry.picturePoint(at: (point.0.rounded(.down) + 0.5, point.1.rounded(.down) + 0.5))
        let inside =
          place.x > 0 && place.y > 0 && place.x < Double(mapSize.width) && place.y < Double(mapSize.height)
        guard inside else { continue }
        let pixel = seen[Int(point.0), Int(point.1)]
        let wanted = (place.x * 255 / Double(mapSize.width), place.y * 255 / Double(mapSize.height))
        if abs(Double(pixel.red) - wanted.0) > 6 || abs(Double(pixel.green) - wanted.1) > 6 {
          mistakes.append("at \(x), \(y) is \(pixel.red), \(pixel.green) in place of \(wanted)")
        }
      }
      return mistakes
    }

    /// A large picture, zoomed and moved by every hand: what is seen is what lies there, and sharp.
    func zoom() async throws {
      let checks = Checks()
      let file = try Self.map()
      defer { try? FileManager.default.removeItem(at: file) }
      try await withPipeline { pipeline in
        let view = ZoomView(pipeline: pipeline)
        view.alternativeText = "A map"
        let window = Self.window(with: view.widget)
        defer { gtk_window_destroy(window) }
        gtk_window_set_default_size(window, 500, 400)
        let screen = Screen(window)
        let hands = Hands(screen: screen)
        for _ in 0..<5 { await screen.nextFrame() }
        view.setImage(ImageRequest(url: file))
        await checks.eventually("the whole is shown", screen) { view.model.layers.count == 1 }
        @MainActor func settled(_ moment: String) async {
          await checks.eventually("\(moment): all of it has come", screen) { !view.model.isLoading }
          // The picture comes by a fade.
          for _ in 0..<30 { await screen.nextFrame() }
          await screen.nextFrame { checks.equal(Self.mistakes(view, screen), [], moment) }
        }
        await settled("the whole")
        let whole = view.scale ?? 0
        checks.expect(whole < 0.2, "a large picture is fitted, at \(whole)")

        try await hands.turnWheel(over: view.widget, by: -6)
        await checks.eventually("the wheel brings it nearer", screen) { (view.scale ?? 0) > whole * 3 }
        await settled("nearer")
        checks.expect(view.model.layers.count > 1, "it is made sharp by parts")
        try await keep("look-zoom", screen, pipeline)

        let before = view.model.geometry?.center.x ?? 0
        try await hands.drag(view.widget, by: (-120, 30))
        await checks.eventually("a drag moves it", screen) {
          (view.model.geometry?.center.x ?? 0) > before + 50
        }
        await settled("moved")

        view.grabFocus()
        try await hands.press("1")
        await checks.eventually("1 shows its own pixels", screen) { view.scale == 1 }
        await settled("its own pixels")
        try await hands.press("Left", "Up")
        await settled("moved by arrows")
        try await hands.press("minus")
        await checks.eventually("- takes it away", screen) { (view.scale ?? 1) < 1 }
        try await hands.press("0")
        await checks.eventually("0 shows the whole", screen) { view.model.geometry?.isFitted == true }
        try await hands.click(view.widget)
        try await hands.click(view.widget)
        await checks.eventually("a double click shows its pixels", screen) { view.scale == 1 }
        await settled("after the double click")

        // A format without parts is decoded once more, and its squares are cut from the pixels.
        let other = try Self.map(as: .png)
        defer { try? FileManager.default.removeItem(at: other) }
        view.setImage(ImageRequest(url: other))
        await settled("a PNG")
        try await hands.press("1")
        await checks.eventually("1 shows the PNG's own pixels", screen) {
          view.scale == 1 && view.model.layers.count > 1
        }
        await settled("the PNG's own pixels")
        let decodes = pipeline.statistics.decodes
        try await hands.press("minus", "minus", "minus")
        await checks.eventually("- takes the PNG away", screen) { (view.scale ?? 1) < 0.6 }
        await settled("the PNG at a coarser level")
        checks.equal(pipeline.statistics.decodes, decodes, "how often the PNG was decoded")

        view.setImage(ImageRequest(url: file.appendingPathExtension("missing")))
        await checks.eventually("a picture that is not there fails", screen) { view.state.reason != nil }
        checks.expect(view.model.layers.isEmpty, "and nothing of the one before is seen")
      }
      output.add("zoom", checks, detail: "a large picture by wheel, drag, keys and double click")
    }
  }
#endif
