import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu clean")
struct CleanCommandTests {
  /// A JPEG with a comment.
  private static func jpeg(_ comment: String = "SECRET") throws -> Data {
    let plain = try PatternPicture(PixelSize(16, 8)).data(as: .jpeg)
    return plain.prefix(2) + [0xFF, 0xFE, 0, UInt8(comment.utf8.count + 2)] + Data(comment.utf8)
      + plain.dropFirst(2)
  }

  @Test("writes results to a folder, and says what is gone")
  func folder() async throws {
    let folder = try Folder()
    let path = try folder.write(Self.jpeg(), to: "a.jpg")
    let run = await CommandRun("clean", path, "-o", folder.path("out/"))
    #expect(run.status == .done && run.errors.isEmpty)
    #expect(
      run.output.contains("a.jpg: without a comment (")
        && run.output.hasSuffix("-> \(folder.path("out/a.jpg"))\n"))
    #expect(folder.data("out/a.jpg")?.range(of: Data("SECRET".utf8)) == nil)
    #expect(try folder.data("a.jpg") == Self.jpeg())
    let object = try #require(
      try await CommandRun("clean", path, "--json", "--keep", "All-but-place", "-o", folder.path("b.jpg"))
        .objects
        .first)
    #expect(object["dropped"] as? [String] == [] && object["kind"] as? String == "clean")
    #expect(folder.data("b.jpg")?.range(of: Data("SECRET".utf8)) != nil)
  }

  @Test("replaces files, which keep their permissions", arguments: ["a.jpg", "link.jpg"])
  func inPlace(name: String) async throws {
    let folder = try Folder()
    let path = try folder.write(Self.jpeg(), to: "a.jpg")
    #expect(chmod(path, 0o640) == 0 && symlink("a.jpg", folder.path("link.jpg")) == 0)
    let run = await CommandRun("clean", "--in-place", folder.path(name))
    #expect(run.status == .done, "\(run.errors)")
    #expect(
      folder.data("a.jpg")?.range(of: Data("SECRET".utf8)) == nil && folder.permissions("a.jpg") == 0o640)
    #expect(folder.kind("link.jpg") == S_IFLNK)
    #expect(try folder.names.sorted() == ["a.jpg", "link.jpg"])
    // A second time there is nothing to do.
    #expect(await CommandRun("clean", "--in-place", path).output.contains("nothing is left out"))
    let two = await CommandRun("clean", path, folder.path("link.jpg"), "-o", folder.path("out/"))
    #expect(two.output.contains("\n2 pictures, "), "\(two.output)")
  }

  #if os(Linux)
    @Test("a link to a file whose name is not UTF-8 is a failure, and no other file is made")
    func linkToBytes() async throws {
      let folder = try Folder()
      let path = try folder.write(Self.jpeg(), to: "a.jpg")
      let name = FileName(bytes: [0xE9])
      #expect(rename(path, name.path(in: String(path.dropLast(5)))) == 0)
      #expect(symlink(name.path(in: ""), folder.path("link.jpg")) == 0)
      let run = await CommandRun("clean", "--in-place", folder.path("link.jpg"))
      #expect(run.status == .failed && run.errors.contains("cannot be written"), "\(run.errors)")
      #expect(try folder.data("link.jpg") == Self.jpeg())
      #expect(try FileName.names(in: folder.path("")).count == 2)
    }
  #endif

  @Test(
    "is refused without a place for results, and for other sources",
    arguments: [
      ["a.jpg"], ["a.jpg", "-o", "out/", "--in-place"], ["-", "-o", "b.jpg"],
      ["http://example.org/a.jpg", "-o", "b.jpg"],
      ["a.jpg", "--in-place", "--keep", "gps"], ["a.jpg", "--in-place", "--keep", "nothing,profile"],
      ["a.jpg", "-o", "a.jpg"],
      ["a.jpg", "--in-place", "--upright", "--isolation", "some"],
    ])
  func usage(arguments: [String]) async throws {
    let folder = try Folder()
    let path = try folder.write(Self.jpeg(), to: "a.jpg")
    let run = await CommandRun(["clean"] + arguments.map { $0 == "a.jpg" ? path : $0 })
    #expect(run.status == .wrongUsage && !run.errors.isEmpty)
    #expect(try folder.data("a.jpg") == Self.jpeg())
  }

  @Test(
    "stores pictures upright, or says why not",
    arguments: [
      (["--upright"], "it is stored upright now"),
      (["--upright", "-r"], "it is stored upright now"),
      (["--upright", "--isolation", "OFF"], "it is stored upright now"),
    ])
  func upright(arguments: [String], note: String) async throws {
    let folder = try Folder()
    let exif: [UInt8] =
      Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0]
    let plain = try PatternPicture(PixelSize(16, 16)).data(as: .jpeg)
    let path = try folder.write(
      plain.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + plain.dropFirst(2), to: "a.jpg")
    let run = await CommandRun(["clean", "--in-place", path] + arguments)
    #expect(run.status == .done && run.output.contains("  note: \(note)"), "\(run.output)")
  }

  @Test("cleans nothing in its own process if isolation is required", arguments: [false, true])
  func required(isUpright: Bool) async throws {
    let folder = try Folder()
    let path = try folder.write(Self.jpeg(), to: "a.jpg")
    // This program is no helper.
    let arguments = ["clean", "--in-place", path, "--isolation", "required"]
    let run = await CommandRun(arguments + (isUpright ? ["--upright"] : []))
    #expect(run.status == .failed && run.errors.contains("the JPEG decoder"), "\(run.errors)")
    #expect(try folder.data("a.jpg") == Self.jpeg())
  }

  @Test("a result gets no name of another format", arguments: ["b.png", "{name}-b.png"])
  func ending(name: String) async throws {
    let folder = try Folder()
    let path = try folder.write(Self.jpeg(), to: "a.jpg")
    let run = await CommandRun("clean", path, "-o", folder.path(name))
    #expect(run.status == .failed && run.errors.contains("the name ends in .png"), "\(run.errors)")
    #expect(try folder.names == ["a.jpg"])
  }

  @Test("names of a template have the facts of the picture as it was")
  func template() async throws {
    let folder = try Folder()
    let photo = Repository.fixture("metadata/exif.jpg").path(percentEncoded: false)
    let run = await CommandRun("clean", photo, "-o", folder.path("{date}-{camera}-{width}x{height}.{ext}"))
    #expect(run.status == .done, "\(run.errors)")
    #expect(try folder.names == ["2023-01-02-Ozu Works Still 50-64x48.jpg"])
  }

  @Test("leaves files that it cannot clean as they are", arguments: ["bmp", "none"])
  func failure(kind: String) async throws {
    let folder = try Folder()
    let path = folder.path("a.\(kind)")
    let bytes = Data("BM".utf8) + Data(count: 100)
    if kind == "bmp" { _ = try folder.write(bytes, to: "a.bmp") }
    let run = await CommandRun("clean", "--in-place", path, "--json")
    #expect(run.status == .failed)
    #expect(try run.objects.first?["error"] is String)
    if kind == "bmp" { #expect(folder.data("a.bmp") == bytes) }
  }

  @Test("names each picture in a folder that it cannot clean, and cleans the others")
  func tree() async throws {
    let folder = try Folder()
    try folder.write(Self.jpeg(), to: "a.jpg")
    // Neither has a result, so that their names are no matter.
    for name in ["a.bmp", "a.tga"] {
      try folder.write(Data(contentsOf: Repository.fixture("matrix/bmp-rgb24.bmp")), to: name)
    }
    try folder.write(Data("text".utf8), to: "c.txt")
    // Drawn only in isolation, and not read at all.
    try folder.write(Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), to: "d.svg")
    try folder.write(Data([0xFF, 0x4F, 0xFF, 0x51]), to: "e.j2k")
    let run = await CommandRun("clean", "-r", folder.path(""), "-o", folder.path("out/"))
    #expect(run.status == .failed)
    #expect(run.errors.split(separator: "\n").count == 4, "\(run.errors)")
    for name in ["a.bmp", "d.svg", "e.j2k"] {
      #expect(run.errors.contains("\(name): it cannot be cleaned without encoding its picture again"))
    }
    #expect(try folder.names == ["a.bmp", "a.jpg", "a.tga", "c.txt", "d.svg", "e.j2k", "out"])
    #expect(folder.data("out/a.jpg") != nil && folder.data("out/a.bmp") == nil)
  }

  @Test("info --all prints metadata in full")
  func info() async throws {
    let folder = try Folder()
    // A directory with a maker and one about the place: 40.446111 degrees north.
    let exif: [UInt8] =
      Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 2]
      + [0x01, 0x0F, 0, 2, 0, 0, 0, 3] + Array("M\n\0".utf8) + [0] + [
        0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38,
      ]
      + [0, 0, 0, 0] + [0, 2] + [0, 1, 0, 2, 0, 0, 0, 2] + Array("N\0\0\0".utf8)
      + [0, 2, 0, 5, 0, 0, 0, 1, 0, 0, 0, 68] + [0, 0, 0, 0] + [0, 0, 0, 0x65, 0, 0, 0, 2]
    let plain = try PatternPicture(PixelSize(16, 8)).data(as: .jpeg)
    let segment = [0xFF, 0xE1, 0, UInt8(exif.count + 8)] + Array("Exif\0\0".utf8) + exif
    let path = try folder.write(plain.prefix(2) + segment + plain.dropFirst(2), to: "a.jpg")
    let text = await CommandRun("info", "--all", path, "--no-cache")
    #expect(text.output.hasSuffix("\n  make: M\n  latitude: 50.5\n"), "\(text.output)")
    let object = try #require(
      try await CommandRun("info", "--all", "--json", path, "--no-cache").objects.first)
    let metadata = try #require(object["metadata"] as? [String: Any])
    #expect(metadata["latitude"] as? Double == 50.5 && metadata["make"] as? String == "M")
    #expect((metadata["tags"] as? [Any])?.isEmpty == true)
    // Metadata that are left out are not left out in silence: XMP that continues one that is not there.
    let further = Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 0x41, count: 50)
    let odd = try folder.write(
      plain.prefix(2) + [0xFF, 0xE1, 0, UInt8(further.count + 2)] + further + plain.dropFirst(2), to: "b.jpg")
    let note = await CommandRun("info", "--all", odd, "--no-cache").output
    #expect(note.contains("\n  note: extended XMP is left out: "), "\(note)")
  }
}
