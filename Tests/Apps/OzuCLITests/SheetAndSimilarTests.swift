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
      (["-o", "x/"], "this names a folder"), (["-o", "{name}.jpg"], "has no {name}"),
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

@Suite("ozu similar")
struct SimilarCommandTests {
  /// A drawing with a few shapes at places of its own.
  private static func drawing(_ seed: Int) -> Bitmap {
    Bitmap(size: PixelSize(128, 96)) { x, y in
      let (a, b) = (x / 32 * (seed + 3) % 7, y / 32 * (seed * 5 + 1) % 5)
      return Pixel(red: UInt8(a * 36), green: UInt8(b * 50), blue: UInt8((a + b) * 20))
    }
  }

  @Test("copies in other sizes and formats are groups, the largest first; others are not in them")
  func groups() async throws {
    let folder = try Folder()
    let codecs = CodecRegistry.standard
    let small = Picture(Self.drawing(1)).resized(Resize(PixelSize(64, 64))).bitmap
    try folder.write(codecs.encode(small, as: .png, options: EncodingOptions()), to: "a-small.png")
    for (name, seed, type) in [("b", 1, ImageType.png), ("c", 1, .jpeg), ("d", 2, .png), ("e", 4, .png)] {
      let data = try codecs.encode(Self.drawing(seed), as: type, options: EncodingOptions())
      try folder.write(data, to: "\(name).\(type.fileExtension)")
    }
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
      groups.first.map { Set($0) } == ["a-small.png", "b.png", "c.jpg"] && groups.first?.last == "a-small.png"
    )
    #expect(groups.last == ["e.png", "f.png"])
    #expect(run.output.contains("f.png: 128x96, ") && run.output.contains(", same bytes\n"))
    let exact = try await CommandRun("similar", "-r", folder.path(""), "--exact", "--json", "--no-cache")
      .objects
    #expect(exact.count == 1 && (exact[0]["pictures"] as? [Any])?.count == 2)
    let none = await CommandRun("similar", folder.path("d.png"), folder.path("none.png"))
    #expect(
      none.status == .failed && none.output == "no pictures look alike\n" && none.errors.contains("none.png"))
  }

  @Test(
    "wrong distances are refused", arguments: [["-d", "33"], ["--distance", "x"], ["--exact", "-d", "3"]])
  func usage(_ arguments: [String]) async {
    #expect(await CommandRun(["similar", "a.png"] + arguments).status == .wrongUsage)
  }
}
