#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// How smoothly the grid scrolls, with all pictures in memory and while they load.
    func frames() async throws {
      let server = try DemoServer(count: 2_000)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          let loading = await scrollSmoothly(window, screen)
          gtk_adjustment_set_value(adjustment(of: window), 0)
          await settle(window, screen)
          let loaded = await scrollSmoothly(window, screen)
          output.add(
            "frames", failures: [], detail: "24 points a frame",
            figures: [
              "loading_frames": Double(loading.count), "loading_dropped": Double(Self.dropped(loading)),
              "loading_p99_ms": Self.percentile(loading, 0.99), "loaded_frames": Double(loaded.count),
              "loaded_dropped": Double(Self.dropped(loaded)), "loaded_p99_ms": Self.percentile(loaded, 0.99),
            ])
        }
      }
    }

    private func scrollSmoothly(_ window: GalleryWindow, _ screen: Screen) async -> [Duration] {
      let adjustment = adjustment(of: window)
      var distances: [Duration] = []
      await screen.nextFrame()
      var last = ContinuousClock.now
      for step in 0..<200 {
        gtk_adjustment_set_value(adjustment, Double(step) * 24)
        await screen.nextFrame()
        let now = ContinuousClock.now
        distances.append(now - last)
        last = now
      }
      return distances
    }

    private static func dropped(_ distances: [Duration]) -> Int {
      distances.count { $0 > .milliseconds(25) }
    }

    /// Pictures of the windows, for the README and to compare with those of before.
    func screenshots() async throws {
      let items = try photos()
      try await withPipeline { pipeline in
        try await withWindow(items, pipeline) { window, screen in
          gtk_window_set_title(window.window, "Photographs")
          gtk_window_set_default_size(window.window, 1_000, 700)
          await settle(window, screen)
          try await keep("gallery-grid", screen, pipeline)
          window.open(at: 1)
          for _ in 0..<400 {
            await screen.nextFrame()
            if !window.detail.images.isLoading, window.detail.images.picture != nil { break }
          }
          for _ in 0..<40 { await screen.nextFrame() }
          try await keep("gallery-detail", screen, pipeline)
        }
      }
    }

    /// The photographs to look at, or drawn pictures where there are none.
    private func photos() throws -> [PictureItem] {
      guard let folder = options.photos else { return try DemoServer(count: 60).items }
      let items = try PictureSource(arguments: [folder]).items()
      // Enough to fill a window.
      return (0..<4).flatMap { round in
        items.map { PictureItem(name: "\($0.name) \(round)", source: $0.source) }
      }
    }

    private func keep(_ name: String, _ screen: Screen, _ pipeline: ImagePipeline) async throws {
      var drawn: Bitmap?
      await screen.nextFrame { drawn = screen.picture() }
      guard let bitmap = drawn else {
        output.add(name, failures: ["the window cannot be drawn"], detail: "")
        return
      }
      let data = try await pipeline.encode(Picture(bitmap), as: .png)
      if let folder = options.screenshots {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try data.write(to: URL(filePath: folder).appending(path: "\(name).png"))
      }
      guard let golden = options.golden else { return }
      let expected = try await ImagePipeline { $0.diskStorage = .none }
        .image(for: URL(filePath: golden).appending(path: "\(name).jpg"))
      let difference = Self.difference(expected.bitmap, bitmap)
      output.add(
        name,
        failures: difference < 6 ? [] : ["differs from the golden picture by \(difference) of 255 a pixel"],
        detail: "like the golden picture", figures: ["mean_difference": difference])
    }

    /// The mean difference of the colours; what is written in letters may differ from font to font.
    private static func difference(_ a: Bitmap, _ b: Bitmap) -> Double {
      guard a.size == b.size else { return 255 }
      var sum = 0
      for y in 0..<a.size.height {
        for x in 0..<a.size.width {
          let (p, q) = (a[x, y], b[x, y])
          sum +=
            abs(Int(p.red) - Int(q.red)) + abs(Int(p.green) - Int(q.green)) + abs(Int(p.blue) - Int(q.blue))
        }
      }
      return Double(sum) / Double(a.size.width * a.size.height * 3)
    }
  }
#endif
