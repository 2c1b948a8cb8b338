import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Folders as sources")
struct RecursiveLoadTests {
  private static let photo = PatternPicture(PixelSize(64, 48), tint: 3)

  /// A tree with pictures and other entries.
  private static func tree() throws -> Folder {
    let folder = try Folder()
    for path in ["in/b/c", "in/a", "in/.hidden", "in/empty"] {
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: path), withIntermediateDirectories: true)
    }
    let data = try photo.data(as: .png)
    for name in ["in/z.png", "in/b/p.png", "in/b/c/p.png", "in/a/no-ending", "in/.hidden/p.png", "in/.p.png"]
    {
      try folder.write(data, to: name)
    }
    try folder.write(Data("text".utf8), to: "in/liar.png")
    try folder.write(Data(), to: "in/empty.png")
    try folder.write(Drawing.good[0], to: "in/drawing.svg")
    let notice = "<!--" + String(repeating: "licence ", count: 9000) + "-->"
    try folder.write(Data(notice.utf8) + Drawing.good[0], to: "in/notice.svg")
    try folder.write(Drawing.compressed, to: "in/small.svgz")
    symlink("..", folder.path("in/b/loop"))
    symlink("../b", folder.path("in/a/to-b"))
    symlink("z.png", folder.path("in/link.png"))
    symlink("nowhere", folder.path("in/dangling.png"))
    mkfifo(folder.path("in/pipe.png"), 0o600)
    return folder
  }

  private static func sources(_ folder: Folder, _ options: [String]) async throws -> [String] {
    let run = await CommandRun(["load", folder.path("in"), "--dry-run", "--json"] + options)
    let base = folder.path("in/")
    return try run.objects.compactMap { ($0["source"] as? String).map { String($0.dropFirst(base.count)) } }
  }

  private static let found = ["a/no-ending", "b/c/p.png", "b/p.png", "link.png", "z.png"]

  @Test("-r takes the files that begin like a picture, sorted, and enters no loop")
  func listing() async throws {
    let folder = try Self.tree()
    #expect(try await Self.sources(folder, ["-r"]) == Self.found)
    #if SVG && os(Linux)
      let all = try await Self.sources(folder, ["-r", "--isolation", "required"])
      #expect(Set(all) == Set(Self.found + ["drawing.svg", "notice.svg", "small.svgz"]))
    #endif
  }

  @Test("results of the last run in a subfolder are not sources of the next")
  func again() async throws {
    let folder = try Self.tree()
    for output in ["in/out", "in/out/{dir}/{name}.png"] {
      for _ in 0..<2 {
        let run = await CommandRun(
          "load", "-r", folder.path("in"), "-f", "png", "-o", folder.path(output), "--no-cache")
        #expect(run.status == .done, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == Self.found.count + 1)
        #expect(lines.last?.hasPrefix("\(Self.found.count) pictures, ") == true)
      }
    }
  }

  @Test("-o DIR keeps the folders of the sources, and a single picture is in a folder too")
  func mirrored() async throws {
    let folder = try Self.tree()
    let out = folder.path("out")
    let run = await CommandRun("load", "-r", folder.path("in"), "-f", "png", "-o", out, "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    let names = FileManager.default.subpaths(atPath: out) ?? []
    #expect(
      names.filter { $0.hasSuffix(".png") }.sorted()
        == ["a/no-ending.png", "b/c/p.png", "b/p.png", "link.png", "z.png"])
    let one = await CommandRun("load", "-r", folder.path("in/a"), "-o", folder.path("one"), "--no-cache")
    #expect(one.status == .done && folder.data("one/no-ending.jpg") != nil)
  }

  @Test(
    "a folder without pictures and one that cannot be read are failures, a line each, and the rest is done")
  func problems() async throws {
    let folder = try Self.tree()
    let run = await CommandRun(
      "load", "-r", folder.path("in/empty"), folder.path("in/a"), "-o", folder.path("out/"), "--no-cache")
    #expect(run.status == .failed)
    #expect(run.errors == "ozu: \(folder.path("in/empty")): there is no picture in this folder\n")
    #expect(folder.data("out/no-ending.jpg") != nil)
    let json = await CommandRun("load", "-r", folder.path("in/empty"), "--json", "--no-cache")
    #expect(try json.objects.map { $0["error"] as? String } == ["there is no picture in this folder"])
    if getuid() != 0 {
      chmod(folder.path("in/b"), 0)
      let locked = await CommandRun("load", "-r", folder.path("in/b"), "--no-cache")
      #expect(locked.status == .failed && locked.errors.contains("this folder cannot be read"))
      chmod(folder.path("in/b"), 0o700)
    }
  }

  /// Makes an entry whose name need not be UTF-8.
  private static func make(_ name: [UInt8], in folder: Folder, _ data: Data?) {
    let path = (Array((folder.path("in") + "/").utf8) + name + [0]).map(CChar.init(bitPattern:))
    guard let data else {
      mkdir(path, 0o700)
      return
    }
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    _ = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  @Test(
    "a picture or a folder whose name is not UTF-8 is a failure, a line each, and the rest is done",
    arguments: ["load", "set", "thumbnail"])
  func namesOfBytes(_ command: String) async throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
    let data = try Self.photo.data(as: .png)
    try folder.write(data, to: "in/ok.png")
    Self.make(Array("caf\u{1B}".utf8) + [0xE9] + Array(".png".utf8), in: folder, data)
    Self.make([0xFF] + Array(".txt".utf8), in: folder, Data("text".utf8))
    Self.make(Array("d".utf8) + [0xE9], in: folder, nil)
    let options =
      switch command {
      case "set": ["--widths", "32", "--formats", "png", "--no-cache", "-o"]
      case "load": ["--no-cache", "-o"]
      default: ["--folder"]
      }
    let run = await CommandRun([command, "-r", folder.path("in")] + options + [folder.path("out")])
    #expect(run.status == .failed)
    #expect(
      run.errors == """
        ozu: \(folder.path("in"))/caf\\x1b\\xe9.png: its name is not UTF-8; rename it
        ozu: \(folder.path("in"))/d\\xe9: its name is not UTF-8; rename it

        """)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path("out")).isEmpty)
  }

  #if os(Linux)
    @Test("a file that cannot be opened or read is a failure, a line each, and the rest is done")
    func unreadable() async throws {
      let folder = try Folder()
      let data = try Self.photo.data(as: .png)
      for name in ["a.png", "b.png", "c.png"] { try folder.write(data, to: name) }
      chmod(folder.path("b.png"), 0)
      chmod(folder.path(""), 0o755)
      let owner = setfsuid(65_534)
      let closed = try SourceListing(
        [ListedSource(text: folder.path(""))], isRecursive: true, excluding: nil, types: [.png])
      _ = setfsuid(UInt32(owner))
      #expect(closed.sources.map { String($0.text.suffix(5)) } == ["a.png", "c.png"])
      #expect(
        closed.problems.flatMap(\.errorLines)
          == ["ozu: \(folder.path(""))b.png: the file cannot be read: Permission denied"])
      // It can be opened, and its first bytes cannot be read.
      unlink(folder.path("b.png"))
      symlink("/proc/self/mem", folder.path("b.png"))
      let broken = try SourceListing(
        [ListedSource(text: folder.path(""))], isRecursive: true, excluding: nil, types: [.png])
      #expect(broken.sources.count == 2)
      #expect(
        broken.problems.flatMap(\.errorLines)
          == ["ozu: \(folder.path(""))b.png: the file cannot be read: Input/output error"])
    }
  #endif

  @Test("a folder whose name looks like an address is a folder")
  func names() async throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "http:/x"), withIntermediateDirectories: true)
    try folder.write(Self.photo.data(as: .png), to: "http:/x/p.png")
    let run = try await ChildRun(["load", "-r", "./http:", ".", "--no-cache"], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("\n2 pictures, "))
  }
}

#if os(Linux)
  /// The user for files of this thread alone, so that a test can lose root's rights and get them back. No module has it.
  @_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32
#endif
