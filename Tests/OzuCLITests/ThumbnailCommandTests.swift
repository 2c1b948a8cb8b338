import Foundation
import Ozu
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
    #expect(
      run.output.split(separator: "\n").map(String.init)
        == ThumbnailSize.allCases.map { "\(shared)/\($0.rawValue)/\(name)" })
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
  }

  @Test("the thumbnailer's entry names every format, and only existing options")
  func entry() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "scripts/desktop/ozu.thumbnailer"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(lines.first == "[Thumbnailer Entry]")
    #expect(lines.contains("Exec=ozu thumbnail --size %s %u %o"))
    let types = lines.first { $0.hasPrefix("MimeType=") }?.dropFirst(9).split(separator: ";").map(String.init)
    let readable = CodecRegistry.standard.decodableTypes.filter { $0 != .ozuDelta }
    for type in readable { #expect(types?.contains(type.mediaType) ?? false, "\(type)") }
  }
}

@Suite("The names of thumbnails")
struct ThumbnailNameTests {
  @Test(
    "MD5 as in RFC 1321 and around the length of a block",
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
      (String(repeating: "a", count: 55), "ef1772b6dff9a122358552954ad0df65"),
      (String(repeating: "a", count: 56), "3b0c8ac703f828b04c6c197006d17218"),
      (String(repeating: "a", count: 64), "014842d480b571495a4a0363793f7367"),
      ("file:///home/jens/photos/me.png", "c6ee772d9e49320e97ec29a7eb5b1697"),
    ])
  func digests(_ text: String, _ digest: String) {
    #expect(MD5.hexadecimal(text.utf8) == digest)
  }

  @Test(
    "addresses are written as GLib writes them",
    arguments: [
      (
        "/tmp/ä b/#1;x?[y]&=+$,:@!~'()*%{}|<>\"^`\\.jpg", "/",
        "file:///tmp/%C3%A4%20b/%231%3Bx%3F%5By%5D&=+$,:@!~'()*%25%7B%7D%7C%3C%3E%22%5E%60%5C.jpg"
      ),
      ("a.jpg", "/home/x", "file:///home/x/a.jpg"),
      ("./../a//b/./c.jpg", "/home/x", "file:///home/a/b/c.jpg"),
      ("../../../a", "/b", "file:///a"), ("/a_b-c.9", "/", "file:///a_b-c.9"),
    ])
  func addresses(_ path: String, _ folder: String, _ address: String) {
    #expect(FileAddress.address(ofPath: path, in: folder) == address)
  }

  @Test("texts of a PNG: Latin-1, several, none in a truncated file or another format")
  func texts() throws {
    let png = try CodecRegistry.standard.encode(PatternPicture(PixelSize(8, 8), tint: 1).bitmap, as: .png)
    let marked = PNGTexts.adding([("a", "1"), ("Grüße", "ü→")], to: png)
    #expect(PNGTexts.texts(of: marked) == ["a": "1", "Grüße": "ü?"])
    // Length, kind, key, a zero, value, and the CRC-32 of everything after the length.
    #expect(
      Array(marked[33..<48]) == [0, 0, 0, 3] + Array("tEXta".utf8) + [0, 0x31] + [0x2E, 0x2B, 0xA2, 0x75])
    #expect(
      try CodecRegistry.standard.picture(from: marked).bitmap
        == CodecRegistry.standard.picture(from: png).bitmap)
    for count in 0..<marked.count { _ = PNGTexts.texts(of: marked.prefix(count)) }
    #expect(PNGTexts.texts(of: marked.prefix(40)).isEmpty && PNGTexts.texts(of: Data("text".utf8)).isEmpty)
  }

  @Test(
    "the shared cache is in the user's cache folder",
    arguments: [
      (["XDG_CACHE_HOME": "/c", "HOME": "/h"], "/c/thumbnails"), (["HOME": "/h"], "/h/.cache/thumbnails"),
      (["XDG_CACHE_HOME": "c", "HOME": "/h"], "/h/.cache/thumbnails"),
    ])
  func standardFolder(_ environment: [String: String], _ folder: String) {
    #expect(ThumbnailCache.standardFolder(environment) == folder)
  }
}
