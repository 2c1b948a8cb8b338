import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Results that keep what their sources have: the format, the place, the times")
struct KeepingTests {
  private static let photo = PatternPicture(PixelSize(320, 240), tint: 3)

  /// A folder of a PNG, a JPEG with capitals in its name, and a GIF.
  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write(photo.data(as: .png), to: "a.png")
    try folder.write(photo.data(as: .jpeg), to: "a.JPG")
    try folder.write(photo.data(as: .gif), to: "b.gif")
    return folder
  }

  private static func header(_ folder: Folder, _ name: String) throws -> ImageHeader {
    try CodecRegistry.standard.header(of: #require(folder.data(name)))
  }

  @Test("with --format keep a mixed tree stays what it is; a format that cannot be written says so")
  func formats() async throws {
    let folder = try Self.folder()
    // A portable bitmap in BMP, which is read and not written.
    try folder.write(Self.bmp, to: "c.bmp")
    let run = await CommandRun(
      "load", "-r", folder.path(""), "-f", "keep", "-s", "32", "-o", folder.path("out"), "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
    #expect(names == ["a.JPG", "a.png", "b.gif", "c.jpg"])
    #expect(try Self.header(folder, "out/a.JPG").type == .jpeg)
    #expect(try Self.header(folder, "out/a.png").type == .png)
    #expect(try Self.header(folder, "out/b.gif").type == .gif)
    #expect(run.output.contains("note: BMP cannot be written; it is JPEG"))
  }

  @Test(
    "with --format keep a name that a neighbour may get too is refused before anything is loaded",
    arguments: ["c.jpg", "c.png", "c.tga"])
  func neighbours(name: String) async throws {
    let run = await CommandRun("load", "c.bmp", name, "-f", "keep", "-o", "out/")
    #expect(run.status == .wrongUsage && run.errors.contains("would both be out/c."), "\(run.errors)")
    #expect(run.errors.contains("{source-ext} tells them apart") && !run.errors.contains("--format keep"))
  }

  @Test(
    "with --format keep no file gets the ending of another format, unless --force is given",
    arguments: [("c.bmp", "out.bmp"), ("d.png", "out.png")])
  func otherEnding(name: String, result: String) async throws {
    let folder = try Folder()
    // A JPEG under the name of a PNG, and a format that is not written.
    let path = try folder.write(name == "c.bmp" ? Self.bmp : Self.photo.data(as: .jpeg), to: name)
    let arguments = ["load", path, "-f", "keep", "-o", folder.path(result), "--no-cache"]
    let run = await CommandRun(arguments)
    #expect(run.status == .failed && run.errors.contains("it is JPEG, and the name ends in"), "\(run.errors)")
    #expect(try folder.names == [name])
    #expect(await CommandRun(arguments + ["--force"]).status == .done)
  }

  @Test("--in-place replaces files in their formats, and refuses what it cannot replace")
  func inPlace() async throws {
    let folder = try Self.folder()
    chmod(folder.path("a.png"), 0o640)
    let all = ["a.png", "a.JPG", "b.gif"].map(folder.path)
    let run = await CommandRun(["load"] + all + ["--in-place", "-s", "32", "--no-cache"])
    #expect(run.status == .done, "\(run.errors)")
    for (name, type) in [("a.png", ImageType.png), ("a.JPG", .jpeg), ("b.gif", .gif)] {
      let header = try Self.header(folder, name)
      #expect(header.size == PixelSize(32, 24) && header.type == type)
    }
    #expect(folder.permissions("a.png") == 0o640)
    #expect(try folder.names == ["a.JPG", "a.png", "b.gif"])
    let bmp = try folder.write(Self.bmp, to: "c.bmp")
    let refused = await CommandRun("load", bmp, "--in-place", "--no-cache")
    #expect(refused.status == .failed && refused.errors.contains("BMP can be read and not written"))
    #expect(folder.data("c.bmp") == Self.bmp)
    if CodecRegistry.standard.decodableTypes.contains(.avif), OutputFormats.written(.avif) != nil {
      // An animation in a format that is written without animations.
      let animation = try Data(contentsOf: Repository.fixture("matrix/anim.avif"))
      let path = try folder.write(animation, to: "d.avif")
      let moving = ["load", path, "--in-place", "--no-cache", "--isolation", "off"]
      let run = await CommandRun(moving)
      #expect(run.status == .failed && run.errors.contains("only its first frame"), "\(run.errors)")
      #expect(folder.data("d.avif") == animation)
      #expect(await CommandRun(moving + ["--still"]).status == .done)
    }
    let twice = await CommandRun("load", bmp, folder.path("./c.bmp"), "--in-place")
    #expect(twice.status == .wrongUsage && twice.errors.contains("named twice"))
    #expect(twice.errors.contains("c.bmp is the same file."))
  }

  @Test("--only-smaller leaves out what has as many bytes or more, and says so")
  func smaller() async throws {
    let folder = try Self.folder()
    let small = PatternPicture(PixelSize(4, 4), tint: 1)
    let path = try folder.write(small.data(as: .png), to: "small.png")
    let arguments = [
      "load", path, folder.path("a.png"), "--only-smaller", "--no-cache", "-f", "jpeg", "-s", "16",
    ]
    let run = await CommandRun(arguments + ["-o", folder.path("out/")])
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output.contains("small.png: PNG 4x4, ") && run.output.contains(" -> not written: "))
    #expect(run.output.contains("1 not smaller and not written"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) == ["a.jpg"])
    let objects = try await CommandRun(arguments + ["-o", folder.path("out/"), "--json"]).objects
    #expect(objects[0]["isLeftOut"] as? Bool == true && objects[0]["output"] == nil)
    #expect(objects[1]["isLeftOut"] == nil && objects[1]["output"] != nil)
  }

  @Test(
    "--times gives results the times of their sources",
    arguments: [["load", "-s", "32"], ["set", "-w", "32"], ["clean"]])
  func times(_ command: [String]) async throws {
    let folder = try Self.folder()
    let moment = timespec(tv_sec: 1_000_000_000, tv_nsec: 5_000_000)
    utimensat(AT_FDCWD, folder.path("a.JPG"), [moment, moment], 0)
    let run = await CommandRun(command + ["--times", folder.path("a.JPG"), "-o", folder.path("out/")])
    #expect(run.status == .done, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(!names.isEmpty)
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("out/\(name)"))
      let date = try #require(attributes[.modificationDate] as? Date)
      #expect(abs(date.timeIntervalSince1970 - 1_000_000_000) < 0.1)
    }
  }

  @Test(
    "what makes no sense together is refused",
    arguments: [
      (["a.png", "-f", "keep", "-o", "b.jpg"], "the name b.jpg ends in .jpg"),
      (["a.png", "b.jpg", "-f", "keep", "-o", "{name}-{index}.jpg"], "ends in .jpg"),
      (["a.png", "--in-place", "-o", "b.png"], "there is no -o and no --format"),
      (["a.png", "--in-place", "-f", "webp"], "there is no -o and no --format"),
      (["https://example.com/a.png", "--in-place"], "only files of this machine"),
      (["-", "--in-place"], "only files of this machine"), (["a.png", "--times"], "--times needs -o"),
      (["a.png", "--only-smaller"], "--only-smaller needs -o"),
      (["a.png", "-o", "{counter:x}.png"], "{counter:03}"),
      (["a.png", "-o", "{counter:0}.png"], "{counter:03}"), (["a.png", "-o", "{index:3}.png"], "no field"),
    ] as [([String], String)])
  func refused(_ arguments: [String], _ message: String) async {
    let run = await CommandRun(["load"] + arguments)
    #expect(run.status == .wrongUsage && run.errors.contains(message), "\(run.errors)")
  }

  /// One red pixel.
  private static let bmp = Data(
    [
      0x42, 0x4D, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0, 0,
      0, 0, 0,
      4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0,
    ] as [UInt8])
}

