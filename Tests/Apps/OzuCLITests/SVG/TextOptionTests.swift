#if SVG && os(Linux)
  import Foundation
  import Ozu
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite struct TextOptionTests {
    @Test("--text writes on the picture as the --text-style before it says")
    func writing() async throws {
      let folder = try Folder()
      let photo = try folder.write(PatternPicture(PixelSize(200, 120)).data(as: .png), to: "photo.png")
      let result = folder.path("out.png")
      let style = "size=24,color=#000,background=#0f0,place=top-left,margin=10,padding=5,font=sans-serif"
      let run = try await ChildRun([
        "load", photo, "--text-style", style, "--text", "Hi", "-o", result, "--cache", folder.path("cache"),
      ])
      guard run.status == 0 else {
        // Without a font nothing can be written.
        #expect(run.errors.contains("--text Hi: "))
        return
      }
      let bitmap = try CodecRegistry.standard.picture(from: Data(contentsOf: URL(filePath: result))).bitmap
      #expect(bitmap[11, 11] == Pixel(red: 0, green: 255, blue: 0))
      #expect(
        bitmap[9, 9]
          == (try CodecRegistry.standard.picture(from: Data(contentsOf: URL(filePath: photo))).bitmap[9, 9]))
    }

    @Test(
      "a style that makes no sense is refused by its name",
      arguments: [
        "size=nan", "size=0", "color=nothing", "place=here", "lines=0", "blink=yes", "align=up",
        "weight=1e99",
      ])
    func refused(style: String) throws {
      let error = #expect(throws: UsageError.self) { try TextArgument("x", style: style) }
      #expect("\(String(describing: error))".contains("--text-style"))
    }

    @Test("a font with a slash is a file, and others are families")
    func fonts() throws {
      #expect(try TextArgument("a\\nb", style: "font=/x/y.ttf").label.font == .file("/x/y.ttf"))
      let expected = Label("a\nb", font: .family("Inter,serif"), size: 32, color: .white)
      #expect(try TextArgument("a\\nb", style: "font=Inter,font=serif").label == expected)
    }
  }
#endif
