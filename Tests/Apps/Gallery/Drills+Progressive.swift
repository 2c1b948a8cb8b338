#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// A progressive JPEG comes slowly: the large picture is soft at first and sharpens with what comes.
    func progressive() async throws {
      let checks = Checks()
      let (gate, server) = (Gate(), try LoopbackServer())
      defer { server.stop() }
      let file = try Data(contentsOf: URL(filePath: options.photos).appending(path: "perched-osprey.jpg"))
      let pieceByteCount = 64 << 10
      let pieceCount = (file.count + pieceByteCount - 1) / pieceByteCount
      server.route("/a.jpg") { _ in
        .ok(file, type: "image/jpeg").dripping(pieceByteCount, through: gate)
      }
      let item = PictureItem(name: "An osprey", source: .url(server.url("/a.jpg")))
      try await withPipeline { pipeline in
        try await withWindow([item], pipeline) { window, screen in
          window.open(at: 0)
          // The cross-fade of the stack, while nothing has come.
          for _ in 0..<30 { await screen.nextFrame() }
          await checks.eventually("the server is asked", screen) { gate.waitingCount == 1 }
          var seen = [await detail(of: window, screen)]
          checks.expect(seen[0].map(Self.isPlain) ?? false, "nothing is shown before anything has come")

          var admitted = 0
          for share in [0.2, 0.6] {
            let count = Int(Double(pieceCount) * share)
            gate.admit(count - admitted)
            admitted = count
            await checks.eventually("\(count) of \(pieceCount) pieces have come", screen) {
              gate.waitingCount == 1 && gate.arrivalCount > count
            }
            let before = seen.last!
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
              let now = await detail(of: window, screen)
              if let now, let before, Self.difference(now, before) > 0.2 { break }
            }
            // The preview of all that has come, not of a part of it.
            for _ in 0..<60 { await screen.nextFrame() }
            checks.expect(
              window.detail.images.isLoading && window.detail.images.picture == nil, "it is still loading")
            seen.append(await detail(of: window, screen))
          }
          gate.open()
          await checks.eventually("the picture comes", screen) { window.detail.images.picture != nil }
          for _ in 0..<30 { await screen.nextFrame() }
          let last = await detail(of: window, screen)
          let distances = seen.map { bitmap in
            bitmap.flatMap { bitmap in last.map { Self.difference(bitmap, $0) } } ?? 0
          }
          for (soft, sharp) in zip(distances, distances.dropFirst() + [0]) {
            checks.expect(soft > sharp * 1.2 + 0.05, "each look is nearer to the picture: \(distances)")
          }
          checks.equal(server.requestCount, 1, "the number of downloads for the grid and the large picture")
          output.add(
            "progressive", checks, detail: "a picture that comes slowly sharpens",
            figures: ["empty": distances[0], "first_preview": distances[1], "later_preview": distances[2]])
        }
      }
    }

    private func detail(of window: GalleryWindow, _ screen: Screen) async -> Bitmap? {
      var drawn: Bitmap?
      await screen.nextFrame { drawn = screen.picture(of: window.detail.widget) }
      return drawn
    }

    private static func isPlain(_ bitmap: Bitmap) -> Bool {
      let first = bitmap[bitmap.size.width / 2, bitmap.size.height / 2]
      return stride(from: 20, to: bitmap.size.width - 20, by: 7).allSatisfy {
        bitmap[$0, bitmap.size.height / 3] == first
      }
    }
  }
#endif