@Suite("Lists of sources, with names of their own")
struct SourceListTests {
  private static let photo = PatternPicture(PixelSize(32, 24), tint: 3)

  @Test(
    "a file and standard input have a source in a line, and its name behind a tab", arguments: [true, false])
  func lists(_ isFile: Bool) async throws {
    let folder = try Folder()
    let paths = try ["a b.png", "#b.png", "c.png"].map { try folder.write(Self.photo.data(as: .png), to: $0) }
    let lines = ["\u{FEFF}" + paths[0], "", paths[1] + "\tshoes/red.jpg", paths[2] + "\t"]
    let list = try folder.write(Data(lines.joined(separator: "\r\n").utf8), to: "list.txt")
    let run = await CommandRun(
      ["load", "--from", isFile ? list : "-", "-o", folder.path("out"), "-f", "webp", "--no-cache"],
      input: isFile ? [] : lines)
    #expect(run.status == .done, "\(run.errors)")
    for name in ["out/a b.webp", "out/shoes/red.webp", "out/c.webp"] { #expect(folder.data(name) != nil) }
    let info = await CommandRun("info", paths[2], "--from", list, "--format", "{name}")
    #expect(info.output == "c.png\na b.png\n#b.png\nc.png\n", "\(info.errors)")
    let odd = try folder.write(Self.photo.data(as: .png), to: "d\ne.png")
    let names = (paths + [odd]).map { $0 + "\0" }.joined()
    let zeros = try folder.write(Data(names.utf8), to: "zeros")
    let each = await CommandRun(
      ["info", "--from", isFile ? zeros : "-", "--format", "{name}"],
      input: isFile ? [] : names.components(separatedBy: "\n"))
    #expect(each.output == "a b.png\n#b.png\nc.png\nd\\u000ae.png\n", "\(each.errors)")
    // The results of a folder with a name go into a folder of that name.
    let tree = try folder.write(Data("\(folder.path("out/shoes"))\tboots/new".utf8), to: "tree")
    let moved = await CommandRun(
      "load", "-r", "--from", tree, "-f", "png", "-o", folder.path("again"), "--no-cache")
    #expect(moved.status == .done && folder.data("again/boots/new/red.png") != nil, "\(moved.errors)")
  }

  @Test(
    "names that lead elsewhere, lists that are not there or empty, and standard input twice are refused",
    arguments: [
      (["a.png\t../b"], "leads elsewhere"), (["a.png\t/b"], "leads elsewhere"),
      (["a.png\t.b"], "leads elsewhere"),
      (["a.png\tx//b"], "leads elsewhere"), (["\tb"], "a source is missing"),
      ([""], "there is no source in it"),
      (["-"], "standard input is one source"),
    ] as [([String], String)])
  func refused(_ lines: [String], _ message: String) async throws {
    let run = await CommandRun(["load", "--from", "-", "-o", "out/"], input: lines)
    #expect(run.status == .wrongUsage && run.errors.contains(message), "\(run.errors)")
    let folder = try Folder()
    let binary = try folder.write(Data([0xFF, 0xFE, 0]), to: "list")
    #expect(await CommandRun("load", "--from", binary).errors.contains("it is not a text in UTF-8"))
    #expect(await CommandRun("load", "--from", folder.path("none")).status == .wrongUsage)
    #expect(await CommandRun("load").errors.contains("Usage: ozu load SOURCE… [OPTION…]"))
  }
}
