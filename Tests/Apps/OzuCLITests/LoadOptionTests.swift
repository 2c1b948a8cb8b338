import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Reports and files of `ozu load`")
struct LoadOptionTests {
  private static let photo = PatternPicture(PixelSize(64, 48), tint: 3)

  private static func fixture(_ name: String) -> String {
    Repository.fixture(name).path(percentEncoded: false)
  }

  @Test("--dry-run says what would be written, and neither loads nor writes")
  func dryRun() async throws {
    let folder = try Folder()
    let arguments = [
      "load", folder.path("a.jpg"), "https://example.com/b.png", "-s", "9x9", "--flip", "-o",
      folder.path("out/{name}-{width}.webp"), "--dry-run",
    ]
    let run = await CommandRun(arguments)
    #expect(run.status == .done)
    #expect(run.output.contains("https://example.com/b.png: "))
    #expect(run.output.contains("-> \(folder.path("out/b-{width}.webp"))"))
    let objects = try await CommandRun(arguments + ["--json"]).objects
    #expect(objects.map { $0["output"] as? String }[0] == folder.path("out/a-{width}.webp"))
    #expect((objects[0]["steps"] as? [String])?.count == 2)
    #expect(try folder.names.isEmpty)
  }

  @Test("--partial takes what a cut file holds, and says so", arguments: ["load", "info"])
  func partial(command: String) async throws {
    let folder = try Folder()
    let whole = try Self.photo.data(as: .png)
    let file = try folder.write(whole.prefix(whole.count / 2), to: "a.png")
    let arguments = [command, file, "--no-cache"] + (command == "info" ? ["--pixels"] : [])
    let refused = await CommandRun(arguments)
    #expect(refused.status == .failed && refused.errors.contains("truncated PNG"))
    let shown = await CommandRun(arguments + ["--partial"])
    #expect(shown.status == .done)
    #expect(shown.output.contains("\n  note: the file is cut off: a part of the picture is missing"))
  }

  @Test(
    "notes about a file that a step draws are printed with its name, and a cut one is refused without --partial",
    arguments: ["--watermark", "--overlay"])
  func notedFiles(option: String) async throws {
    let folder = try Folder()
    let whole = try Self.photo.data(as: .png)
    let file = try folder.write(whole, to: "a.png")
    let mark = try folder.write(whole.prefix(whole.count / 2), to: "mark.png")
    let arguments = ["load", file, "--no-cache", option, mark]
    let refused = await CommandRun(arguments)
    #expect(refused.status == .wrongUsage && refused.errors.contains("truncated PNG"))
    let shown = await CommandRun(arguments + ["--partial"])
    #expect(shown.status == .done)
    #expect(shown.output.contains("\n  note: \(mark): the file is cut off"))
  }

  @Test("--max-pixels sets the limit, and a picture over it is refused with its name")
  func maxPixels() async throws {
    let folder = try Folder()
    let file = try folder.write(Self.photo.data(as: .png), to: "a.png")
    for command in [
      ["load", file, "--no-cache"], ["thumbnail", "--size", "16", file, folder.path("b.png")],
      ["info", file, "--check", "--no-cache"], ["compare", file, file, "--no-cache"],
    ] {
      let allowed = await CommandRun(command + ["--max-pixels", "3072"])
      #expect(allowed.status == .done)
      let run = await CommandRun(command + ["--max-pixels", "3071"])
      #expect(run.status == .failed)
      #expect(run.errors.contains("3072 pixels, limit 3071; --max-pixels raises the limit"), "\(run.errors)")
    }
    let wrong = await CommandRun(["load", file, "--max-pixels", "many"])
    #expect(wrong.status == .wrongUsage)
  }

