import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("A signal that ends `ozu` leaves no part of a file")
struct InterruptionTests {
  /// A folder that a test and the process of its exit test both find by its name.
  private static func folder(_ name: String, ofTest process: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appending(path: "ozu-interruption-\(process)-\(name)")
  }

  private static func names(_ name: String) throws -> [String] {
    let folder = folder(name, ofTest: getpid())
    defer { try? FileManager.default.removeItem(at: folder) }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
  }

  /// Begins a draft as a write does; in the process of an exit test.
  private static func beginDraft(_ name: String) {
    let folder = folder(name, ofTest: getppid())
    mkdir(folder.path(percentEncoded: false), 0o700)
    let draft = folder.appending(path: "draft").path(percentEncoded: false)
    Interruption.install()
    Interruption.holdingOff {
      close(open(draft, O_CREAT | O_WRONLY, 0o600))
      Interruption.setDraft(draft)
    }
  }

  /// Begins a draft, and is interrupted.
  private static func interrupt(_ name: String, by number: Int32) -> Never {
    beginDraft(name)
    kill(getpid(), number)
    // Only some threads take signals: the handler may run on another one.
    while true { pause() }
  }

  @Test("the draft is removed, and the process ends by the signal")
  func handler() async throws {
    await #expect(processExitsWith: .signal(SIGINT)) { Self.interrupt("interrupt", by: SIGINT) }
    await #expect(processExitsWith: .signal(SIGTERM)) { Self.interrupt("terminate", by: SIGTERM) }
    #expect(try Self.names("interrupt").isEmpty)
    #expect(try Self.names("terminate").isEmpty)
  }

  @Test("a closed output removes the draft and ends the process by SIGPIPE, from any thread and from several")
  func closedOutput() async throws {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      Self.beginDraft("closed")
      signal(SIGPIPE, SIG_IGN)
      // Threads of Dispatch block signals.
      for _ in 0..<4 { DispatchQueue.global().async { Interruption.endForClosedOutput() } }
      while true { pause() }
    }
    #expect(try Self.names("closed").isEmpty)
  }

  @Test("a signal waits until the system calls are done")
  func heldOff() async throws {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let folder = Self.folder("held-off", ofTest: getppid())
      mkdir(folder.path(percentEncoded: false), 0o700)
      Interruption.install()
      Interruption.holdingOff {
        kill(getpid(), SIGTERM)
        close(open(folder.appending(path: "whole").path(percentEncoded: false), O_CREAT | O_WRONLY, 0o600))
      }
      while true { pause() }
    }
    #expect(try Self.names("held-off") == ["whole"])
  }

  @Test("a signal that the process was started to ignore is ignored")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      signal(SIGINT, SIG_IGN)
      Interruption.install()
      kill(getpid(), SIGINT)
      exit(0)
    }
  }

  @Test(
    "a real load that is ended while it writes", arguments: [SIGINT, SIGTERM],
    ["", "{dir}/{name}-{width}.{ext}"])
  func load(_ number: Int32, _ template: String) async throws {
    // The last picture never comes, so the load is not over, however late this process looks.
    let server = try LoopbackServer()
    defer { server.stop() }
    let gate = Gate()
    defer { gate.open() }
    server.route("/held.png", .ok(Data()).held(by: gate))
    let folder = try Folder()
    let photo = try PatternPicture(PixelSize(400, 300), tint: 3).data(as: .png)
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
    let held = server.url("/held.png").absoluteString
    let sources = try (0..<80).map { try folder.write(photo, to: "in/\($0).png") } + [held]
    for round in 0..<Cases.count(2, of: 3) {
      let output = folder.path("out\(round)/")
      let process = Process()
      process.executableURL = try ChildRun.program
      process.environment = childEnvironment
      process.arguments =
        [
          "load", "-r", folder.path("in"), held, "-f", "png", "-o", output + template, "--cache",
          folder.path("cache"),
        ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let names = await ChildRun.onThread { () -> [String] in
        func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: output)) ?? [] }
        while names().count < 5 + round * 10, process.isRunning { usleep(200) }
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        return names()
      }
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      #expect(names.allSatisfy { $0.hasSuffix(".png") && !$0.hasPrefix(".") }, "\(names)")
      let whole = Set(names.map { try? Data(contentsOf: URL(filePath: output).appending(path: $0)) })
      #expect(whole.count == 1 && names.count < sources.count)
    }
  }

  @Test("the failures of a load that is ended are listed, once each", arguments: [SIGINT, SIGTERM])
  func failures(_ number: Int32) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let gate = Gate()
    defer { gate.open() }
    server.route("/held.png", .ok(Data()).held(by: gate))
    let folder = try Folder()
    // More than a pipe holds.
    let bad = try (0..<40).map { try folder.write(Data("text".utf8), to: "bad-\($0).png") }
    let good = try folder.write(PatternPicture(PixelSize(4, 3), tint: 3).data(as: .png), to: "good.png")
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = try ChildRun.program
    process.environment = childEnvironment
    process.arguments = ["load"] + bad + [good, server.url("/held.png").absoluteString, "--no-cache"]
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = await ChildRun.onThread { () -> String in
      // The report of the good source, which comes last.
      _ = output.fileHandleForReading.availableData
      kill(process.processIdentifier, number)
      let data = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    let lines = text.split(separator: "\n")
    #expect(
      lines.count == bad.count && zip(lines, bad).allSatisfy { $0.hasPrefix("ozu: \($1): ") }, "\(text)")
  }
}
