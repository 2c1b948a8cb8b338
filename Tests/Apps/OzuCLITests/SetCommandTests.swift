import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu set: a picture in several widths and formats from one decode")
struct SetCommandTests {
  private static let small = PatternPicture(PixelSize(300, 200), tint: 3)
  private static let formats = ["avif", "webp", "jpeg"].filter { OutputFormats.type(ofEnding: $0) != nil }

  private static func statistics(_ run: CommandRun) throws -> [String: Any] {
    try #require(try run.objects.last?["statistics"] as? [String: Any])
  }

  @Test("six widths in three formats are one decode, and a second run neither decodes nor encodes")
  func oneDecode() async throws {
    let folder = try Folder()
    // Progressive and large, so that its decode takes longer than starting all requests, also on a busy machine.
    let photo = try CodecRegistry.standard.encode(
      PatternPicture(PixelSize(3200, 2400), tint: 3).bitmap, as: .jpeg,
      options: EncodingOptions(compressionQuality: 0.95, isProgressive: true))
    let source = try folder.write(photo, to: "p.jpg")
    let widths = [100, 200, 320, 480, 640, 960]
    let arguments = [
      "set", source, "--widths", widths.map(String.init).joined(separator: ","), "--formats",
      Self.formats.joined(separator: ","), "--html", "-o", folder.path("out"), "--json", "--stats",
      "--effort", "low",
    ]
    let count = widths.count * Self.formats.count
    var contents: [String: Data] = [:]
    for (options, decodes, encodes) in [
      (["--no-cache"], 1, count + 1), (["--cache", folder.path("c")], 1, count + 1),
      (["--cache", folder.path("c")], 0, 0),
    ] {
      let run = await CommandRun(arguments + options)
      #expect(run.status == .done, "\(run.errors)")
      let statistics = try Self.statistics(run)
      #expect(statistics["decodes"] as? Int == decodes)
      #expect(statistics["encodes"] as? Int == encodes)
      let outputs = try #require(try run.objects[0]["outputs"] as? [[String: Any]])
      #expect(outputs.map { $0["width"] as? Int } == Self.formats.flatMap { _ in widths })
      for output in outputs {
        let path = try #require(output["output"] as? String)
        let data = try Data(contentsOf: URL(filePath: path))
        let header = try CodecRegistry.standard.header(of: data)
        #expect(header.size == PixelSize(output["width"] as? Int ?? 0, output["height"] as? Int ?? 0))
        #expect(header.type.rawValue == output["type"] as? String)
        #expect(path.hasSuffix("/p-\(header.size.width).\(header.type.fileExtension)"))
        // The same bytes in every state of the cache.
        #expect(contents.updateValue(data, forKey: path).map { $0 == data } ?? true)
      }
    }
    #expect(contents.count == count)
  }

  @Test(
    "widths above the picture's own are left out and reported, duplicates are made once, and nothing is enlarged",
    arguments: [
      ("100,200,100", [String](), [100, 200], [Int]()), ("200,300,301,4000", [], [200, 300], [301, 4000]),
      ("400,500", [], [300], [400, 500]), ("100,200", ["--crop", "1:1"], [100, 200], []),
      ("100,250,300", ["--crop", "1:1"], [100], [250, 300]), ("250,300", ["--rotate", "90"], [200], [300]),
    ])
  func widths(_ widths: String, _ steps: [String], _ made: [Int], _ omitted: [Int]) async throws {
    let folder = try Folder()
    let source = try folder.write(Self.small.data(as: .png), to: "p.png")
    let run = await CommandRun(
      ["set", source, "-w", widths, "-f", "jpg", "-o", folder.path("out/"), "--no-cache", "--json"] + steps)
    #expect(run.status == .done, "\(run.errors)")
    let report = try run.objects[0]
    #expect((report["outputs"] as? [[String: Any]])?.map { $0["width"] as? Int } == made)
    #expect(report["omittedWidths"] as? [Int] == omitted)
    #expect(run.errors.contains("left out") == !omitted.isEmpty)
    let quiet = await CommandRun(
      ["set", source, "-w", widths, "-f", "jpg", "-o", folder.path("out/"), "--no-cache", "--quiet"] + steps)
    #expect(quiet.status == .done && quiet.errors.isEmpty && quiet.output.isEmpty, "\(quiet.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(Set(names) == Set(made.map { "p-\($0).jpg" }))
  }

