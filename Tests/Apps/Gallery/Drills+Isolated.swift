#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuGallery
  import OzuTesting

  extension Drills {
    /// C libraries decode in processes of their own, drawings among the rest.
    func isolated() async throws {
      let checks = Checks()
      let folder = try PictureFolder()
      defer { folder.remove() }
      try folder.write(
        "drawing.svg",
        Data(
          """
          <svg xmlns="http://www.w3.org/2000/svg" width="60" height="40">
            <rect width="60" height="40" fill="#c81e14"/>
          </svg>
          """.utf8))
      try folder.write("picture.webp", NumberedPicture(3, size: .init(600, 400)).data(as: .webp))
      try folder.write("picture.jxl", NumberedPicture(4, size: .init(600, 400)).data(as: .jxl))
      try folder.write(
        "broken.svg",
        Data("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"40\"><rect width=".utf8))
      try await withPipeline { pipeline in
        let items = try PictureSource(opening: [folder.url]).items()
        try await withWindow(items, pipeline) { window, screen in
          await checks.eventually("a drawing that ends too early says so in its cell", screen) {
            screen.says("Damaged Picture")
          }
          for (name, colour) in [
            ("drawing.svg", Pixel(red: 200, green: 30, blue: 20)), ("picture.webp", nil),
            ("picture.jxl", nil),
          ] {
            guard
              let position = (0..<window.grid.count).first(where: { window.grid.item(at: $0)?.name == name })
            else {
              checks.expect(false, "\(name) is in the grid")
              continue
            }
            window.open(at: position)
            await checks.eventually("\(name) is shown large", screen) { window.detail.images.picture != nil }
            checks.expect(
              window.detail.images.picture?.isIsolated ?? false, "\(name) is decoded in a process of its own")
            for _ in 0..<12 { await screen.nextFrame() }
            guard let colour else { continue }
            var seen: Pixel?
            await screen.nextFrame {
              seen = screen.picture(of: window.detail.widget).map {
                BGRABitmap($0)[$0.size.width / 2, $0.size.height / 2]
              }
            }
            checks.equal(seen, colour, "the colour of the drawing")
          }
          let status = pipeline.diagnostics().isolation
          checks.equal(status?.degradation, nil, "the reason why something is not isolated")
        }
      }
      output.add(
        "isolated", checks, detail: "drawings and what C libraries decode, in processes of their own")
    }
  }
#endif
