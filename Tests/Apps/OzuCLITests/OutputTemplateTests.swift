import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Names of results by a template")
struct OutputTemplateTests {
  private static let photo = PatternPicture(PixelSize(320, 240), tint: 3)

  @Test(
    "fields are filled in; an empty folder drops its slash; braces are written twice",
    arguments: [
      ("{name}.{ext}", "p.jpg"), ("out/{dir}/{name}-{width}x{height}.{ext}", "out/sub/b/p-64x48.jpg"),
      ("{index}_{hash}.png", "07_0123.png"), ("{{{name}}}", "{p}"), ("a{{}}b", "a{}b"),
      ("{date:%Y/%m}/{date}-{name}.{source-ext}.{ext}", "2026/11/2026-11-29-p.heic.jpg"),
      ("{date:%H%M%S} {camera}.jpg", "140509 X.jpg"), ("{counter}-{counter:3}{counter:01}.jpg", "7-0077.jpg"),
    ])
  func fields(_ text: String, _ path: String) throws {
    var values: OutputTemplate.Values = [
      .name: "p", .dir: "sub/b", .index: "07", .width: "64", .height: "48", .ext: "jpg", .hash: "0123",
      .sourceExt: "heic", .counter: "7", .date: "2026:11:29 14:05:09", .camera: "X",
    ]
    let template = try OutputTemplate(text)
    #expect(template.path(values) == path)
    values[.dir] = ""
    #expect(template.path(values) == path.replacingOccurrences(of: "sub/b/", with: ""))
  }

  @Test(
    "a date is written as far as it is known, and none that nobody set",
    arguments: [
      ("0000:00:00 00:00:00", "undated"), ("    :  :     :  :", "undated"), ("2020:05", "undated"),
      ("2020:05:06", "2020-05-06 000000"), ("2020-05-06T07:08:09", "2020-05-06 070809"),
    ])
  func dates(_ date: String, _ text: String) {
    #expect(CaptureDate(form: "%Y-%m-%d %H%M%S")?.text(date) == text)
  }

  @Test("an empty folder at the beginning does not lead to the root")
  func root() throws {
    #expect(try OutputTemplate("{dir}/{name}").path([.dir: "", .name: "p"]) == "p")
    #expect(try OutputTemplate("{dir}{name}").path([.dir: "", .name: "p"]) == "p")
    #expect(try OutputTemplate("a{dir}/{name}").path([.dir: "", .name: "p"]) == "a/p")
  }

  @Test(
    "the folder of all results, and the ending",
    arguments: [
      ("{name}", ".", nil), ("out/{name}.webp", "out", "webp"), ("/{name}.{ext}", "/", nil),
      ("a/b{name}/c.jpg", "a", "jpg"), ("{dir}.d/{name}x", ".", nil),
    ] as [(String, String, String?)])
  func parts(_ text: String, _ folder: String, _ ending: String?) throws {
    let template = try OutputTemplate(text)
    #expect(template.folder == folder)
    #expect(template.ending == ending)
  }

  @Test(
    "no address of a source leads out of the folder",
    arguments: [
      "https://example.com/../../../etc/passwd", "https://example.com/%2e%2e%2f%2e%2e%2fx.png",
      "https://example.com/..%2F..%2Fx.png", "https://example.com/..", "https://example.com/.", "..", "a/..",
      "https://example.com/%2Fetc%2Fpasswd", "https://example.com/%00", "data:,../x",
      "https://example.com/....",
    ])
  func escape(_ source: String) throws {
    let folder = try Folder()
    for text in ["a/{name}.{ext}", "{dir}/{name}.{ext}", "b/{name}/x.jpg", ".{name}", "{dir}{name}"] {
      let target = try OutputTarget(
        path: folder.path("") + text, format: .type(.jpeg), sources: [ListedSource(text: source)],
        overwritesSources: false)
      let path = target.plannedPath(forSource: 0)
      let inner = path.dropFirst(folder.path("").count)
      #expect(path.hasPrefix(folder.path("")))
      #expect(!inner.split(separator: "/").contains(".."), "\(path)")
      let result = OutputTarget.Result(data: Data("x".utf8), type: .jpeg, size: PixelSize(1, 1))
      let written = try target.write(result, forSource: 0)
      let place = URL(filePath: written).resolvingSymlinksInPath().path(percentEncoded: false)
      #expect(place.hasPrefix(folder.url.resolvingSymlinksInPath().path(percentEncoded: false)))
    }
  }

