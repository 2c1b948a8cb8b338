import Foundation
import Ozu
import OzuBase
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu thumbnail: thumbnails for the shared cache")
struct ThumbnailCommandTests {
  private static func png(_ size: PixelSize) throws -> Data {
    try CodecRegistry.standard.encode(PatternPicture(size, tint: 3).bitmap, as: .png)
  }

  private static func mode(_ path: String) throws -> Int {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return Int(status.st_mode & 0o777)
  }

  private static func modified(_ path: String) throws -> Int {
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    return Int(try #require(date).timeIntervalSince1970.rounded(.down))
  }

  private static func texts(_ path: String) throws -> [String: String] {
    PNGTexts.texts(of: try Data(contentsOf: URL(filePath: path)))
  }

  @Test("names, sizes, texts and permissions are those of the standard")
  func cache() async throws {
    let folder = try Folder()
    let source = try folder.write(try Self.png(PixelSize(640, 320)), to: "ä b#1.png")
    let shared = folder.path("shared")
    let address = FileAddress.address(ofPath: source, in: "/")
    #expect(address.hasSuffix("/%C3%A4%20b%231.png"))
    let name = MD5.hexadecimal(address.utf8) + ".png"
    let run = await CommandRun(
      "thumbnail", source, "--folder", shared, "--sizes", "normal,large,x-large,xx-large")
    #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    let paths = ThumbnailSize.allCases.map { (size: ThumbnailSize) in "\(shared)/\(size.rawValue)/\(name)" }
    #expect(lines == paths)
    for size in ThumbnailSize.allCases {
      let path = "\(shared)/\(size.rawValue)/\(name)"
      let data = try Data(contentsOf: URL(filePath: path))
      let header = try CodecRegistry.standard.header(of: data)
      let width = min(size.side, 640)
      #expect(header.type == .png && header.size == PixelSize(width, width / 2))
      let modified = try Self.modified(source)
      #expect(
        try Self.texts(path) == [
          "Thumb::URI": address, "Thumb::MTime": "\(modified)", "Thumb::Image::Width": "640",
          "Thumb::Size": "\(try Data(contentsOf: URL(filePath: source)).count)",
          "Thumb::Image::Height": "320", "Thumb::Mimetype": "image/png", "Software": "Ozu \(Version.current)",
        ])
      #expect(try Self.mode(path) == 0o600)
      #expect(try Self.mode("\(shared)/\(size.rawValue)") == 0o700)
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(shared)/\(size.rawValue)") == [name])
    }
    #expect(try Self.mode(shared) == 0o700)
  }

