#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery

  extension Drills {
    /// A JPEG of hundreds of megapixels in one pass, or a TIFF, given with `--picture`: what its first pixels and its parts cost beside a
    /// decode of the whole, and the memory of all but that. Runs in a process that did nothing else: `--picture FILE huge`.
    func huge() async throws {
      guard let path = options.picture else {
        return output.add("huge", failures: [], detail: "no picture was named with --picture")
      }
      let checks = Checks()
      var figures: [String: Double] = [:]
      try await withPipeline { pipeline in
        try await withWindow([], pipeline) { window, screen in
          for _ in 0..<30 { await screen.nextFrame() }
          figures["empty_mb"] = Self.memory("VmRSS")
          var start = Self.processTime()
          @MainActor func note(_ name: String) {
            figures["\(name)_cpu_ms"] = (Self.processTime() - start) * 1000
            figures["\(name)_peak_mb"] = Self.memory("VmHWM")
            start = Self.processTime()
          }
          window.show(PictureSource(opening: [URL(filePath: path)]))
          await checks.eventually("the picture is shown", screen) {
            window.detail.zoom.model.isFollowing(window.detail.images.request)
          }
          note("first_pixels")
          let model = window.detail.zoom.model
          let full = model.geometry?.pictureSize ?? PixelSize(0, 0)
          figures["megapixels"] = Double(full.width * full.height) / 1e6
          for _ in 0..<30 { await screen.nextFrame() }
          try await keep("look-huge", screen, pipeline)
          start = Self.processTime()
          window.detail.zoom.showPixels()
          await checks.eventually("its own pixels come", screen) {
            !model.isLoading && model.layers.count > 1
          }
          note("first_parts")
          for step in 0..<10 {
            model.change { $0.move(by: (step.isMultiple(of: 2) ? -900 : 350, -700)) }
            await checks.eventually("further pixels come", screen) { !model.isLoading }
          }
          note("ten_further_views")
          for _ in 0..<30 { await screen.nextFrame() }
          try await keep("look-huge-pixels", screen, pipeline)
          figures["peak_mb"] = Self.memory("VmHWM")
          figures["workers_peak_mb"] = Workers.ids().map { Self.memory("VmHWM", of: $0) }.reduce(0, +)
        }
      }
      let whole = try await Self.wholeDecode(path)
      figures["whole_cpu_ms"] = whole
      let share = (figures["first_pixels_cpu_ms"] ?? 0) / whole
      figures["first_pixels_share"] = share
      // A TIFF has no smaller frequencies to read; one with a pyramid is to be told by its name.
      let isReduced = [".jpg", ".pyramid.tif"].contains { path.lowercased().hasSuffix($0) }
      checks.expect(
        share <= 0.25 || !isReduced, "the first pixels cost a quarter of a whole decode at most, but \(share)"
      )
      let growth = (figures["peak_mb"] ?? 0) - (figures["empty_mb"] ?? 0)
      figures["growth_mb"] = growth
      checks.expect(growth <= 200, "200 MB at most above the empty window, but \(growth)")
      output.add("huge", checks, detail: "a picture of hundreds of megapixels", figures: figures)
    }

    /// The processor time of the process and of those that decode for it, in seconds.
    private static func processTime() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 + Workers.processorTime()
    }

    /// A line of a process's `/proc/…/status`, in MB.
    static func memory(_ name: String, of process: String = "self") -> Double {
      let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
      return (number ?? 0) * 1024 / 1e6
    }

    /// The processor time of decoding all pixels, in milliseconds.
    private static func wholeDecode(_ path: String) async throws -> Double {
      var configuration = Gallery.configuration
      configuration.caching.diskStorage = .none
      configuration.decoding.limits.decodedByteCount = 8 << 30
      configuration.decoding.decodedByteBudget = DecodedByteBudget(byteLimit: 8 << 30)
      let pipeline = ImagePipeline(configuration)
      let start = processTime()
      _ = try await pipeline.image(for: ImageRequest(url: URL(filePath: path)))
      // Its processes end with it.
      return withExtendedLifetime(pipeline) { (processTime() - start) * 1000 }
    }
  }
#endif
