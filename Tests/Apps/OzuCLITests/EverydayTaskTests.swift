import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

/// Thirty tasks that people have, each done by one command with what its help page says.
@Suite("Everyday tasks by one command")
struct EverydayTaskTests {
  struct EverydayTask: Sendable, CustomTestStringConvertible {
    let name: String
    let command: [String]
    /// The files that are there afterwards, with their sizes if they matter.
    var files: [String: PixelSize?] = [:]
    /// Parts of the output.
    var output: [String] = []
    var status = ExitStatus.done

    var testDescription: String { name }
  }

  private static let whole = PixelSize(320, 240)

  private static let tasks: [EverydayTask] =
    [
      EverydayTask(
        name: "1 thumbnails of a tree, structure kept",
        command: ["load", "-r", "photos", "-s", "32x24", "-o", "out/"],
        files: ["out/a.jpg": PixelSize(32, 24), "out/sub/b.jpg": PixelSize(32, 24)]),
      EverydayTask(
        name: "2 a folder to WebP of 100 kB",
        command: ["load", "-r", "photos", "-f", "webp", "--max-bytes", "2kB", "-o", "out/"],
        files: ["out/a.webp": whole, "out/sub/b.webp": whole]),
      EverydayTask(
        name: "3 a folder to AVIF of 100 kB and 1600 pixels",
        command: ["load", "-r", "photos", "-f", "avif", "--max-bytes", "2kB", "-s", "64", "-o", "out/"],
        files: ["out/a.avif": PixelSize(64, 48)]),
      EverydayTask(
        name: "4 a square of what attracts attention",
        command: ["load", "photos/a.jpg", "--crop", "64x64,attention", "-o", "o.jpg"],
        files: ["o.jpg": PixelSize(64, 64)]),
      EverydayTask(
        name: "5 a watermark",
        command: [
          "load", "photos/a.jpg", "--watermark", "logo.png,bottom-right,0.5,margin=20", "-o", "o.jpg",
        ],
        files: ["o.jpg": whole]),
      EverydayTask(
        name: "6 without the place, with orientation and rights, without loss",
        command: ["clean", "exif.jpg", "--keep", "orientation,profile,copyright", "-o", "o.jpg"],
        files: ["o.jpg": PixelSize(64, 48)], output: ["without "]),
      EverydayTask(
        name: "7 a set with HTML",
        command: [
          "set", "photos/a.jpg", "-w", "32,64", "-f", "webp,jpeg", "--html", "--alt", "A lake", "--sizes",
          "50vw", "-o",
          "img",
        ], files: ["img/a-32.webp": nil, "img/a-64.jpg": PixelSize(64, 48)],
        output: ["<picture>", "alt=\"A lake\"", "sizes=\"50vw\""]),
      EverydayTask(
        name: "8 a contact sheet",
        command: ["sheet", "-r", "photos", "-o", "o.jpg", "--cell", "50", "--gap", "0"],
        files: ["o.jpg": PixelSize(100, 50)]),
      EverydayTask(
        name: "9 only if larger", command: ["load", "photos/a.jpg", "-s", "2000x2000", "-o", "o.jpg"],
        files: ["o.jpg": whole]),
      EverydayTask(
        name: "10 by percentage", command: ["load", "photos/a.jpg", "-s", "50%", "-o", "o.jpg"],
        files: ["o.jpg": PixelSize(160, 120)]),
    ]
    + ["--width=80", "--height=60", "--longest=80", "-s80x", "-sx60", "-s80"].map {
      EverydayTask(
        name: "11 by one side: \($0)", command: ["load", "photos/a.jpg", $0, "-o", "o.jpg"],
        files: ["o.jpg": PixelSize(80, 60)])
    }
    + [
      EverydayTask(
        name: "12 padded with a colour",
        command: ["load", "photos/a.jpg", "-s", "50", "--pad", "50x50,lightblue", "-o", "o.jpg"],
        files: ["o.jpg": PixelSize(50, 50)]),
      EverydayTask(
        name: "13 turned and mirrored",
        command: ["load", "photos/a.jpg", "--rotate", "90", "--flip", "--mirror", "-o", "o.jpg"],
        files: ["o.jpg": PixelSize(240, 320)]),
      EverydayTask(
        name: "14 grey", command: ["load", "photos/a.jpg", "--grayscale", "-o", "o.png"],
        files: ["o.png": whole]),
      EverydayTask(
        name: "15 without its border", command: ["load", "border.png", "--trim=20", "-o", "o.png"],
        files: ["o.png": PixelSize(10, 10)]),
      EverydayTask(
        name: "16 with round corners", command: ["load", "photos/a.jpg", "--round", "20", "-o", "o.png"],
        files: ["o.png": whole]),
      EverydayTask(
        name: "17 a GIF as an animated WebP", command: ["load", "anim.gif", "-o", "o.webp"],
        files: ["o.webp": PixelSize(64, 48)]),
      EverydayTask(
        name: "18 its first frame", command: ["load", "anim.gif", "--still", "-o", "o.png"],
        files: ["o.png": PixelSize(64, 48)], output: ["1 of 4 frames"]),
      EverydayTask(
        name: "19 all its frames", command: ["frames", "anim.gif", "-o", "f/{index}.png"],
        files: ["f/1.png": PixelSize(64, 48), "f/4.png": nil]),
      EverydayTask(
        name: "20 two pictures compared",
        command: ["compare", "photos/a.jpg", "photos/sub/b.png", "--diff", "d.png"],
        files: ["d.png": whole], output: ["SSIMULACRA2", "PSNR"]),
      EverydayTask(
        name: "21 sizes of a tree as a table", command: ["info", "-r", "photos", "--csv"],
        output: ["path,name,type,width,height,bytes", "photos/sub/b.png,b.png,png,320,240,"]),
      EverydayTask(
        name: "22 the dominant colour and BlurHash", command: ["info", "-p", "photos/a.jpg"],
        output: ["dominant colour #", "BlurHash "]),
      EverydayTask(
        name: "23 damaged files of a tree", command: ["info", "-r", "--check", "."], output: [" damaged\n"],
        status: .failed),
      EverydayTask(
        name: "24 what is left of a file that is cut off",
        command: ["load", "cut.jpg", "--partial", "-o", "o.jpg"],
        files: ["o.jpg": whole], output: ["note: "]),
      EverydayTask(
        name: "25 duplicates of a tree", command: ["similar", "-r", "."],
        output: ["copy.jpg: 320x240", "same bytes"], status: .failed),
      EverydayTask(
        name: "26 names by date and camera",
        command: [
          "load", "exif.jpg", "-o", "{date:%Y}/{date}-{camera}-{counter:03}.{source-ext}", "-f", "keep",
        ],
        files: ["2023/2023-01-02-Ozu Works Still 50-001.jpg": PixelSize(64, 48)]),
      EverydayTask(
        name: "28 a list of sources, four at a time, with retries",
        command: ["load", "--from", "list.txt", "-j", "4", "--retries", "5", "-f", "png", "-o", "u/"],
        files: ["u/first.png": whole, "u/b.png": whole]),
      EverydayTask(
        name: "29 what would be done", command: ["load", "-r", "photos", "-s", "64", "-o", "out/", "-n"],
        output: ["photos/a.jpg: resize", " -> out/a."]),
      EverydayTask(
        name: "30 a document is named", command: ["load", "a.pdf", "-o", "o.jpg"], status: .failed),
    ]

