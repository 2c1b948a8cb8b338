#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  /// The drills, in the order in which they run.
  @MainActor
  final class Drills {
    let options: DrillOptions
    let output = DrillOutput()
    var cellCount: Int { options.isQuick ? 600 : 10_000 }

    init(_ options: DrillOptions) {
      self.options = options
    }

    /// - Returns: the exit status.
    func run() async -> Int32 {
      let drills: [(String, () async throws -> Void)] = [
        ("hop", hop), ("scale", scale), ("density", density), ("mapping", mapping), ("animation", animation),
        ("destruction", destruction), ("accessibility", accessibility), ("spoken", spoken),
        ("languages", languages), ("german", german),
        ("originals", originals),
        ("progressive", progressive), ("keyboard", keyboard), ("mouse", mouse), ("preferences", preferences),
        ("states", states), ("large", large), ("zoom", zoom), ("touch", touch),
        ("directions", directions), ("files", files), ("folders", folders), ("selection", selection),
        ("turning", turning), ("straightening", straightening), ("printing", printing), ("portals", portals),
        ("choosing", choosing), ("troubled", troubled),
        ("isolated", isolated),
        ("memory", memory),
        ("thrift", thrift), ("scroll", scroll), ("trouble", trouble), ("resize", resize),
        ("windows", windows),
        ("frames", frames), ("screenshots", screenshots), ("looks", looks), ("plain", plain),
        ("recipes", recipes), ("imagegrid", imageGrid),
        ("single", single),
        ("terminal", terminal), ("huge", huge),
      ]
      var times: [(name: String, time: Duration)] = []
      for (name, drill) in drills where options.names.isEmpty || options.names.contains(name) {
        let start = ContinuousClock.now
        let watchdog = Watchdog(name, .seconds(600))
        defer { watchdog.end() }
        do {
          try await drill()
        } catch {
          output.add(name, failures: ["\(error)"], detail: "")
        }
        times.append((name, .now - start))
      }
      let slowest = times.sorted { $0.time > $1.time }.prefix(10)
      print(
        "the slowest: " + slowest.map { "\($0.name) \($0.time.components.seconds) s" }.joined(separator: ", ")
      )
      output.add(
        "complaints", failures: CriticalWatch.complaints, detail: "GTK has not complained on standard error")
      if let report = options.report {
        do {
          try output.save(to: report)
        } catch {
          DrillOutput.complain("the report cannot be written: \(error)")
          return 1
        }
      }
      return output.isPassed ? 0 : 1
    }

    // MARK: Tools

    /// A pipeline that starts empty, with a disk folder that goes away with the drill.
    func withPipeline<Result>(_ body: (ImagePipeline) async throws -> Result) async throws -> Result {
      let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-gallery-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      var configuration = Gallery.configuration
      configuration.caching.diskStorage = .folder(folder, capacity: 512 << 20)
      let pipeline = ImagePipeline(configuration)
      let result = try await body(pipeline)
      await pipeline.flush()
      return result
    }

    /// Opens a gallery, waits until it is drawn, and closes it afterwards.
    func withWindow<Result>(
      _ items: [PictureItem], _ pipeline: ImagePipeline, title: String = "Drill", memoryFile: URL? = nil,
      _ body: (GalleryWindow, Screen) async throws -> Result
    ) async throws -> Result {
      let window = Gallery.open(items, title: title, pipeline: pipeline, memoryFile: memoryFile)
      let screen = Screen(window.window)
      for _ in 0..<3 { await screen.nextFrame() }
      defer { window.close() }
      return try await body(window, screen)
    }

    /// The cells of a grid that are to be seen wholly, each with the number it should show.
    func cells(of window: GalleryWindow, _ screen: Screen) -> [(place: Screen.VisibleWidget, number: Int)] {
      guard let list = screen.place(of: window.grid.widget) else { return [] }
      let (top, bottom) = (list.y, list.y + list.size.height)
      return screen.visible(gtk_picture_get_type(), below: window.grid.widget).compactMap { place in
        let rectangle = place.rectangle
        guard rectangle.y >= top, rectangle.y + rectangle.size.height <= bottom,
          let text = gtk_picture_get_alternative_text(OpaquePointer(place.widget)),
          let number = Int(String(cString: text).drop { !$0.isNumber })
        else { return nil }
        return (place, number)
      }
    }

    /// The faults in the cells of a grid.
    ///
    /// - Parameter isSettled: whether every cell should have its picture by now.
    func mistakes(of window: GalleryWindow, _ screen: Screen, isSettled: Bool) -> [String] {
      guard let picture = screen.picture() else { return ["the window cannot be drawn"] }
      return cells(of: window, screen).compactMap { cell in
        let seen = NumberedPicture.number(in: picture, region: cell.place.rectangle)
        if let seen { return seen == cell.number ? nil : "the cell of \(cell.number) shows \(seen)" }
        return isSettled ? "the cell of \(cell.number) shows no picture" : nil
      }
    }

    /// Waits until no cell that is to be seen is loading, a minute at most.
    func settle(_ window: GalleryWindow, _ screen: Screen) async {
      await screen.nextFrame()
      await screen.frames(while: {
        cells(of: window, screen).contains { cell in
          switch cell.place.picture.images.phase {
          case .loading, .waitingForLayout: true
          default: false
          }
        }
      })
      // The fade of the last.
      for _ in 0..<12 { await screen.nextFrame() }
    }

    /// The scroll position of a grid.
    func adjustment(of window: GalleryWindow) -> UnsafeMutablePointer<GtkAdjustment> {
      gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
    }

    static func percentile(_ values: [Duration], _ share: Double) -> Double {
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return 0 }
      return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / .milliseconds(1)
    }
  }
#endif
