import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu sheet")
struct SheetCommandTests {
  private static func folder() throws -> Folder {
    let folder = try Folder()
    for tint in 0..<5 {
      try folder.write(PatternPicture(PixelSize(60, 30), tint: tint).data(as: .png), to: "\(tint).png")
    }
    return folder
  }

  private static func bitmap(_ folder: Folder, _ name: String) throws -> Bitmap {
    try CodecRegistry.standard.picture(from: #require(folder.data(name))).bitmap
  }

  @Test("pictures stand in rows with gaps between them, on the background")
  func rows() async throws {
    let folder = try Self.folder()
    let run = await CommandRun(
      "sheet", "-r", folder.path(""), "-o", folder.path("sheet.png"), "--columns", "2", "--cell", "20x10",
      "--gap", "4", "--background", "lightblue", "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output.hasPrefix("\(folder.path("sheet.png")): 5 pictures, 52x46, "))
    let sheet = try Self.bitmap(folder, "sheet.png")
    let background = Pixel(red: 0xAD, green: 0xD8, blue: 0xE6)
    #expect(sheet.size == PixelSize(52, 46))
    for place in [(0, 0), (25, 20), (51, 45), (40, 40)] { #expect(sheet[place.0, place.1] == background) }
    // Blue is the tint times 36.
    for (tint, place) in [(14, 9), (38, 9), (14, 23), (38, 23), (14, 37)].enumerated() {
      #expect(sheet[place.0, place.1].blue == UInt8(tint * 36))
    }
  }

  @Test("a background that is transparent in part is the same beside a picture as between them")
  func transparentBackground() async throws {
    let folder = try Self.folder()
    let run = await CommandRun(
      "sheet", folder.path("1.png"), "-o", folder.path("sheet.png"), "--mode", "fit", "--cell", "40", "--gap",
      "4", "--background", "#ff000080", "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    let sheet = try Self.bitmap(folder, "sheet.png")
    #expect(sheet[1, 1].alpha == 128 && sheet[24, 7] == sheet[1, 1] && sheet[24, 24].alpha == 255)
  }

  @Test("a sheet has the resolution that was asked for")
  func resolution() async throws {
    let folder = try Self.folder()
    let path = folder.path("sheet.jpg")
    let run = await CommandRun("sheet", folder.path("0.png"), "-o", path, "--dpi", "300", "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    let data = try #require(folder.data("sheet.jpg"))
    #expect(try CodecRegistry.standard.header(of: data).dotsPerInch == 300)
  }

  @Test("several sheets have numbers, and pictures that cannot be read are left out")
  func pages() async throws {
    let folder = try Self.folder()
    let broken = try folder.write(Data("no".utf8), to: "x.png")
    let sources = (0..<5).map { folder.path("\($0).png") } + [broken]
    let run = await CommandRun(
      ["sheet"] + sources + [
        "--columns", "2", "--rows", "1", "--cell", "30", "--mode", "fit", "-f", "png", "-o",
        folder.path("s{counter:02}.{ext}"), "--no-cache",
      ])
    #expect(run.status == .failed && run.errors.contains("x.png: "), "\(run.errors)")
    #expect(try folder.names.filter { $0.hasPrefix("s") } == ["s01.png", "s02.png", "s03.png"])
    let sheet = try Self.bitmap(folder, "s03.png")
    #expect(sheet.size == PixelSize(54, 54))
    // Half as high as its cell.
    #expect(sheet[27, 15] == .white && sheet[27, 27].blue == 144)
  }

  @Test(
    "what makes no sense is refused before anything is loaded",
    arguments: [
      ([], "sheet needs -o"), (["-o", "a.jpg"], "would replace the source"),
      (["-o", "x/"], "this names a folder"), (["-o", "/tmp"], "-o /tmp/sheet.jpg"),
      (["-o", "{name}.jpg"], "has no {name}"),
      (["-o", "x.jpg", "--rows", "1", "--columns", "1"], "2 sheets need {index}"),
      (["-o", "x.jpg", "--cell", "60000"], "would be too large"), (["-o", "x.jpg", "--cell", "9"], nil),
      (["-o", "x.jpg", "--cell", "0"], "from 1 to"),
      (["-o", "x.jpg", "--background", "puce"], "a colour is needed"),
      (["-o", "x.jpg", "-f", "keep"], "--format keep"), (["-o", "x.jpg", "--gap", "-1"], "from 0 to 1000"),
    ] as [([String], String?)])
  func refused(_ arguments: [String], _ message: String?) async throws {
    let run = await CommandRun(["sheet", "a.jpg", "b.jpg"] + arguments)
    #expect(run.status == (message == nil ? .failed : .wrongUsage))
    #expect(run.errors.contains(message ?? "no such file"), "\(run.errors)")
  }
}

@Suite("Near hashes")
struct NearHashesTests {
  @Test(
    "the bands give the pairs that all comparisons give", arguments: [0, 3, 8, 11, 12, 20], [1, 2, 3])
  func pairs(_ limit: Int, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Families: copies differ in up to sixteen bits from their first.
    var hashes: Set<UInt64> = []
    for _ in 0..<60 {
      let first = random.next()
      for _ in 0..<5 {
        let flips = (0..<Int.random(in: 0...16, using: &random)).map { _ in
          Int.random(in: 0..<64, using: &random)
        }
        hashes.insert(flips.reduce(first) { $0 ^ (1 << UInt64($1)) })
      }
    }
    let sorted = hashes.sorted()
    var pairs: Set<[Int]> = []
    NearHashes.forEachPair(of: sorted, within: limit) { pairs.insert([$0, $1]) }
    var expected: Set<[Int]> = []
    for second in sorted.indices {
      for first in 0..<second where (sorted[first] ^ sorted[second]).nonzeroBitCount <= limit {
        expected.insert([first, second])
      }
    }
    #expect(pairs == expected, "seed \(seed)")
    #expect(limit == 0 ? expected.isEmpty : !expected.isEmpty)
  }
}

@Suite("ozu similar")
struct SimilarCommandTests {
  @Test("copies in other sizes and formats are groups, the largest first; others are not in them")
  func groups() async throws {
    let folder = try Folder()
    let codecs = CodecRegistry.standard
    let photo = Repository.url("Sources/Apps/OzuCLI/Resources/Photos/canyon-wren-480.png")
    let large = try codecs.picture(from: Data(contentsOf: photo))
    let small = large.resized(Resize(PixelSize(200, 200))).bitmap
    try folder.write(codecs.encode(small, as: .jpeg, options: EncodingOptions()), to: "a-small.jpg")
    try folder.write(Data(contentsOf: photo), to: "b.png")
    try folder.write(
      codecs.encode(large.bitmap, as: .gif, options: EncodingOptions()), to: "c.gif")
    try folder.write(PatternPicture(PixelSize(128, 96)).data(as: .png), to: "e.png")
    try folder.write(#require(folder.data("e.png")), to: "f.png")
    // Pictures of one colour are like no other.
    for name in ["white", "grey"] {
      let pixel = name == "white" ? Pixel.white : Pixel(red: 99, green: 99, blue: 99)
      let flat = Bitmap(size: PixelSize(40, 40)) { _, _ in pixel }
      try folder.write(codecs.encode(flat, as: .png, options: EncodingOptions()), to: "\(name).png")
    }
    let run = await CommandRun("similar", "-r", folder.path(""), "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    let groups = run.output.components(separatedBy: "\n\n").map { group in
      group.split(separator: "\n").map { String($0.dropFirst(folder.path("").count).prefix { $0 != ":" }) }
    }
    #expect(groups.count == 2, "\(run.output)")
    #expect(
      groups.first == ["b.png", "c.gif", "a-small.jpg"], "\(run.output)"
    )
    #expect(groups.last == ["e.png", "f.png"])
    #expect(run.output.contains("f.png: 128x96, ") && run.output.contains(", same bytes\n"))
    let exact = try await CommandRun("similar", "-r", folder.path(""), "--exact", "--json", "--no-cache")
      .objects
    #expect(exact.count == 1 && (exact[0]["pictures"] as? [Any])?.count == 2)
    let none = await CommandRun("similar", folder.path("white.png"), folder.path("none.png"))
    #expect(
      none.status == .failed && none.output == "no pictures look alike\n" && none.errors.contains("none.png"))
  }

  @Test("a file is no copy of itself, by whatever names it is found")
  func names() async throws {
    let folder = try Folder()
    let data = try PatternPicture(PixelSize(64, 48)).data(as: .png)
    try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: false)
    let file = try folder.write(data, to: "in/b.png")
    #expect(symlink("in/b.png", folder.path("a.png")) == 0 && link(file, folder.path("in/c.png")) == 0)
    let sources = [folder.path(""), folder.path("in"), file]
    let alone = await CommandRun(["similar", "-r", "--no-cache"] + sources)
    #expect(alone.status == .done && alone.output == "no pictures look alike\n", "\(alone.output)")
    try folder.write(data, to: "d.png")
    let copies = await CommandRun(["similar", "-r", "--no-cache"] + sources)
    let names = copies.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
    #expect(names == [file[...], folder.path("d.png")[...]], "\(copies.output)")
  }

  @Test(
    "wrong distances are refused", arguments: [["-d", "33"], ["--distance", "x"], ["--exact", "-d", "3"]])
  func usage(_ arguments: [String]) async {
    #expect(await CommandRun(["similar", "a.png"] + arguments).status == .wrongUsage)
  }
}
