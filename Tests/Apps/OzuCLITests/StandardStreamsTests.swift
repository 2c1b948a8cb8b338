import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("`ozu` in a pipeline of the shell")
struct StandardStreamsTests {
  private static let photo = PatternPicture(PixelSize(320, 240), tint: 3)

  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write(photo.data(as: .png), to: "a.png")
    return folder
  }

  @Test(
    "-o - and -o /dev/stdout write the result, and the report goes to standard error",
    arguments: ["-", "/dev/stdout"])
  func output(_ name: String) async throws {
    let folder = try Self.folder()
    let options = ["-s", "64x64", "-f", "png", "--cache", "cache"]
    let file = try await ChildRun(["load", "a.png", "-o", "file.png"] + options, in: folder)
    #expect(file.status == 0, "\(file.errors)")
    let run = try await ChildRun(["load", "a.png", "-o", name] + options, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == folder.data("file.png"))
    #expect(run.errors.contains(" -> \(name) 64x48, "))
    #expect(try folder.names == ["a.png", "cache", "file.png"])
  }

  @Test("a file behind standard output is appended to, not replaced")
  func redirected() async throws {
    let folder = try Self.folder()
    let beginning = Data("before".utf8)
    let path = try folder.write(beginning, to: "log")
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    let run = try await ChildRun(
      ["load", "a.png", "-f", "png", "-o", "/dev/stdout", "--cache", "cache"], in: folder, output: handle)
    #expect(run.status == 0, "\(run.errors)")
    let data = try #require(folder.data("log"))
    #expect(data.starts(with: beginning))
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(
      from: Data(data.dropFirst(beginning.count)))
    #expect(picture.size == PixelSize(320, 240))
  }

  #if os(Linux)
    @Test("lines fit the terminal of the messages when the results go elsewhere")
    func columns() throws {
      var (manager, subsidiary, ends) = (Int32(-1), Int32(-1), [Int32](repeating: -1, count: 2))
      var size = winsize(ws_row: 24, ws_col: 50, ws_xpixel: 0, ws_ypixel: 0)
      let isOpen = openpty(&manager, &subsidiary, nil, nil, &size) == 0 && pipe(&ends) == 0
      try #require(isOpen)
      defer { for descriptor in [manager, subsidiary] + ends { close(descriptor) } }
      #expect(Console.columns(of: [ends[1], subsidiary]) == 50 && Console.columns(of: ends) == 80)
    }
  #endif

  @Test("--trace - writes the trace, and the report goes to standard error")
  func trace() async throws {
    let run = try await ChildRun(
      ["load", "a.png", "--trace", "-", "--cache", "cache"], in: Self.folder())
    #expect(run.status == 0, "\(run.errors)")
    #expect(try JSONSerialization.jsonObject(with: run.output) is [String: Any])
    #expect(run.errors.contains(": 320x240, "))
  }

  @Test("standard input is a source of load and info", arguments: ["-", "/dev/stdin"])
  func input(_ name: String) async throws {
    let folder = try Self.folder()
    let photo = try #require(folder.data("a.png"))
    let load = try await ChildRun(
      ["load", name, "-s", "64x64", "-o", "out/", "--cache", "cache"], in: folder, input: photo)
    #expect(load.status == 0, "\(load.errors)")
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(
      from: #require(folder.data("out/stdin.jpg")))
    #expect(picture.size == PixelSize(64, 48))
    let info = try await ChildRun(["info", name, "--cache", "cache"], in: folder, input: photo)
    #expect(info.status == 0)
    #expect(String(decoding: info.output, as: UTF8.self).hasPrefix("\(name): PNG 320x240"))
  }

  @Test("the file behind standard input is not overwritten")
  func inputAsOutput() async throws {
    let folder = try Self.folder()
    let before = try folder.contents
    for arguments in [["-", "-o", "a.png"], ["/dev/stdin", "-o", "a.png"], ["-", "--trace", "a.png"]] {
      let handle = try #require(FileHandle(forReadingAtPath: folder.path("a.png")))
      let run = try await ChildRun(
        ["load"] + arguments + ["--no-cache"], in: folder, inputFile: handle)
      #expect(run.status == ExitStatus.wrongUsage.rawValue)
      #expect(run.errors.contains("the source /dev/stdin"), "\(run.errors)")
    }
    #expect(try folder.contents == before)
  }

  @Test("empty and oversized input are failures")
  func badInput() async throws {
    let folder = try Self.folder()
    let empty = try await ChildRun(["load", "-", "--cache", "cache"], in: folder)
    #expect(empty.status == 1)
    #expect(empty.errors == "ozu: -: \(ImageDecodingError.emptyData)\n")
    let limit = DecodingLimits.default.encodedByteCount
    let large = try await ChildRun(
      ["info", "-", "--cache", "cache"], in: folder, input: Data(count: limit + 1))
    #expect(large.status == 1)
    #expect(large.errors == "ozu: -: more than the limit of \(limit) bytes\n")
  }

  /// The end of a pipe that nobody reads.
  private static func closedPipe() throws -> FileHandle {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    return pipe.fileHandleForWriting
  }

  @Test(
    "a closed output ends every command by SIGPIPE, without a message",
    arguments: [
      ["help"], ["info", "a.png"], ["load", "a.png"], ["load", "a.png", "--json"],
      ["load", "a.png", "-o", "-"],
      ["load", "a.png", "--stats", "-o", "/dev/stdout"], ["cache", "list"], ["cache", "stats", "--json"],
    ])
  func closedOutput(_ arguments: [String]) async throws {
    let folder = try Self.folder()
    let options = arguments[0] == "help" ? [] : ["--cache", "cache"]
    let first = try await ChildRun(["load", "a.png", "-s", "32x32", "--cache", "cache"], in: folder)
    #expect(first.status == 0)
    let run = try await ChildRun(arguments + options, in: folder, output: Self.closedPipe())
    #expect(run.reason == .uncaughtSignal && run.status == SIGPIPE)
    #expect(run.errors.isEmpty || arguments.contains("-o"), "\(run.errors)")
    #expect(!run.errors.contains("cannot be written"))
    #expect(await CommandRun("cache", "verify", "--cache", folder.path("cache")).status == .done)
  }

  @Test("a session of JSON lines ends when the reader of its answers goes away")
  func closedSession() async throws {
    let requests = String(repeating: "{\"url\": \"http://127.0.0.1:1/\"}\n", count: 20)
    let run = try await ChildRun(
      ["fetch", "--json-lines"], in: Folder(), input: Data(requests.utf8), output: Self.closedPipe())
    #expect(run.reason == .uncaughtSignal && run.status == SIGPIPE)
    #expect(run.errors.isEmpty)
  }

  @Test("when the reader of the reports goes away, the run ends soon")
  func readerGone() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let count = 200
    let gate = Gate()
    gate.admit(1)
    let photo = try PatternPicture(PixelSize(40, 30), tint: 3).data(as: .jpeg)
    for index in 0..<count { server.route("/\(index).jpg", .ok(photo).held(by: gate)) }
    let folder = try Folder()
    let process = Process()
    process.executableURL = try ChildRun.program
    process.environment = childEnvironment
    process.arguments =
      ["load"] + (0..<count).map { server.url("/\($0).jpg").absoluteString }
      + ["-o", folder.path("out"), "--cache", folder.path("cache")]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    await ChildRun.onThread {
      // The first report may wait for one that the gate holds, so any result is enough.
      while ((try? FileManager.default.contentsOfDirectory(atPath: folder.path("out")).count) ?? 0) == 0,
        process.isRunning
      { usleep(1000) }
      try? pipe.fileHandleForReading.close()
      gate.open()
      process.waitUntilExit()
    }
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGPIPE)
    #expect(server.requestCount < count / 2)
  }

  @Test(
    "a command whose output is on a full disk has failed",
    arguments: [["--version"], ["info", "a.png"], ["load", "a.png", "--json", "--cache", "cache"]])
  func fullDisk(_ arguments: [String]) async throws {
    let handle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let run = try await ChildRun(arguments, in: Self.folder(), output: handle)
    #expect(run.status == 1)
    #expect(run.errors == "ozu: standard output cannot be written: No space left on device\n")
  }

  @Test("reports do not go into the files that are opened in place of closed streams")
  func closedStreams() async throws {
    let folder = try Self.folder()
    let load = try await ChildRun(["load", "a.png", "-s", "32x32", "--cache", "cache"], in: folder)
    #expect(load.status == 0)
    let cache = folder.path("cache")
    let program = try ChildRun.program.path(percentEncoded: false)
    for arguments in [["cache", "stats"], ["cache", "trim"], ["nonsense"]] {
      let options = arguments[0] == "cache" ? ["--cache", cache] : []
      let shell = ["-c", "\"$0\" \"$@\" <&- >&- 2>&-", program]
      let run = try ProgramRun("/bin/sh", shell + arguments + options)
      #expect(run.status == (arguments[0] == "cache" ? 1 : 2))
      for name in try FileManager.default.contentsOfDirectory(atPath: cache) {
        let data = try Data(contentsOf: URL(filePath: cache).appending(path: name))
        #expect(data.firstRange(of: Data("KB".utf8)) == nil && data.firstRange(of: Data("ozu: ".utf8)) == nil)
      }
    }
    #expect(await CommandRun("cache", "verify", "--cache", cache).status == .done)
  }

  @Test("a command without standard input or output says so")
  func closedStream() async throws {
    let folder = try Self.folder()
    let program = try ChildRun.program.path(percentEncoded: false)
    let output = try ProgramRun(
      "/bin/sh", ["-c", "\"$0\" \"$@\" >&-", program, "info", folder.path("a.png")])
    #expect(output.status == 1)
    #expect(output.output == "ozu: standard output cannot be written: Bad file descriptor\n")
    let input = try ProgramRun("/bin/sh", ["-c", "\"$0\" \"$@\" <&-", program, "info", "-"])
    #expect(input.status == 1)
    #expect(input.output == "ozu: -: the file cannot be read: Bad file descriptor\n")
  }

  #if os(Linux)
    @Test("without /proc, the reason is said")
    func withoutProc() throws {
      let program = try ChildRun.program.path(percentEncoded: false)
      let hide = "mount -t tmpfs none /proc && \"$0\" \"$@\""
      let arguments = ["--mount", "sh", "-c", hide]
      // Not every system allows it.
      guard let allowed = try ProgramRun(named: "unshare", arguments + ["true"]), allowed.status == 0 else {
        return
      }
      let run = try #require(try ProgramRun(named: "unshare", arguments + [program, "--version"]))
      #expect(run.status == 1)
      // A sanitizer may say before it that it too misses /proc.
      #expect(run.output.hasSuffix("ozu: its command line cannot be read: /proc is not mounted\n"))
    }
  #endif

  @Test("a result that cannot be written to standard output is a failure of its source")
  func full() async throws {
    let handle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let run = try await ChildRun(
      ["load", "a.png", "-o", "-", "--cache", "cache"], in: Self.folder(), output: handle)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("ozu: a.png: no space left on standard output (needs "))
    #expect(run.errors.split(separator: "\n").count == 1)
  }
}