  @Test("--quiet prints only failures, at the end, a line each")
  func quiet() async throws {
    let folder = try Folder()
    let good = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let bad = try folder.write(Data("text".utf8), to: "b.png")
    for isQuiet in [false, true] {
      let run = await CommandRun(
        ["load", bad, good, folder.path("none.png"), "--no-cache"] + (isQuiet ? ["--quiet"] : []),
        isTerminal: isQuiet)
      #expect(run.status == .failed)
      #expect(run.output.contains("64x48") != isQuiet)
      let lines = run.errors.split(separator: "\n")
      #expect(
        lines.count == 2 && lines[0].hasPrefix("ozu: \(bad): ")
          && lines[1].hasPrefix("ozu: \(folder.path("none.png")): "))
    }
  }

  @Test("--no-cache leaves no cache behind; -j bounds what runs at a time")
  func noCache() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let gate = Gate()
    let data = try Self.photo.data(as: .png)
    for index in 0..<4 { server.route("/\(index).png", .ok(data).held(by: gate)) }
    let sources = (0..<4).map { server.url("/\($0).png").absoluteString }
    async let run = CommandRun(["load"] + sources + ["-j", "1", "--no-cache"])
    // One at a time: while one is held, the next has not been requested.
    for count in 1...4 {
      await ChildRun.onThread { while server.requestCount < count { usleep(500) } }
      #expect(server.requestCount == count)
      gate.admit(1)
    }
    #expect(await run.status == .done)
  }

  @Test("frames that a file which is cut off does not have are a note")
  func missingFrames() async throws {
    let folder = try Folder()
    let data = try Data(contentsOf: Repository.fixture("matrix/anim.gif"))
    let cut = try folder.write(data.prefix(data.count * 3 / 4), to: "cut.gif")
    let arguments = ["frames", cut, "-o", folder.path("{index}.png"), "--no-cache"]
    let run = await CommandRun(arguments)
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output.contains("\n  note: the file is cut off: 2 of at least 3 frames"), "\(run.output)")
    #expect(await CommandRun(arguments + ["--quiet"]).output.isEmpty)
  }

  @Test(
    "a still of an animation says so, in text and in JSON; formats that can keep the frames",
    arguments: ["anim.gif", "anim.png", "anim-lossy.webp"])
  func frames(_ name: String) async throws {
    let folder = try Folder()
    let arguments = ["load", Self.fixture("matrix/\(name)"), "--no-cache"]
    for still in [["-o", folder.path("still.jpg")], ["--still", "-o", folder.path("still.png")]] {
      let text = await CommandRun(arguments + still)
      let json = try await CommandRun(arguments + still + ["--json"]).objects[0]
      let count = try #require(json["frames"] as? Int)
      #expect(count > 1 && json["outputFrames"] as? Int == 1)
      #expect(text.output.contains(" (1 of \(count) frames), "), "\(text.output)")
    }
    for ending in ["png", "gif", "webp"] where OutputFormats.type(ofEnding: ending) != nil {
      let path = folder.path("moving.\(ending)")
      let json = try await CommandRun(arguments + ["-s", "20x20", "-o", path, "--json"]).objects[0]
      #expect(json["outputFrames"] as? Int == json["frames"] as? Int)
      let header = try CodecRegistry.standard.header(of: Data(contentsOf: URL(filePath: path)))
      #expect(header.frameCount == json["frames"] as? Int && max(header.size.width, header.size.height) <= 20)
      #expect(await !CommandRun(arguments + ["-s", "20x20", "-o", path]).output.contains("1 of"))
    }
    // Each frame as a file, and one of them.
    let frames = await CommandRun(
      "frames", Self.fixture("matrix/\(name)"), "-o", folder.path("f/{index}.png"), "--no-cache")
    #expect(frames.status == .done, "\(frames.errors)")
    let animation = try #require(
      try CodecRegistry.standard.picture(from: Data(contentsOf: Repository.fixture("matrix/\(name)")))
        .animation)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("f"))
    #expect(files.count == animation.frameCount)
    let fields = await CommandRun(
      "frames", Self.fixture("matrix/\(name)"), "--no-cache", "-o",
      folder.path("g/{hash}/{name}.{source-ext}-{date}-{camera}-{counter:02}.png"))
    #expect(fields.status == .done && fields.output.contains("-undated-unknown-01.png: "), "\(fields.errors)")
    #expect(fields.output.contains("-02.png: ") && !fields.output.contains("{"))
    let last = "\(animation.frameCount)"
    let one = [
      "frames", Self.fixture("matrix/\(name)"), "-o", folder.path("last.png"), "--no-cache", "--frame",
    ]
    #expect(await CommandRun(one + [last]).status == .done)
    #expect(folder.data("last.png") == folder.data("f/\(last).png"))
    let shownLast = try await animation.frame(at: animation.frameCount - 1)
    let written = try CodecRegistry.standard.picture(from: #require(folder.data("last.png"))).bitmap
    #expect(written == shownLast)
    #expect(await CommandRun(one + ["999"]).errors.contains("it has \(last) frames"))
    // Without -o no frames are lost.
    let shown = try await CommandRun(arguments + ["--json"]).objects[0]
    #expect(shown["outputFrames"] == nil)
    #expect(await !CommandRun(arguments).output.contains("1 of"))
  }

  @Test("notes of a picture are printed")
  func notes() async throws {
    let folder = try Folder()
    var data = try Data(contentsOf: URL(filePath: Self.fixture("icc/display-p3-two-segments-reversed.jpg")))
    while let range = data.range(of: Data("acsp".utf8)) {
      data.replaceSubrange(range, with: Data("xxxx".utf8))
    }
    let source = try folder.write(data, to: "a.jpg")
    #expect(await CommandRun("load", source, "--no-cache").output.contains("\n  note: "))
    let json = try await CommandRun("load", source, "--no-cache", "--json").objects[0]
    #expect((json["notes"] as? [String])?.count == 1)
  }

  @Test("metadata and encoding options")
  func contents() async throws {
    let folder = try Folder()
    func header(_ source: String, _ options: [String]) async throws -> ImageHeader {
      let run = await CommandRun(["load", source, "--no-cache", "-o", folder.path("out.jpg")] + options)
      #expect(run.status == .done, "\(run.errors)")
      return try CodecRegistry.standard.header(of: #require(folder.data("out.jpg")))
    }
    func metadata() throws -> ImageMetadata {
      try CodecRegistry.standard.metadata(of: #require(folder.data("out.jpg")), limits: DecodingLimits())
    }
    let camera = Self.fixture("metadata/exif.jpg")
    let plain = try await header(camera, [])
    #expect(try metadata().exif == nil && !plain.isProgressive)
    for policy in ["keep", "all"] {
      _ = try await header(camera, ["--metadata", policy])
      #expect(try metadata().exif != nil)
    }
    let blocks = EncodingOptions(
      metadata: EncodedMetadata(xmp: Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)))
    let described = try folder.write(
      CodecRegistry.standard.encode(Self.photo.bitmap, as: .jpeg, options: blocks), to: "x.jpg")
    for (policy, isKept) in [("keep", false), ("all", true)] {
      _ = try await header(described, ["--metadata", policy])
      #expect(try (metadata().xmp != nil) == isKept)
    }
    #expect(try await header(camera, ["--dpi", "150"]).dotsPerInch == 150)
    let frame = await CommandRun(
      "frames", camera, "--no-cache", "--frame", "1", "--metadata", "all", "-o", folder.path("out.jpg"))
    #expect(frame.status == .done, "\(frame.errors)")
    #expect(try metadata().exif != nil)
    #expect(try await header(camera, ["--progressive"]).isProgressive)
    let wide = Self.fixture("icc/display-p3-two-segments-reversed.jpg")
    _ = try await header(wide, [])
    #expect(try metadata().colorProfile == nil)
    let wideFrame = await CommandRun(
      "frames", wide, "--no-cache", "--frame", "1", "--profile", "embed", "-o", folder.path("out.jpg"))
    #expect(wideFrame.status == .done, "\(wideFrame.errors)")
    #expect(try metadata().colorProfile != nil)
    _ = try await header(wide, ["--profile", "embed"])
    #expect(try metadata().colorProfile != nil)
    let photo = try folder.write(Self.photo.data(as: .png), to: "a.png")
    var sizes: [Int] = []
    for chroma in ["quarter", "half", "full"] {
      _ = try await header(photo, ["--chroma", chroma])
      sizes.append(folder.data("out.jpg")?.count ?? 0)
    }
    #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
  }

  @Test("--format auto chooses by the picture, not by the name")
  func automatic() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    for (steps, type) in [([], ImageType.jpeg), (["--round", "circle"], .png)] {
      let arguments = ["load", source, "-f", "auto", "--no-cache"] + steps
      let run = await CommandRun(arguments + ["-o", folder.path("b.{ext}")])
      #expect(run.status == .done, "\(run.errors)")
      #expect(
        try CodecRegistry.standard.header(of: #require(folder.data("b.\(type.fileExtension)"))).type == type)
      #expect(
        await CommandRun(arguments + ["-o", folder.path("b.webp")]).errors.contains("--format auto: the name")
      )
    }
  }

  @Test(
    "a second run takes results from the cache: no decode, no encode, the same bytes",
    arguments: ["jpg", "webp"])
  func again(_ ending: String) async throws {
    let folder = try Folder()
    let sources = try ["a.png", "b.png"].map {
      try folder.write(PatternPicture(PixelSize(64, 48), tint: $0 == "a.png" ? 3 : 7).data(as: .png), to: $0)
    }
    let arguments =
      ["load"] + sources + [
        "-s", "32x32", "-o", folder.path("{name}-{width}.\(ending)"), "--stats", "--json",
      ]
    var results: [Data?] = []
    for (options, count) in [
      (["--cache", folder.path("c")], 2), (["--cache", folder.path("c")], 0), (["--no-cache"], 2),
      (["--no-cache"], 2),
    ] {
      let objects = try await CommandRun(arguments + options).objects
      let statistics = try #require(objects.last?["statistics"] as? [String: Any])
      #expect(statistics["decodes"] as? Int == count && statistics["encodes"] as? Int == count)
      #expect(objects[0]["from"] as? String == (count == 0 ? "disk-rendition" : "disk-original"))
      #expect(objects[0]["bytes"] as? Int == (try Data(contentsOf: URL(filePath: sources[0]))).count)
      results.append(folder.data("a-32.\(ending)"))
    }
    #expect(results[0] != nil && Set(results).count == 1)
  }

  @Test("--force writes a format under the ending of another")
  func force() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let run = await CommandRun(
      "load", source, "-f", "png", "-o", folder.path("b.jpg"), "--force", "--no-cache")
    #expect(run.status == .done, "\(run.errors)")
    #expect(folder.data("b.jpg")?.starts(with: [0x89, 0x50]) == true)
  }

  @Test(
    "the progress line",
    arguments: [
      (0, 0, 0.0, 0.0, "╌╌╌╌╌╌╌╌╌╌ 0/4"), (2, 1, 0.0, 1.0, "━━━━━╌╌╌╌╌ 2/4, 1 failed"),
      (2, 0, 0.5, 10.0, "━━━━━━╌╌╌╌ 2/4, 0.2/s, 0:08 left"), (4, 0, 0.0, 10.0, "━━━━━━━━━━ 4/4"),
      (1, 0, 0.0, 7200.0, "━━╌╌╌╌╌╌╌╌ 1/4, 0.0/s, 6:00:00 left"),
    ])
  func progress(_ done: Int, _ failed: Int, _ running: Double, _ seconds: Double, _ text: String) {
    let note = text.drop { "━╌".contains($0) }
    var line = ProgressLine(total: 4, width: note.count + 11)
    (line.doneCount, line.failureCount, line.running, line.elapsed) = (
      done, failed, running, .seconds(seconds)
    )
    #expect(line.text == text)
  }
}