  private static func folder() throws -> Folder {
    let folder = try Folder()
    for name in ["photos", "photos/sub"] { mkdir(folder.path(name), 0o700) }
    let photo = PatternPicture(whole, tint: 3)
    let data = try photo.data(as: .jpeg)
    try folder.write(data, to: "photos/a.jpg")
    try folder.write(data, to: "copy.jpg")
    try folder.write(data.prefix(data.count * 2 / 3), to: "cut.jpg")
    try folder.write(photo.data(as: .png), to: "photos/sub/b.png")
    try folder.write(PatternPicture(PixelSize(40, 20)).data(as: .png), to: "logo.png")
    try folder.write(Data(contentsOf: Repository.fixture("metadata/exif.jpg")), to: "exif.jpg")
    try folder.write(Data(contentsOf: Repository.fixture("matrix/anim.gif")), to: "anim.gif")
    try folder.write(Data("photos/a.jpg\tfirst\nphotos/sub/b.png\n".utf8), to: "list.txt")
    try folder.write(Data("%PDF-1.7\n".utf8), to: "a.pdf")
    let border = Bitmap(size: PixelSize(30, 30)) { x, y in
      (10..<20).contains(x) && (10..<20).contains(y) ? .black : .white
    }
    let png = try CodecRegistry.standard.encode(border, as: .png, options: EncodingOptions())
    try folder.write(png, to: "border.png")
    return folder
  }