  @Test("the height of a width does not depend on the other widths")
  func heights() async throws {
    let folder = try Folder()
    // 20 pixels wide it is 13.3 high; of 27 rows, as it has 40 wide, 13.5 would be left.
    let source = try folder.write(PatternPicture(PixelSize(60, 40), tint: 3).data(as: .png), to: "p.png")
    let run = await CommandRun(
      "set", source, "-w", "20,40", "-f", "png", "-o", folder.path("out/"), "--no-cache", "--json")
    let outputs = try #require(try run.objects[0]["outputs"] as? [[String: Any]])
    #expect(outputs.map { $0["height"] as? Int } == [13, 27])
  }

  @Test("several sources, folders, templates; all failures are listed at the end")
  func several() async throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.path("in/deep"), withIntermediateDirectories: true)
    for name in ["in/a.png", "in/b.jpg", "in/deep/a.png"] {
      try folder.write(Self.small.data(as: .png), to: name)
    }
    let bad = try folder.write(Self.small.data(as: .png).prefix(100), to: "bad.png")
    let arguments = ["set", "-r", folder.path("in"), "-w", "50,100", "-f", "png,jpeg", "--no-cache"]
    let run = await CommandRun(arguments + [bad, folder.path("none.png"), "-o", folder.path("out")])
    #expect(run.status == .failed)
    let failures = run.errors.split(separator: "\n")
    #expect(failures.count == 2, "\(run.errors)")
    #expect(
      failures[0].hasPrefix("ozu: \(bad): ") && failures[1].hasPrefix("ozu: \(folder.path("none.png")): "))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path("out")).count == 13)
    #expect(try folder.names == ["bad.png", "in", "out"])
    let template = await CommandRun(arguments + ["-o", folder.path("t/{dir}/{index}-{height}.{ext}")])
    #expect(template.status == .done, "\(template.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.path("t/deep/3-67.jpg")))
  }

  @Test("no file is written unless all can be made, and no source is replaced")
  func whole() async throws {
    let folder = try Folder()
    let data = try Self.small.data(as: .png)
    let source = try folder.write(data, to: "p.png")
    let limited = await CommandRun(
      "set", source, "-w", "50,300", "-f", "png,jpeg", "--max-bytes", "700", "--no-cache", "-o",
      folder.path("out"))
    #expect(limited.status == .failed && limited.errors.contains("300 png: "), "\(limited.errors)")
    #expect(try folder.names == ["p.png"])
    let named = try folder.write(data, to: "p-50.png")
    let replacing = await CommandRun(
      "set", source, named, "-w", "50", "-f", "png", "--no-cache", "-o", folder.path(""))
    #expect(
      replacing.status == .failed && replacing.errors.contains("it is the source"), "\(replacing.errors)")
    #expect(folder.data("p-50.png") == data)
  }

  @Test("--dry-run names every file of every source, and neither loads nor writes")
  func dryRun() async throws {
    let folder = try Folder()
    let arguments = [
      "set", folder.path("a.jpg"), "https://example.com/b.png", "--flip", "-w", "100,200", "-f", "png,jpeg",
      "-o",
      folder.path("out/{name}-{width}-{height}.{ext}"), "--dry-run", "--html",
    ]
    let run = await CommandRun(arguments)
    #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
    let objects = try await CommandRun(arguments + ["--json"]).objects
    let names = ["100-{height}.png", "200-{height}.png", "100-{height}.jpg", "200-{height}.jpg"]
    let paths = ["a", "b"].flatMap { name in names.map { folder.path("out/\(name)-\($0)") } }
    #expect(objects.map { $0["output"] as? String } == paths)
    // The widest is made from the source, the other from the widest.
    #expect(objects.prefix(2).map { ($0["steps"] as? [String])?.count } == [3, 2])
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 8)
    #expect(zip(lines, paths).allSatisfy { $0.hasSuffix(" -> \($1)") }, "\(run.output)")
    #expect(try folder.names.isEmpty)
  }

  @Test("with -j the reports and the HTML come in the order of the sources")
  func order() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let folder = try Folder()
    let gate = Gate()
    let data = try Self.small.data(as: .png)
    server.route("/0.png", .ok(data).held(by: gate))
    for index in 1..<4 { server.route("/\(index).png", .ok(data)) }
    let sources = (0..<4).map { server.url("/\($0).png").absoluteString }
    async let run = CommandRun(
      ["set"] + sources + [
        "-j", "2", "-w", "50", "-f", "png", "-o", folder.path("out"), "--no-cache", "--html",
      ])
    // All others are done while the first is held.
    try await eventually(folder.data("out/3-50.png") != nil)
    #expect(folder.data("out/0-50.png") == nil)
    gate.open()
    let (output, errors) = (await run.output, await run.errors)
    for (text, pattern) in [(output, /src="[^"]*\/(\d)-50.png"/), (errors, /-> .*\/(\d)-50.png/)] {
      #expect(text.matches(of: pattern).map { String($0.output.1) } == ["0", "1", "2", "3"], "\(text)")
    }
  }

  @Test("--overwrite-sources lets a result replace its own source, and no other")
  func overwriting() async throws {
    let folder = try Folder()
    let data = try Self.small.data(as: .png)
    for name in ["p-50.png", "p.png"] { try folder.write(data, to: name) }
    let (source, other) = (folder.path("p-50.png"), folder.path("p.png"))
    let arguments = ["-w", "50", "-f", "png", "--no-cache", "-o", folder.path("{name}.{ext}")]
    let refused = await CommandRun(["set", source] + arguments)
    #expect(refused.status == .wrongUsage && refused.errors.contains("--overwrite-sources"))
    #expect(folder.data("p-50.png") == data)
    let own = await CommandRun(["set", source] + arguments + ["--overwrite-sources"])
    #expect(own.status == .done, "\(own.errors)")
    #expect(try CodecRegistry.standard.header(of: #require(folder.data("p-50.png"))).size.width == 50)
    let foreign = await CommandRun([
      "set", other, source, "-w", "50", "-f", "png", "--no-cache", "-o", folder.path(""),
      "--overwrite-sources",
    ])
    #expect(foreign.status == .failed && foreign.errors.contains("it is the source"), "\(foreign.errors)")
  }

  @Test("--trace has every stage, and replaces no source and no result")
  func trace() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.small.data(as: .png), to: "p.png")
    let arguments = [
      "set", source, "-w", "50,100", "-f", "png", "--no-cache", "-o", folder.path("out"), "--trace",
    ]
    let file = folder.path("trace.json")
    #expect(await CommandRun(arguments + [file]).status == .done)
    let trace = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file))) as? [String: Any])
    let names = (trace["traceEvents"] as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
    #expect(names.contains("decode"), "\(names)")
    #expect(await CommandRun(arguments + [source]).errors.contains("this is the source"))
    let taken = await CommandRun(arguments + [folder.path("out/p-50.png")])
    #expect(taken.status == .failed && taken.errors.contains("the trace goes there"), "\(taken.errors)")
  }

  @Test(
    "wrong usage",
    arguments: [
      (["-w", "0"], "--widths 0: up to 32 widths"), (["-w", "320,"], "for example: --widths 320,640,1280"),
      (["-f", "webp,tif"], "--formats tif: TIFF can be read and not written"),
      (["-f", "wepb"], "Did you mean \"webp\"?"), (["-f", "webp,"], "--formats \"\": it can be jpeg"),
      (["-o", "-"], "need a folder"),
      (["-o", "{name}.{ext}"], "several widths need {width}"),
      (["-o", "{name}-{width}.jpg"], "several formats need {ext}"),
      (["-o", "{name}-{width}.png", "-f", "jpeg"], "ends in .png"), (["--alt", "x"], "--alt needs --html"),
      (["--quiet", "--json"], "--quiet and --json cannot be used together"), (["-j", "0"], "--jobs 0"),
    ])
  func usage(_ arguments: [String], _ message: String) async {
    let run = await CommandRun(["set", "a.jpg"] + arguments)
    #expect(run.status == .wrongUsage)
    #expect(run.errors.lowercased().contains(message.lowercased()), "\(run.errors)")
  }
}