  @Test("results are written to the paths of the template, with the values of each")
  func load() async throws {
    let folder = try Folder()
    let sources = try ["a.png", "b.png"].map { try folder.write(Self.photo.data(as: .png), to: $0) }
    let run = await CommandRun(
      ["load"] + sources + [
        "-s", "64x64", "--no-cache", "-o", folder.path("out/{index}-{name}-{width}x{height}.{ext}"),
      ])
    #expect(run.status == .done, "\(run.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
        == ["1-a-64x48.jpg", "2-b-64x48.jpg"])
  }

  @Test("a result from the cache is named for the date and the camera, too", arguments: ["load", "set"])
  func cached(_ command: String) async throws {
    let folder = try Folder()
    let photo = Repository.fixture("metadata/exif.jpg").path(percentEncoded: false)
    let options = command == "load" ? ["-s", "20"] : ["-w", "20", "-f", "png"]
    let arguments =
      [command, photo, "--cache", folder.path("cache"), "--json", "-o", folder.path("{date}-{camera}.png")]
      + options
    for _ in 0..<2 {
      let run = await CommandRun(arguments)
      #expect(run.status == .done, "\(run.errors)")
      #expect(run.output.contains("/2023-01-02-Ozu Works Still 50.png"), "\(run.output)")
    }
  }

  @Test("{hash} names a result for its bytes: equal ones are one file, others are not")
  func hash() async throws {
    let folder = try Folder()
    let other = PatternPicture(PixelSize(320, 240), tint: 7)
    let sources = [
      try folder.write(Self.photo.data(as: .png), to: "a.png"),
      try folder.write(Self.photo.data(as: .png), to: "b.png"),
      try folder.write(other.data(as: .png), to: "c.png"),
    ]
    let arguments = ["load"] + sources + ["--no-cache", "--json", "-o", folder.path("out/{hash}.png")]
    let run = await CommandRun(arguments)
    #expect(run.status == .done, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(names.count == 2 && names.allSatisfy { $0.count == 20 })
    let outputs = try run.objects.map { try #require($0["output"] as? String) }
    #expect(outputs[0] == outputs[1] && outputs[0] != outputs[2])
    #expect(try await CommandRun(arguments).objects.map { $0["output"] as? String } == outputs)
  }

  @Test("two sources with the same name from different fields do not overwrite each other")
  func claims() async throws {
    let folder = try Folder()
    let sources = [
      try folder.write(PatternPicture(PixelSize(23, 4)).data(as: .png), to: "a1.png"),
      try folder.write(PatternPicture(PixelSize(123, 4)).data(as: .png), to: "a.png"),
    ]
    let run = await CommandRun(
      ["load"] + sources + ["-j", "1", "--no-cache", "-o", folder.path("out/{name}{width}.png")])
    #expect(run.status == .failed)
    #expect(run.errors.contains("out/a123.png cannot be written: another result has this name"))
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(
      from: #require(folder.data("out/a123.png")))
    #expect(picture.size.width == 23)
  }

  @Test("a template that makes the name of a source is refused before and while it writes")
  func sources() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a-320.png")
    let before = await CommandRun("load", source, "--no-cache", "-o", folder.path("{name}.png"))
    #expect(before.status == .wrongUsage && before.errors.contains("would replace the source"))
    let named = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let late = await CommandRun("load", named, source, "--no-cache", "-o", folder.path("{name}-{width}.png"))
    #expect(late.status == .failed && late.errors.contains("it is the source"), "\(late.errors)")
    #expect(folder.data("a-320.png") == (try Self.photo.data(as: .png)))
  }
}
