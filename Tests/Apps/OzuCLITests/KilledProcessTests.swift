import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

/// Real processes, killed without warning while they load and store.
@Suite struct KilledProcessTests {
  private static let count = 40

  private static func picture(_ index: Int) -> PatternPicture {
    PatternPicture(PixelSize(120 + index, 90), tint: index % 8)
  }

  private static func process(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = try ChildRun.program
    process.environment = childEnvironment
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Kills a process as soon as a condition holds, and waits for its end. On a thread of its own, because the tasks of a
  /// test may be delayed longer than a client waits for its server.
  private static func kill(
    _ process: Process, by signal: Int32 = SIGKILL, when condition: @escaping @Sendable () -> Bool
  ) async throws {
    let hasCome = await withCheckedContinuation { continuation in
      Thread {
        // The condition never holds for a process that has ended by itself.
        while !condition(), process.isRunning { usleep(1000) }
        let hasCome = condition()
        Foundation.kill(process.processIdentifier, signal)
        process.waitUntilExit()
        continuation.resume(returning: hasCome)
      }.start()
    }
    #expect(hasCome)
    #expect(process.terminationReason == .uncaughtSignal)
  }

  @Test(
    "after kill -9 the same load makes no error and no wrong picture, and the cache is sound",
    arguments: [1, 7, 20, 39])
  func kill(afterRequests killPoint: Int) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    // The number of requests that are answered. The others wait, so that the process cannot finish before it is killed.
    let gate = Gate()
    gate.admit(killPoint)
    for index in 0..<Self.count {
      server.route("/\(index).jpg", .ok(try Self.picture(index).data(as: .jpeg)).held(by: gate))
    }
    let folder = try Folder()
    let cache = folder.path("cache")
    let sources = (0..<Self.count).map { server.url("/\($0).jpg").absoluteString }
    let options = ["--size", "60x60", "--cache", cache]
    let victim = try Self.process(["load"] + sources + options)
    try await Self.kill(victim) { server.requestCount > killPoint }
    gate.open()

    let output = folder.path("out/")
    let run = await CommandRun(["load"] + sources + options + ["-o", output, "--format", "png"])
    #expect(run.status == .done)
    #expect(run.errors.isEmpty)
    for index in 0..<Self.count {
      let file = URL(fileURLWithPath: output).appending(path: "\(index).png")
      let picture = try ImagePipeline.Configuration().decoding.codecs.picture(from: Data(contentsOf: file))
      #expect(Self.picture(index).resembles(picture.bitmap, tolerance: 20), "picture \(index)")
    }
    #expect(await CommandRun("cache", "verify", "--cache", cache).status == .done)
  }

  @Test(
    "however a process ends in the middle of a body, the next one asks for the rest",
    arguments: [SIGKILL, SIGTERM, SIGINT], ["fetch", "load"])
  func resumption(signal: Int32, command: String) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    // A bitmap of 2,000 x 2,000 pixels.
    var body = Data([0x42, 0x4D, 0x36, 0x1B, 0xB7, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0])
    body += [0xD0, 7, 0, 0, 0xD0, 7, 0, 0, 1, 0, 24, 0] + Data(count: 24)
    let rows = Data((0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    for _ in 0..<1000 { body += rows }
    let gate = Gate()
    gate.admit(11)
    server.route("/a.bmp") { [body] request in
      guard let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) else {
        return LoopbackResponse(headers: ["ETag": "\"1\""], body: body).dripping(1_000_000, through: gate)
      }
      return LoopbackResponse(
        status: 206,
        headers: ["ETag": "\"1\"", "Content-Range": "bytes \(from)-\(body.count - 1)/\(body.count)"],
        body: body.dropFirst(from))
    }
    let folder = try Folder()
    let cache = folder.path("cache")
    let address = server.url("/a.bmp").absoluteString
    let victim = try Self.process([command, address, "--cache", cache])
    @Sendable func beginnings() -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []
      return names.filter { $0.hasPrefix("ozu-beginning-") }
    }
    try await Self.kill(victim, by: signal) {
      let name = beginnings().first ?? ""
      let size = try? FileManager.default.attributesOfItem(atPath: "\(cache)/\(name)")[.size]
      return (size as? Int ?? 0) >= 11_000_000
    }
    gate.open()
    #expect(beginnings().count == 1)
    let run = try await ChildRun([command, address, "--cache", cache], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    if command == "fetch" { #expect(run.output == body) }
    let requests = server.requests(for: "/a.bmp")
    #expect(requests.count == 2)
    // Bytes that came after the length was last recorded may be lost.
    let start = requests.last?.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    #expect(start > 9_000_000 && start <= 11_000_000)
    #expect(requests.last?.headers["If-Range"] == "\"1\"")
    #expect(beginnings() == [])
  }

  @Test("a process killed in the middle of a large body leaves no part of it in the cache's folder")
  func killInLargeBody() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let body = Data(count: 12_000_000)
    let gate = Gate()
    gate.admit(11)
    server.route("/large", .ok(body).dripping(1_000_000, through: gate))
    let folder = try Folder()
    let cache = folder.path("cache")
    let arguments = ["fetch", server.url("/large").absoluteString, "--cache", cache]
    let victim = try Self.process(arguments)
    // The body is above the threshold: it is in a file, which has a descriptor and no name any more.
    let descriptors = "/proc/\(victim.processIdentifier)/fd"
    @Sendable func hasSpoolFile() -> Bool {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
      return names.contains {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
        return target?.contains("ozu-spool-") == true && target?.hasSuffix("(deleted)") == true
      }
    }
    try await Self.kill(victim, when: hasSpoolFile)
    let names = try FileManager.default.contentsOfDirectory(atPath: cache)
    #expect(!names.contains { $0.hasPrefix("ozu-spool-") })

    gate.open()
    let run = await CommandRun(arguments)
    #expect(run.status == .done)
    #expect(run.output.utf8.count == body.count)
    #expect(await CommandRun("cache", "verify", "--cache", cache).status == .done)
  }
}
