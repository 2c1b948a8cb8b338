import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite struct LoadCommandTests {
  private static let photo = PatternPicture(PixelSize(320, 240), tint: 3)

  private static func picture(at path: String, in folder: Folder) throws -> Picture {
    try ImagePipeline.Configuration().decoding.codecs.picture(
      from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(
    "each mode makes its size",
    arguments: [
      (["--size", "100x100"], PixelSize(100, 75)),
      (["--size", "100x100", "--mode", "outside"], PixelSize(133, 100)),
      (["--size", "100x100", "--mode", "cover"], PixelSize(100, 100)),
      (["--size", "100x100", "--mode", "stretch"], PixelSize(100, 100)),
      (["--size", "100x100", "--mode", "none"], PixelSize(320, 240)), ([], PixelSize(320, 240)),
      (["--size", "640x640"], PixelSize(320, 240)),
      (["--size", "640x640", "--upscale"], PixelSize(640, 480)),
    ])
  func modes(_ options: [String], _ size: PixelSize) async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let output = folder.path("out.png")
    let arguments = ["load", source, "-o", output, "-v", "--cache", folder.path("cache")] + options
    let run = await CommandRun(arguments)
    #expect(run.status == .done, "\(run.errors)")
    let picture = try Self.picture(at: output, in: folder)
    #expect(picture.size == size)
    if !options.contains("cover") { #expect(Self.photo.resembles(picture.bitmap)) }
    #expect(run.output.hasPrefix("\(source): PNG 320x240, "))
    #expect(run.output.contains(" -> \(output) \(size), ") && run.output.contains(" (from disk-original: "))
  }

  @Test("the command line has the endings of the table of formats")
  func endings() {
    for format in ImageFormat.read {
      for ending in format.endings {
        #expect(OutputFormats.promisedType(ofEnding: ending) == format.type)
        #expect(OutputFormats.type(ofEnding: ending) == nil || format.isWritten)
      }
    }
    for (name, type) in OutputFormats.names { #expect(OutputFormats.type(ofEnding: name) == type) }
  }

  @Test("every writable format is written, by name and by ending", arguments: OutputFormats.names.map(\.0))
  func formats(_ name: String) async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let type = try #require(OutputFormats.type(ofEnding: name))
    let cache = folder.path("cache")
    for (file, options) in [("named", ["--format", name.uppercased()]), ("ending.\(name)", [])] {
      let output = folder.path(file)
      let arguments = ["load", source, "-o", output, "--lossless", "--cache", cache]
      let run = await CommandRun(arguments + options)
      #expect(run.status == .done, "\(run.errors)")
      let picture = try Self.picture(at: output, in: folder)
      #expect(picture.header?.type == type)
      #expect(Self.photo.resembles(picture.bitmap))
    }
  }

  @Test(
    "an address that nothing here reads is not called a missing file",
    arguments: ["ftp://host/a.jpg", "s3://bucket/a.jpg"])
  func unknownScheme(address: String) async {
    let run = await CommandRun("load", address, "--no-cache")
    #expect(run.status == .failed && run.errors.contains("nothing here reads"), "\(run.errors)")
  }

  @Test("a line feed in the name of a file does not end the line of its report")
  func lineFeed() async throws {
    let folder = try Folder()
    let photo = try folder.write(Self.photo.data(as: .png), to: "a\nozu: b.png")
    let broken = try folder.write(Data("x".utf8), to: "c\nozu: d.png")
    for command in ["load", "info", "set", "thumbnail"] {
      let more =
        switch command {
        case "info": ["--no-cache"]
        case "thumbnail": ["--folder", folder.path("thumbnails")]
        case "set": ["-o", folder.path("out/"), "--no-cache", "-w", "32", "-f", "png"]
        default: ["-o", folder.path("out/"), "--no-cache"]
        }
      let run = await CommandRun([command, photo, broken] + more)
      #expect(run.status == .failed)
      #expect(
        run.errors.split(separator: "\n").count == 1 && run.errors.contains("c\\u000aozu: d.png: "),
        "\(run.errors)")
      #expect(!run.output.contains("\nozu: "))
      #expect(command == "thumbnail" || run.output.contains("a\\u000aozu: b.png: "), "\(run.output)")
    }
    let plan = await CommandRun("load", photo, "--dry-run")
    #expect(plan.output.split(separator: "\n").count == 1)
    let usage = await CommandRun("load", photo, "-o", "x\ny.bmp")
    #expect(usage.errors.hasPrefix("ozu: -o x\\u000ay.bmp: "), "\(usage.errors)")
    let json = try await CommandRun("info", photo, "--json", "--no-cache").objects
    #expect(json.map { $0["source"] as? String } == [photo])
  }

  #if os(Linux)
    @Test("pipes, sockets and devices are no regular files", arguments: ["/dev/zero", "pipe", "socket"])
    func irregular(_ name: String) async throws {
      let folder = try Folder()
      let path = name.hasPrefix("/") ? name : folder.path(name)
      if name == "pipe" { mkfifo(path, 0o600) }
      if name == "socket" { mknod(path, S_IFSOCK | 0o600, 0) }
      for command in ["load", "info", "thumbnail"] {
        let run = await CommandRun([command, path] + (command == "thumbnail" ? [] : ["--no-cache"]))
        #expect(run.status == .failed)
        #expect(run.errors == "ozu: \(path): this is not a regular file\n")
      }
    }
  #endif

  @Test("a limit on the bytes of a result")
  func byteLimit() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let output = folder.path("small.jpg")
    let arguments = ["load", source, "-o", output, "--cache", folder.path("cache"), "--max-bytes"]
    #expect(await CommandRun(arguments + ["4000"]).status == .done)
    let data = try Data(contentsOf: URL(fileURLWithPath: output))
    #expect(data.count <= 4000 && data.count > 2000)
    let failed = await CommandRun(arguments + ["50"])
    #expect(failed.status == .failed && failed.errors.contains("more than the limit of 50"))
  }

  @Test("JSON: an object per source in their order, with where it came from, its stages, or its error")
  func json() async throws {
    let server = try LoopbackServer()
    server.route("/a.jpg", .ok(try Self.photo.data(as: .jpeg)))
    let folder = try Folder()
    let file = try folder.write(Self.photo.data(as: .png), to: "b.png")
    let address = server.url("/a.jpg").absoluteString
    let missing = server.url("/missing.jpg").absoluteString
    let arguments = [
      "load", address, missing, file, "--size", "32x24", "--json", "--cache", folder.path("cache"),
    ]

    let cold = await CommandRun(arguments)
    #expect(cold.status == .failed)
    let objects = try cold.objects
    #expect(objects.compactMap { $0["source"] as? String } == [address, missing, file])
    #expect(objects.map { $0["from"] as? String } == ["network", nil, "disk-original"])
    #expect(objects.map { $0["type"] as? String } == ["jpeg", nil, "png"])
    #expect(objects.map { $0["width"] as? Int } == [32, nil, 32])
    #expect(objects.map { $0["height"] as? Int } == [24, nil, 24])
    #expect(objects[0]["bytes"] as? Int == (try Self.photo.data(as: .jpeg)).count)
    let stages = try #require(objects[0]["stages"] as? [String: Double])
    #expect(Set(stages.keys) == ["network", "wait", "decode", "resize", "total"])
    #expect((objects[1]["error"] as? String)?.contains("404") == true)
    #expect(cold.errors == "ozu: \(missing): the server answered 404 (Not Found)\n")

    let warm = try await CommandRun(arguments).objects
    #expect(warm.map { $0["from"] as? String } == ["disk-rendition", nil, "disk-rendition"])
    // Those of the rendition say nothing about the source.
    let count = try Self.photo.data(as: .png).count
    #expect(warm.map { $0["bytes"] as? Int } == [nil, nil, count])
    #expect(server.requestCount(for: "/a.jpg") == 1)
    server.stop()
  }

  @Test("results in a folder have the names of their sources, and no two the same")
  func folder() async throws {
    let folder = try Folder()
    for name in ["one", "two"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
      try folder.write(Self.photo.data(as: .png), to: "\(name)/\(name).png")
    }
    let veiled = PatternPicture(PixelSize(8, 8), isOpaque: false)
    try folder.write(veiled.data(as: .png), to: "veiled.png")
    let output = folder.path("new/out/")
    let run = await CommandRun(
      "load", folder.path("one/one.png"), folder.path("two/two.png"), folder.path("veiled.png"), "-o", output,
      "--cache", folder.path("cache"))
    #expect(run.status == .done, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: output).sorted()
    #expect(names == ["one.jpg", "two.jpg", "veiled.png"])
  }

  @Test("several results cannot be written to one file")
  func severalIntoFile() async throws {
    let folder = try Folder()
    let file = try folder.write(Data("x".utf8), to: "out.jpg")
    let run = await CommandRun("load", "a.jpg", "b.jpg", "-o", file)
    #expect(run.status == .wrongUsage)
    #expect(try folder.names == ["out.jpg"])
  }

  @Test("a result that cannot be written is a failure of its source")
  func unwritable() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let run = await CommandRun("load", source, "-o", source + "/b.png", "--cache", folder.path("cache"))
    #expect(run.status == .failed)
    #expect(run.errors.contains(source))
  }

  @Test("better quality of its format makes a larger file; an orientation is applied; a terminal shows a bar")
  func quality() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    var sizes: [Int] = []
    for quality in ["95,jpg=10", "95"] {
      let output = folder.path("q\(sizes.count).jpg")
      let arguments = ["load", source, "-q", quality, "-o", output, "--cache", folder.path("cache")]
      let run = await CommandRun(arguments, isTerminal: true)
      #expect(run.status == .done)
      #expect(run.errors.contains("1/1"))
      sizes.append(try Data(contentsOf: URL(fileURLWithPath: output)).count)
    }
    #expect(sizes[0] < sizes[1])
  }

  @Test(
    "a name for the file of any address",
    arguments: [
      ("https://example.com/a/b%2Fc.photo.jpg?x=1", "b-c.photo"), ("https://example.com/", "example.com"),
      ("https://example.com", "example.com"), ("file:///tmp/.hidden.png", "hidden"), ("data:,x", "image"),
      ("https://example.com/a%1B%5B2J%0Ab.png", "a-[2J-b"),
    ])
  func names(_ address: String, _ name: String) throws {
    #expect(OutputNames.baseName(of: .url(try #require(URL(string: address)))) == name)
  }
}
