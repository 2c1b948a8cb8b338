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
        "weight=1e99", "italic", "italic=true",
      ])
    func refused(style: String) throws {
      let error = #expect(throws: UsageError.self) { try TextArgument("x", style: style) }
      #expect("\(String(describing: error))".contains("--text-style"))
    }

    @Test("a character that no font has is a note of each picture, and a style without a text is an error")
    func notes() async throws {
      let folder = try Folder()
      let photo = try folder.write(PatternPicture(PixelSize(40, 30)).data(as: .png), to: "photo.png")
      let arguments = ["load", photo, "--no-cache", "-o", folder.path("out.png")]
      let unused = try await ChildRun(arguments + ["--text", "a", "--text-style", "size=20"])
      #expect(unused.status == 2 && unused.errors.contains("--text-style size=20: no --text follows"))
      let run = try await ChildRun(arguments + ["--text", "a\u{10FFFD}"])
      guard run.status == 0 else {
        #expect(run.errors.contains("--text a"))
        return
      }
      #expect(
        String(decoding: run.output, as: UTF8.self).contains("  note: 1 character has no glyph in any font"))
    }

    @Test("a text that is too long is refused in one short line")
    func longText() async throws {
      let folder = try Folder()
      let photo = try folder.write(PatternPicture(PixelSize(20, 12)).data(as: .png), to: "photo.png")
      let text = String(repeating: "a", count: 20_000)
      let run = try await ChildRun([
        "load", photo, "--text", text, "-o", folder.path("out.png"), "--no-cache",
      ])
      #expect(run.status == 2 && run.errors.contains("--text \(text.prefix(40))…: "))
      #expect(run.errors.utf8.count < 400)
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
      let arguments = ["card", template, "--set", "title=Hi", "-o", result, "--cache", folder.path("cache")]
      let run = try await ChildRun(arguments)
      guard run.status == 0 else {
        // Without a font nothing can be written.
        #expect(run.errors.contains("the font of a label"))
        return
      }
      let bitmap = try CodecRegistry.standard.picture(from: Data(contentsOf: URL(filePath: result))).bitmap
      #expect(bitmap.size == PixelSize(100, 60) && bitmap[0, 59] == Pixel(red: 16, green: 32, blue: 48))
      #expect(bitmap[80, 30] != bitmap[0, 59])
      // Another picture under the same name is seen, and one that is gone is named.
      let photo = folder.path("photo.png")
      try PatternPicture(PixelSize(40, 40), tint: 3).data(as: .png).write(to: URL(filePath: photo))
      #expect(try await ChildRun(arguments).status == 0)
      let other = try CodecRegistry.standard.picture(from: Data(contentsOf: URL(filePath: result))).bitmap
      #expect(other[80, 30] != bitmap[80, 30])
      try FileManager.default.removeItem(atPath: photo)
      #expect(try await ChildRun(arguments).errors.contains("photo.png: no such file"))
    }

    @Test("ozu card replaces neither its template nor a picture that it shows")
    func cardKeepsSources() async throws {
      let folder = try Folder()
      let data = try PatternPicture(PixelSize(40, 40)).data(as: .png)
      let photo = try folder.write(data, to: "photo.png")
      try folder.write(data, to: "logo.png")
      let json = """
        {"size": {"width": 100, "height": 60}, "elements": [
          {"picture": {"source": "{photo}"}, "placement": {"x": 60, "y": 10}},
          {"picture": {"source": "logo.png"}, "placement": {"x": 0, "y": 0}}]}
        """
      let template = try folder.write(Data(json.utf8), to: "card.json")
      for name in ["photo.png", "logo.png", "card.json"] {
        let run = await CommandRun(
          "card", template, "--set", "photo=\(photo)", "-o", folder.path(name), "-f", "png", "--force",
          "--no-cache")
        #expect(run.status == .wrongUsage && run.errors.contains("would replace the source"), "\(run.errors)")
        #expect(!run.errors.contains("--overwrite-sources"))
      }
      #expect(folder.data("photo.png") == data && folder.data("logo.png") == data)
    }
  }
#endif
