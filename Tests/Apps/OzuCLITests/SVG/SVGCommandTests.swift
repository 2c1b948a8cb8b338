#if SVG && os(Linux)
  import Foundation
  import Ozu
  import OzuTesting
  import Testing

  @testable import OzuCLI

  /// Real processes: a crash while a drawing is drawn must not end `ozu`.
  @Suite struct SVGCommandTests {
    private static let commands = ["load", "info"]
    private static let reason =
      "SVG cannot be read: it is drawn only in isolation, or after codecs.registerInProcessSVG()"

    @Test(
      "without isolation a drawing gives one line of error, also under another name, and the other files are loaded",
      arguments: commands)
    func withoutIsolation(_ command: String) async throws {
      let folder = try Folder()
      let cache = folder.path("cache")
      let photo = try folder.write(PatternPicture(PixelSize(32, 24)).data(as: .png), to: "photo.png")
      let text = "data:image/png;base64,\(Drawing.crashing[0].base64EncodedString())"
      var sources = try Drawing.crashing.indices.map {
        try folder.write(Drawing.crashing[$0], to: "\($0).\(["svg", "png", "jpg"][$0])")
      }
      sources += [text, photo]
      let run = try await ChildRun([command] + sources + ["--isolation", "off", "--cache", cache])
      #expect(run.reason == .exit)
      #expect(run.status == 1)
      #expect(run.errors == sources.dropLast().map { "ozu: \($0): \(Self.reason)\n" }.joined())
      #expect(run.text.hasPrefix("\(photo): "))
    }

    @Test(
      "a drawing that crashes gives one line of error, and the other files are loaded", arguments: commands)
    func crashing(_ command: String) async throws {
      let folder = try Folder()
      var sources = try Drawing.crashing.indices.map {
        try folder.write(Drawing.crashing[$0], to: "\($0).png")
      }
      let good = try folder.write(Drawing.good[0], to: "good.svg")
      let photo = try folder.write(PatternPicture(PixelSize(32, 24)).data(as: .png), to: "photo.png")
      sources += [good, photo]
      let run = try await ChildRun(
        [command] + sources + ["--cache", folder.path("cache"), "--json"])
      #expect(run.reason == .exit)
      #expect(run.status == 1)
      let lines = run.errors.split(separator: "\n")
      // The librsvg of Debian 13 refuses the first of them and draws the others.
      let isMended = lines.first?.hasSuffix("corrupt SVG (header): a drawing without a size") == true
      if isMended {
        #expect(lines.count == 1 && lines[0].hasPrefix("ozu: \(sources[0]): "))
      } else {
        // One of the three has a size that is known without the part that crashes.
        #expect(lines.count == (command == "load" ? 3 : 2))
        #expect(lines.first == "ozu: \(sources[0]): the SVG decoder crashed by SIGABRT")
        #expect(lines.allSatisfy { $0.hasSuffix("the SVG decoder crashed by SIGABRT") })
      }
      let objects = try run.text.split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
      #expect(objects.count == sources.count)
      #expect(objects[3]["width"] as? Int == 40)
      #expect(objects[4]["width"] as? Int == 32)
    }

    @Test("a drawing is written as a picture")
    func written() async throws {
      let folder = try Folder()
      let source = try folder.write(Drawing.good[0], to: "good.svg")
      let output = folder.path("out.png")
      let run = try await ChildRun(
        ["load", source, "--size", "80x80", "-o", output, "--cache", folder.path("cache")])
      #expect(run.status == 0, "\(run.errors)")
      let picture = try ImagePipeline.Configuration().decoding.codecs.picture(
        from: Data(contentsOf: URL(fileURLWithPath: output)))
      #expect(picture.size == PixelSize(80, 80))
      #expect(picture.bitmap[39, 39] == Pixel(red: 255, green: 0, blue: 0))
      #expect(picture.bitmap[40, 40].alpha == 0)
    }

    private static func picture(_ path: String) throws -> Picture {
      try ImagePipeline.Configuration().decoding.codecs.picture(
        from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("every width of a drawing is made, also above its own, as ozu load makes it")
    func widths() async throws {
      let folder = try Folder()
      let icon = Drawing.document("<circle cx='8' cy='8' r='8' fill='red'/>", "width='16' height='16'")
      let source = try folder.write(icon, to: "icon.svg")
      let run = try await ChildRun([
        "set", source, "-w", "8,64,128", "-f", "png", "-o", folder.path("out"), "--no-cache",
      ])
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      for width in [8, 64, 128] {
        #expect(try Self.picture(folder.path("out/icon-\(width).png")).size == PixelSize(width, width))
      }
      let load = try await ChildRun([
        "load", source, "-s", "128x128", "-o", folder.path("load.png"), "--no-cache",
      ])
      #expect(load.status == 0)
      let (one, other) = (
        try Self.picture(folder.path("load.png")), try Self.picture(folder.path("out/icon-128.png"))
      )
      #expect(one.bitmap == other.bitmap)
    }

    /// A process under a sanitizer cannot be confined, which required isolation insists on.
    private static var modes: [String] {
      #if OZU_ASAN || OZU_TSAN
        ["preferred", "off"]
      #else
        ["preferred", "required", "off"]
      #endif
    }

    @Test("a drawing is a watermark, which is drawn in isolation too", arguments: modes)
    func watermark(_ isolation: String) async throws {
      let folder = try Folder()
      let photo = try folder.write(PatternPicture(PixelSize(60, 60)).data(as: .png), to: "photo.png")
      let mark = try folder.write(Drawing.good[0], to: "mark.svg")
      let output = folder.path("out.png")
      let run = try await ChildRun([
        "load", photo, "--watermark", "\(mark),top-left", "-o", output, "--no-cache", "--isolation",
        isolation,
      ])
      guard isolation != "off" else {
        #expect(
          run.status != 0 && run.errors.contains("--watermark \(mark): \(Self.reason)"), "\(run.errors)")
        return
      }
      #expect(run.status == 0, "\(run.errors)")
      #expect(try Self.picture(output).bitmap[10, 10] == Pixel(red: 255, green: 0, blue: 0))
    }

    @Test("a drawing on top is drawn at the size that it has there, not enlarged from pixels")
    func overlay() async throws {
      let folder = try Folder()
      let photo = try folder.write(PatternPicture(PixelSize(64, 64)).data(as: .png), to: "photo.png")
      let half = Drawing.document("<rect width='4' height='8' fill='red'/>", "width='8' height='8'")
      let mark = try folder.write(half, to: "mark.svg")
      let output = folder.path("out.png")
      let run = try await ChildRun([
        "load", photo, "--overlay", "\(mark),size=64x64", "-o", output, "--no-cache",
      ])
      #expect(run.status == 0, "\(run.errors)")
      let (made, ground) = (try Self.picture(output).bitmap, try Self.picture(photo).bitmap)
      #expect(made[31, 32] == Pixel(red: 255, green: 0, blue: 0) && made[32, 32] == ground[32, 32])
    }

    @Test("pictures inside a drawing are drawn in isolation, and a note names those that are not")
    func inside() async throws {
      let folder = try Folder()
      let red = Bitmap(size: PixelSize(4, 4)) { _, _ in Pixel(red: 255, green: 0, blue: 0) }
      let drawing = Drawing.document("<rect width='4' height='4' fill='red'/>", "width='4' height='4'")
      var pictures = [drawing]
      for type in [ImageType.png, .jpeg, .gif, .webp] {
        pictures.append(
          try CodecRegistry.standard.encode(red, as: type, options: EncodingOptions(isLossless: true)))
      }
      for (number, data) in pictures.enumerated() {
        let address = "data:;base64,\(data.base64EncodedString())"
        let source = try folder.write(
          Drawing.document("<image width='40' height='40' xlink:href='\(address)'/>"), to: "\(number).svg")
        let run = try await ChildRun([
          "load", source, "-o", folder.path("out.png"), "--no-cache",
        ])
        #expect(run.status == 0 && !run.text.contains("note"), "\(run.errors)\(run.text)")
        #expect(try Self.picture(folder.path("out.png")).bitmap[20, 20].red > 250)
      }
      let source = try folder.write(Drawing.document("<image xlink:href='/etc/icon.png'/>"), to: "a.svg")
      let run = try await ChildRun(["info", source])
      #expect(run.text.contains("a picture outside of the drawing is left out"), "\(run.text)\(run.errors)")
    }

    @Test("a wrong drawing, a cut one and a compressed one that is cut give one line each")
    func lines() async throws {
      let folder = try Folder()
      let files = [Drawing.document("<rect>"), Drawing.good[0].dropLast(8), Drawing.compressed.dropLast(9)]
      let sources = try files.enumerated().map { try folder.write($0.element, to: "\($0.offset).svg") }
      let run = try await ChildRun(["load"] + sources + ["--no-cache"])
      let lines = run.errors.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count == 4 && lines[0].contains("corrupt SVG (header): XML parse error"), "\(run.errors)")
      #expect(lines[1].hasSuffix("truncated SVG: the file ends in its header"))
      #expect(lines[2].hasSuffix("gzip-compressed data, not an image") || lines[2].contains("truncated SVG"))
    }

    @Test("a drawing ends with the process that asked for it")
    func parentDeath() async throws {
      let folder = try Folder()
      let source = try folder.write(Drawing.turbulence, to: "a.svg")
      let process = Process()
      process.executableURL = try ChildRun.program
      process.environment = childEnvironment
      process.arguments = ["load", source, "--cache", folder.path("cache")]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let parent = process.processIdentifier
      let isGone = await Self.onThread { () -> Bool? in
        // The process that draws is a child of the one that waits for more work.
        let child = Self.await {
          Self.children(of: parent).flatMap(Self.children).first(where: Self.isDrawing)
        }
        guard let child else { return nil }
        kill(parent, SIGKILL)
        process.waitUntilExit()
        // If it outlived its parent, it would go on for the ten seconds of its limit.
        return Self.await {
          guard let state = Self.state(child) else { return true }
          return state.ticks > 5 * Self.ticksPerSecond ? false : nil
        } ?? false
      }
      #expect(isGone == true)
    }

    /// Waits on a thread of its own, so that the tasks of a test are not blocked.
    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
      await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: work()) }.start()
      }
    }

    private static func `await`<Value>(_ value: () -> Value?) -> Value? {
      let end = ContinuousClock.now + .seconds(60)
      while ContinuousClock.now < end {
        if let value = value() { return value }
        usleep(1000)
      }
      return nil
    }

    private static func children(of parent: pid_t) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { pid_t($0) }.filter { state($0)?.parent == parent }
    }

    /// The parent of a process that has not ended.
    private static func state(_ id: pid_t) -> (parent: pid_t, ticks: Int)? {
      guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { return nil }
      let fields = text[text.index(after: end)...].split(separator: " ")
      guard fields.count > 12, !["Z", "X"].contains(fields[0]), let parent = pid_t(fields[1]),
        let ticks = Int(fields[11])
      else { return nil }
      return (parent, ticks)
    }

    private static let ticksPerSecond = Int(sysconf(Int32(_SC_CLK_TCK)))

    /// Whether a process has worked for longer than it takes to read a header: half a second.
    private static func isDrawing(_ id: pid_t) -> Bool {
      (state(id)?.ticks ?? 0) * 2 > ticksPerSecond
    }
  }
#endif
