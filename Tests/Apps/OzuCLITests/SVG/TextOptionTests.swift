#if SVG && os(Linux)
  import Foundation
  import Ozu
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite struct TextOptionTests {
    @Test("captions of a sheet stand below the pictures, in the colour that is seen")
    func captions() async throws {
      let folder = try Folder()
      let photo = try folder.write(PatternPicture(PixelSize(60, 30)).data(as: .png), to: "wwwwww.png")
      let result = folder.path("sheet.png")
      let run = try await ChildRun([
        "sheet", photo, photo, "-o", result, "--captions", "--cell", "80x40", "--gap", "4", "--background",
        "black", "--no-cache",
      ])
      guard run.status == 0 else {
        #expect(run.errors.contains("wwwwww.png: "))
        return
      }
      let bitmap = try CodecRegistry.standard.picture(from: Data(contentsOf: URL(filePath: result))).bitmap
      #expect(bitmap.size == PixelSize(172, 72))
      let caption = (44..<68).flatMap { y in (4..<84).map { bitmap[$0, y] } }
      #expect(caption.contains { $0.green > 200 } && caption.count { $0.green < 50 } > 1000)
    }

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

    @Test("ozu card draws a template with values, and pictures beside it")
    func card() async throws {
      let folder = try Folder()
      _ = try folder.write(PatternPicture(PixelSize(40, 40)).data(as: .png), to: "photo.png")
      let json = """
        {"size": {"width": 100, "height": 60}, "background": "#102030", "elements": [
          {"picture": {"source": "photo.png"}, "placement": {"x": 60, "y": 10, "size": {"width": 40, "height": 40}}},
          {"label": {"text": "{title}", "size": 20, "color": "#fff"}, "placement": {"x": 4, "y": 4}}]}
        """
      let template = try folder.write(Data(json.utf8), to: "card.json")
      let result = folder.path("card.png")
      let missing = try await ChildRun(["card", template, "-o", result, "--no-cache"])
      #expect(missing.status == 1 && missing.errors.contains("the template needs a value for title"))
      let run = try await ChildRun(["card", template, "--set", "title=Hi", "-o", result, "--no-cache"])
      guard run.status == 0 else {
        // Without a font nothing can be written.
        #expect(run.errors.contains("the font of a label"))
        return
      }
      let bitmap = try CodecRegistry.standard.picture(from: Data(contentsOf: URL(filePath: result))).bitmap
      #expect(bitmap.size == PixelSize(100, 60) && bitmap[0, 59] == Pixel(red: 16, green: 32, blue: 48))
      #expect(bitmap[80, 30] != bitmap[0, 59])
    }
  }
#endif
