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
            figures: Self.figures("loading", loading).merging(Self.figures("loaded", loaded)) { $1 })
        }
      }
    }

    /// The time from one frame to the next, and the part of it in which the main thread worked.
    private typealias Frame = (time: Duration, work: Duration)

    private func scrollSmoothly(_ window: GalleryWindow, _ screen: Screen) async -> [Frame] {
      let adjustment = adjustment(of: window)
      var frames: [Frame] = []
      await screen.nextFrame()
      var (last, lastWork) = (ContinuousClock.now, Self.mainThreadTime())
      for step in 0..<200 {
        gtk_adjustment_set_value(adjustment, Double(step) * 24)
        await screen.nextFrame()
        let (now, work) = (ContinuousClock.now, Self.mainThreadTime())
        frames.append((now - last, work - lastWork))
        (last, lastWork) = (now, work)
      }
      return frames
    }

    /// A frame is dropped when the next one comes late, which also depends on other work of the machine. It is the main
    /// thread's fault if that has worked for longer than a frame is shown.
    private static func figures(_ name: String, _ frames: [Frame]) -> [String: Double] {
      let (times, work) = (frames.map(\.time), frames.map(\.work))
      return [
        "\(name)_frames": Double(frames.count), "\(name)_p99_ms": percentile(times, 0.99),
        "\(name)_dropped": Double(times.count { $0 > .milliseconds(25) }),
        "\(name)_overworked": Double(work.count { $0 > .microseconds(16_667) }),
        "\(name)_work_p50_ms": percentile(work, 0.5), "\(name)_work_p99_ms": percentile(work, 0.99),
      ]
    }

    /// The processor time of the main thread so far.
    private static func mainThreadTime() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Pictures of the windows, for the README and to compare with those of before.
    func screenshots() async throws {
      let items = try photos()
      try await withPipeline { pipeline in
        try await withWindow(items, pipeline, title: "Photographs") { window, screen in
          gtk_window_set_default_size(window.window, 1_000, 700)
          try await Hands.leave(screen)
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

    /// The output of `ozu demo` in a terminal.
    func terminal() async throws {
      let columns = 102
      let text = try await TerminalProgram.output(of: options.ozu, ["demo"], columns: UInt16(columns))
      let terminal = Terminal(text)
      try await withPipeline { pipeline in
        try await withView(pipeline) { view, screen in
          guard let renderer = gtk_native_get_renderer(gtk_widget_get_native(view.widget)) else { return }
          let context = Terminal.context(of: view.widget)
          defer { g_object_unref(ObjectPointer(context)) }
          let size = terminal.size(columns: columns)
          let drawn = Screen.picture(size, renderer) { snapshot in
            terminal.draw(into: snapshot, size: size, context: context)
          }
          try await keep("terminal", drawn, pipeline)
        }
      }
    }

    /// The photographs of the gallery.
    func photos() throws -> [PictureItem] {
      let items = try PictureSource(arguments: [options.photos]).items()
        .filter { !$0.name.hasSuffix(".png") }
      // Enough to fill a window.
      return (0..<4).flatMap { round in
        let turned = items[(round * 2 % items.count)...] + items[..<(round * 2 % items.count)]
        return turned.map { PictureItem(name: "\($0.name) \(round)", source: $0.source) }
      }
    }

    func keep(_ name: String, _ screen: Screen, _ pipeline: ImagePipeline) async throws {
      var drawn: Bitmap?
      await screen.nextFrame { drawn = screen.picture() }
      try await keep(name, drawn, pipeline)
    }

    func keep(_ name: String, _ drawn: Bitmap?, _ pipeline: ImagePipeline) async throws {
      guard let bitmap = drawn else {
        output.add(name, failures: ["the picture cannot be drawn"], detail: "")
        return
      }
      // The pictures that are kept with the documentation; the others are only for a look.
      let isGolden = name.hasPrefix("gallery-") || name == "terminal"
      for folder in [options.screenshots, isGolden ? options.renewed : nil].compactMap(\.self) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let data = try await pipeline.encode(
          Picture(bitmap), as: .jpeg, options: EncodingOptions(compressionQuality: 0.85))
        try data.write(to: URL(filePath: folder).appending(path: "\(name).jpg"))
      }
      guard let golden = options.golden, isGolden else { return }
      let expected = try await ImagePipeline { $0.caching.diskStorage = .none }
        .image(for: URL(filePath: golden).appending(path: "\(name).jpg"))
      let difference = Self.difference(expected.bitmap, bitmap)
      output.add(
        name,
        failures: difference < 6 ? [] : ["differs from the golden picture by \(difference) of 255 a pixel"],
        detail: "like the golden picture", figures: ["mean_difference": difference])
    }

    /// The mean difference of the colours; text may differ between fonts.
    static func difference(_ a: Bitmap, _ b: Bitmap) -> Double {
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
