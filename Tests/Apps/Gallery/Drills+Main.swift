#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// From another thread to the main actor and back, while GLib's loop is idle.
    func hop() async throws {
      var times: [Duration] = []
      for _ in 0..<2_000 {
        let sent = await Self.elsewhere()
        times.append(ContinuousClock.now - sent)
      }
      let p99 = Self.percentile(times, 0.99)
      output.add(
        "hop",
        failures: p99 < 1 || !options.isStrict
          ? [] : ["99 of 100 hops to the main actor take up to \(p99) ms"],
        detail: "an idle hop to the main actor",
        figures: ["p50_ms": Self.percentile(times, 0.5), "p99_ms": p99])
    }

    /// Leaves the main actor and returns when it was left.
    private nonisolated static func elsewhere() async -> ContinuousClock.Instant {
      await Task.detached { ContinuousClock.now }.value
    }

    /// A window is opened over many pictures: those in sight are loaded, at the size of their cells, and no others.
    func thrift() async throws {
      let checks = Checks()
      let server = try DemoServer(count: 2_000)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          await settle(window, screen)
          let (cells, loads) = (cells(of: window, screen), pipeline.statistics.networkLoads)
          // A row may be in sight in part.
          checks.expect(
            loads > 0 && loads <= cells.count * 3 / 2, "\(cells.count) cells have \(loads) downloads")
          for cell in cells {
            let (size, place) = (cell.place.picture.images.picture?.size, cell.place.rectangle.size)
            let isFitting = size.map { $0.width <= place.width + 1 || $0.height <= place.height + 1 }
            checks.expect(
              isFitting ?? false, "a picture of a cell of \(place) has \(String(describing: size))")
          }
          let picture = gtk_picture_new()!
          let small = Self.window(with: box(picture))
          defer { gtk_window_destroy(small) }
          let images = PictureWidget(picture, pipeline: pipeline).images
          images.setImage(ImageRequest(server.items[0].source))
          await checks.eventually("a picture without room has its own size", Screen(small)) {
            images.picture?.size == NumberedPicture(0).size && gtk_widget_get_width(picture) > 0
          }
        }
      }
      output.add(
        "thrift", checks, detail: "what is not in sight is not loaded, and nothing larger than it is seen")
    }

    /// A container that gives a widget only what it asks for.
    private func box(_ child: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget> {
      let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
      gtk_widget_set_halign(box, GTK_ALIGN_START)
      gtk_widget_set_valign(box, GTK_ALIGN_START)
      gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), child)
      return box
    }

    /// Scrolls through all cells, down, up and in jumps, and reads what every cell shows in every frame.
    func scroll() async throws {
      let server = try DemoServer(count: cellCount)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          var binds: [Duration] = []
          window.grid.onBind = { binds.append($0) }
          var mistakes: [String] = []
          var (seen, frameCount) = (Set<Int>(), 0)
          @MainActor func look(isSettled: Bool) async {
            await screen.nextFrame {
              frameCount += 1
              mistakes += self.mistakes(of: window, screen, isSettled: isSettled)
              seen.formUnion(self.cells(of: window, screen).map(\.number))
            }
          }
          let adjustment = adjustment(of: window)
          let page = gtk_adjustment_get_page_size(adjustment)
          @MainActor func bottom() -> Double { gtk_adjustment_get_upper(adjustment) - page }
          var position = 0.0
          while position < bottom() {
            gtk_adjustment_set_value(adjustment, position)
            await look(isSettled: false)
            position += page * 0.4
          }
          await settle(window, screen)
          await look(isSettled: true)
          while position > 0 {
            position -= page * 0.9
            gtk_adjustment_set_value(adjustment, max(0, position))
            await look(isSettled: false)
          }
          var random = SystemRandomNumberGenerator()
          for jump in 0..<60 {
            gtk_adjustment_set_value(adjustment, Double.random(in: 0...bottom(), using: &random))
            for _ in 0..<3 {
              await look(isSettled: false)
            }
            if jump % 10 == 0 {
              await settle(window, screen)
              await look(isSettled: true)
            }
          }
          let (median, p99) = (Self.percentile(binds, 0.5), Self.percentile(binds, 0.99))
          if seen.count < cellCount * 95 / 100 {
            mistakes.append("only \(seen.count) of \(cellCount) cells came by")
          }
          output.add(
            "scroll", failures: mistakes,
            detail:
              "\(seen.count) of \(cellCount) pictures passed in \(frameCount) frames, each in its own cell",
            figures: [
              "bind_p50_ms": median, "bind_p99_ms": p99, "binds": Double(binds.count),
              "memory_mb": Self.memory("VmRSS"),
              "cached_mb": Double(pipeline.memoryCacheStatistics.totalCost) / 1e6,
            ])
          output.add(
            "bind",
            failures: median <= 0.1 && p99 <= 1 || !options.isStrict
              ? [] : ["a bind takes \(median) ms, 1 of 100 more than \(p99) ms"],
            detail: "the main thread's time for a bind", figures: ["p50_ms": median, "p99_ms": p99])
        }
      }
    }

    /// A server that is slow, fails and answers by turns: no cell shows another's picture, and all that can come come.
    func trouble() async throws {
      let server = try DemoServer(count: 600) { picture in
        switch picture.number % 5 {
        case 1: .status(500)
        case 2: .status(404)
        case 3:
          DemoServer.picture(picture).closing(afterByteCount: 700)
        default: DemoServer.picture(picture)
        }
      }
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          var mistakes: [String] = []
          let adjustment = adjustment(of: window)
          for step in 0..<80 {
            let share = Double((step * 37) % 80) / 80
            let upper = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
            gtk_adjustment_set_value(adjustment, upper * share)
            await screen.nextFrame { mistakes += self.mistakes(of: window, screen, isSettled: false) }
          }
          await settle(window, screen)
          await screen.nextFrame {
            guard let picture = screen.picture() else { return mistakes.append("the window cannot be drawn") }
            for cell in self.cells(of: window, screen) {
              let seen = NumberedPicture.number(in: picture, region: cell.place.rectangle)
              let isServed = [0, 4].contains(cell.number % 5)
              if seen != (isServed ? cell.number : nil) {
                mistakes.append("the cell of \(cell.number) shows \(seen.map(String.init) ?? "nothing")")
              }
            }
          }
          output.add(
            "trouble", failures: mistakes, detail: "of a bad server, every picture that came is in its cell")
        }
      }
    }

    /// Sizes change in every frame: what is shown stays right, and is sharp in the end.
    func resize() async throws {
      let server = try DemoServer(count: 200)
      defer { server.stop() }
      try await withPipeline { pipeline in
        try await withWindow(server.items, pipeline) { window, screen in
          await settle(window, screen)
          var mistakes: [String] = []
          for step in 0..<60 {
            gtk_window_set_default_size(
              window.window, gint(500 + (step * 131) % 900), gint(400 + (step * 71) % 500))
            await screen.nextFrame { mistakes += self.mistakes(of: window, screen, isSettled: false) }
          }
          gtk_window_set_default_size(window.window, 1_000, 700)
          await settle(window, screen)
          await screen.nextFrame { mistakes += self.mistakes(of: window, screen, isSettled: true) }
          window.open(at: 7)
          for step in 0..<40 {
            gtk_window_set_default_size(window.window, gint(500 + (step * 97) % 700), gint(500))
            await screen.nextFrame()
          }
          await screen.frames(while: { window.detail.images.isLoading })
          let shown = window.detail.images.picture?.size
          if shown == nil { mistakes.append("the large picture has not come") }
          output.add(
            "resize", failures: mistakes, detail: "a hundred sizes, and every cell keeps its picture")
        }
      }
    }

    /// Windows come and go: memory stays.
    func windows() async throws {
      let server = try DemoServer(count: 100)
      defer { server.stop() }
      try await withPipeline { pipeline in
        let count = options.isQuick ? 40 : 200
        var resident: [Int] = []
        for number in 0..<count {
          try await withWindow(server.items, pipeline) { window, screen in
            if number % 7 == 0 { window.open(at: number % 100) }
            await screen.nextFrame()
          }
          await Task.yield()
          if (number + 1) % (count / 4) == 0 { resident.append(Self.residentByteCount()) }
        }
        let growth = Double(resident.last! - resident[1]) / 1e6
        output.add(
          "windows", failures: growth < 24 ? [] : ["\(count / 2) windows left \(growth) MB behind"],
          detail: "\(count) windows opened and closed",
          figures: ["growth_mb_of_last_half": growth, "resident_mb": Double(resident.last!) / 1e6])
      }
    }

    private static func residentByteCount() -> Int {
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
  }
#endif