  @Test("an existing thumbnail is kept, unless the file has changed or --force is given")
  func again() async throws {
    let folder = try Folder()
    let source = try folder.write(try Self.png(PixelSize(300, 200)), to: "a.png")
    let arguments = ["thumbnail", source, "--folder", folder.path("shared"), "--sizes", "normal"]
    let path = await CommandRun(arguments).output.trimmingCharacters(in: .newlines)
    #expect(await CommandRun(arguments).output.isEmpty)
    #expect(await CommandRun(arguments + ["--force"]).output == path + "\n")
    // Others may have made it readable for all.
    chmod(path, 0o644)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: source)
    let changed = await CommandRun(arguments)
    #expect(changed.status == .done && changed.output == path + "\n")
    #expect(try Self.texts(path)["Thumb::MTime"] == "1000000000")
    #expect(try Self.mode(path) == 0o600)
  }

  @Test("a failure is remembered for this version, until the file changes or --force is given")
  func failures() async throws {
    let folder = try Folder()
    let source = try folder.write(Data("no picture".utf8), to: "a.png")
    let arguments = ["thumbnail", source, "--folder", folder.path("shared")]
    let first = await CommandRun(arguments)
    #expect(first.status == .failed && first.output.isEmpty && first.errors.contains("this is text"))
    let failures = folder.path("shared/fail/ozu-\(Version.current)")
    let name = MD5.hexadecimal(FileAddress.address(ofPath: source, in: "/").utf8) + ".png"
    #expect(try FileManager.default.contentsOfDirectory(atPath: failures) == [name])
    #expect(try Self.mode("\(failures)/\(name)") == 0o600)
    let texts = try Self.texts("\(failures)/\(name)")
    #expect(texts["Thumb::MTime"] == "\(try Self.modified(source))")
    #expect(texts["Thumb::URI"] == FileAddress.address(ofPath: source, in: "/"))
    let data = try Data(contentsOf: URL(filePath: "\(failures)/\(name)"))
    #expect(try CodecRegistry.standard.header(of: data).size == PixelSize(1, 1))
    #expect(await CommandRun(arguments).errors.contains("could be made before"))
    try Self.png(PixelSize(30, 20)).write(to: URL(filePath: source))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: source)
    #expect(await CommandRun(arguments).status == .done)
  }

  @Test("a missing file and a web address fail, and no failure is remembered for them")
  func unreadable() async throws {
    let folder = try Folder()
    for source in [folder.path("none.png"), "https://example.com/a.png", "trash:///a.png"] {
      let run = await CommandRun("thumbnail", source, "--folder", folder.path("shared"))
      #expect(run.status == .failed && run.output.isEmpty && !run.errors.isEmpty)
    }
    #expect(try folder.names.isEmpty)
  }

  @Test("folders are listed, except for the cache itself")
  func folders() async throws {
    let folder = try Folder()
    try folder.write(try Self.png(PixelSize(30, 20)), to: "a.png")
    let shared = folder.path("shared")
    let arguments = ["thumbnail", "-r", folder.path(""), "--folder", shared, "--sizes", "normal"]
    #expect(await CommandRun(arguments).output.split(separator: "\n").count == 1)
    #expect(await CommandRun(arguments).output.isEmpty)
    let own = try FileManager.default.contentsOfDirectory(atPath: shared + "/normal")
    let run = await CommandRun("thumbnail", "\(shared)/normal/\(own[0])", "--folder", shared)
    #expect(run.status == .done && run.output.isEmpty)
  }

  @Test("with --size one file is written, for file managers", arguments: [16, 4096])
  func thumbnailer(side: Int) async throws {
    let folder = try Folder()
    let source = try folder.write(try Self.png(PixelSize(300, 200)), to: "a b.png")
    let address = FileAddress.address(ofPath: source, in: "/")
    let run = await CommandRun("thumbnail", "-s", "\(side)", address, folder.path("out"))
    #expect(run.status == .done && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
    let data = try Data(contentsOf: URL(filePath: folder.path("out")))
    let size = try CodecRegistry.standard.header(of: data).size
    #expect(size.width == min(side, 300) && size.height == (min(side, 300) * 2 + 2) / 3)
    #expect(PNGTexts.texts(of: data)["Thumb::URI"] == address)
    #expect(try folder.names == ["a b.png", "out"])
  }

  @Test("with --size a failure gives the reason, and writes nothing")
  func thumbnailerFailures() async throws {
    let folder = try Folder()
    let picture = try Self.png(PixelSize(300, 200))
    let (broken, source) = (
      try folder.write(Data("no".utf8), to: "b.png"), try folder.write(picture, to: "a.png")
    )
    for arguments in [
      [broken, folder.path("out")], [folder.path("none"), folder.path("out")], [source, source],
    ] {
      let run = await CommandRun(["thumbnail", "-s", "64"] + arguments)
      #expect(run.status == .failed && !run.errors.isEmpty)
    }
    #expect(try folder.names == ["a.png", "b.png"])
    #expect(try Data(contentsOf: URL(filePath: source)) == picture)
  }

  @Test(
    "options that make no sense are refused",
    arguments: [
      [], ["-s", "64", "a.png"], ["-s", "64", "a.png", "b.png", "c.png"], ["-s", "0", "a.png", "b.png"],
      ["-s", "5000", "a.png", "b.png"], ["-s", "x", "a.png", "b.png"], ["--sizes", "huge", "a.png"],
      ["--sizes", "", "a.png"], ["-s", "64", "--force", "a.png", "b.png"],
      ["-s", "64", "https://example.com/a.png", "b.png"], ["--isolation", "no", "a.png"],
    ])
  func usage(_ arguments: [String]) async {
    let run = await CommandRun(["thumbnail"] + arguments)
    #expect(run.status == .wrongUsage && run.output.isEmpty && !run.errors.isEmpty)
  }

  @Test("named files are decoded in isolation, as untrusted ones")
  func isolation() throws {
    let parsed = try ArgumentParser(ThumbnailCommand.specification).parse([
      "a.jpg", "--isolation", "preferred",
    ])
    let isolation = try IsolationOption.isolation(parsed, isUntrusted: true)
    #expect(isolation.mode == .preferred && isolation.types == DecoderIsolation.libraryTypes)
    let untrusted = try ArgumentParser(LoadCommand.specification).parse([
      "--untrusted", "https://example.com/a",
    ])
    #expect(try IsolationOption.isolation(untrusted, isOwnProgram: true).mode == .required)
  }

  @Test(
    "the entries of desktops name every format, and only existing options",
    arguments: [
      ("ozu.thumbnailer", "[Thumbnailer Entry]", "Exec=ozu thumbnail --size %s %u %o"),
      ("org.ozu.Gallery.desktop", "[Desktop Entry]", "Exec=ozu-gallery %F"),
    ])
  func entry(file: String, title: String, command: String) throws {
    let text = try String(contentsOf: Repository.url("scripts/desktop/\(file)"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(lines.first.map(String.init) == title)
    #expect(lines.contains { $0 == command })
    let types = lines.first { $0.hasPrefix("MimeType=") }?.dropFirst(9).split(separator: ";").map(String.init)
    for type in ImageFormat.read.flatMap(\.mediaTypes) { #expect(types?.contains(type) ?? false, "\(type)") }
  }
}