  /// The command runs in this process, whose folder is another one: words that name files of the folder lead there.
  private static func inside(_ folder: Folder, _ command: [String]) -> [String] {
    let names = [
      "photos", "exif", "anim.gif", "border", "cut", "logo", "list", "a.pdf", "out", "img", "o.", "f/", "u/",
      "d.png",
    ]
    return command.map { word in
      word == "." || word.hasPrefix("{date") || names.contains(where: word.hasPrefix)
        ? (word == "." ? folder.path("") : folder.path("") + word) : word
    }
  }

  @Test("each", arguments: tasks)
  func each(_ task: EverydayTask) async throws {
    let folder = try Self.folder()
    try folder.write(
      Data("\(folder.path("photos/a.jpg"))\tfirst\n\(folder.path("photos/sub/b.png"))\n".utf8), to: "list.txt"
    )
    let cache = ["clean", "sheet"].contains(task.command[0]) ? [] : ["--no-cache"]
    let run = await CommandRun(Self.inside(folder, task.command) + cache)
    #expect(run.status == task.status, "\(run.errors)")
    let output = run.output.replacing(folder.path(""), with: "")
    for part in task.output { #expect(output.contains(part), "\(output)") }
    for (name, size) in task.files {
      let header = try CodecRegistry.standard.header(of: #require(folder.data(name), "\(name)"))
      if let size { #expect(header.size == size) }
    }
    if task.command.contains("2kB") {
      for name in task.files.keys { #expect(try #require(folder.data(name)).count <= 2000) }
    }
    // 27 is in the tests of `ozu watch`.
  }

  @Test("29 standard input to standard output")
  func streams() async throws {
    let folder = try Self.folder()
    let data = try #require(folder.data("photos/a.jpg"))
    let run = try await ChildRun(
      ["load", "-", "-s", "64", "-f", "png", "-o", "-", "--quiet"], in: folder, input: data)
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(try CodecRegistry.standard.header(of: run.output).size == PixelSize(64, 48))
  }

  @Test("the page of ten tasks has commands that write what it shows")
  func page() async throws {
    let folder = try Self.folder()
    let picture = try #require(folder.data("photos/a.jpg"))
    for name in ["canyon-wren", "perched-osprey", "tea-gardens", "roman-colosseum", "the-spices-of-life"] {
      try folder.write(picture, to: name + ".jpg")
    }
    // What a file is called does not matter.
    try folder.write(try #require(folder.data("logo.png")), to: "logo.svg")
    let page = try String(
      contentsOf: Repository.url("Documentation/guides/ten-tasks.md"), encoding: .utf8)
    let lines = page.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n").filter {
      $0.hasPrefix("ozu ")
    }
    #expect(lines.count >= 10)
    for line in lines {
      let words = Self.words(String(line))
      let quiet: [String] = words[1] == "compare" ? [] : ["--quiet"]
      let run = try await ChildRun(Array(words.dropFirst()) + quiet, in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(line): \(run.errors)")
      if let index = words.firstIndex(of: "-o") { #expect(folder.data(words[index + 1]) != nil, "\(line)") }
    }
  }

  /// The words of a command line: those in single quotes are one, and a pattern is the files of the test.
  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    for (index, part) in line.components(separatedBy: "'").enumerated() {
      if index.isMultiple(of: 2) {
        words += part.split(separator: " ").map(String.init)
      } else {
        words.append(part)
      }
    }
    guard let place = words.firstIndex(of: "photos/*.jpg") else { return words }
    words.replaceSubrange(place...place, with: ["photos/a.jpg", "copy.jpg"])
    return words
  }
}
