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
    process.executableURL = try ProgramRun.program
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Kills a process as soon as a condition holds, and waits for its end. On a thread of its own: the tasks of a test
  /// may wait for their turn longer than a client waits for its server.
  private static func kill(_ process: Process, when condition: @escaping @Sendable () -> Bool) async throws {
    let hasCome = await withCheckedContinuation { continuation in
      Thread {
        let end = ContinuousClock.now + .seconds(25)
        while !condition(), ContinuousClock.now < end { usleep(1000) }
        let hasCome = condition()
        Foundation.kill(process.processIdentifier, SIGKILL)
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
    // So many are answered; the others wait, so that the process cannot finish before it is killed.
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
      let picture = try ImagePipeline.Configuration().codecs.picture(from: Data(contentsOf: file))
      #expect(Self.picture(index).resembles(picture.bitmap, tolerance: 20), "picture \(index)")
    }
    #expect(await CommandRun("cache", "verify", "--cache", cache).status == .done)
  }

  @Test("a process killed in the middle of a large body leaves nothing of it in the cache's folder")
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
