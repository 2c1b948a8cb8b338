#if os(Linux)
  import Foundation
  import Testing

  @testable import OzuIsolation

  /// A whole program on a system that allows less than usual, and the isolation that is left there.
  @Suite("Isolation in containers", .enabled(if: Drills.isConfined), .timeLimit(.minutes(2)))
  struct ContainerTests {
    private static let all = lines(
      "read-passwords: ENOENT", "seccomp true, Landlock true, limits true, missing: ")
    private static let allButRoot = lines(
      "read-passwords: EACCES",
      "seccomp true, Landlock true, limits true, missing: a root folder of its own: Operation not permitted")

    private static func lines(_ last: String...) -> [String] {
      [
        "reverse: reversed 1", "read-passwords: EPERM", "connect: made a forbidden system call (SIGSYS)",
        "fill: filled", "thread: done",
      ] + last
    }

    private static func lines(_ arguments: [String]) throws -> [String] {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: arguments[0])
      process.arguments = Array(arguments.dropFirst())
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("under Docker's default profile all restrictions are in force but the root folder of drawings")
    func docker() async throws {
      let lines = try await Drills.onThread { try Self.lines([Drills.program, "contained", "docker"]) }
      #expect(lines == Self.allButRoot)
    }

    @Test("under a profile that is older than the system no process starts, and the error says so")
    func oldDocker() async throws {
      let lines = try await Drills.onThread { try Self.lines([Drills.program, "contained", "old-docker"]) }
      #expect(lines.count == 6)
      #expect(lines.allSatisfy { $0.hasSuffix("Operation not permitted") })
    }

    /// Whether this process may make namespaces for other tests.
    static let makesNamespaces: Bool = {
      (try? lines(["/usr/bin/unshare", "-r", "-m", "/bin/echo", "yes"])) == ["yes"]
    }()

    @Test(
      "on a read-only system with little shared memory, all restrictions are in force",
      .enabled(if: makesNamespaces),
      arguments: [
        "mount -o remount,bind,ro /", "mount -t tmpfs -o size=4k none /dev/shm",
      ])
    func namespaces(_ preparation: String) async throws {
      let lines = try await Drills.onThread {
        try Self.lines([
          "/usr/bin/unshare", "-r", "-m", "/bin/sh", "-c", "\(preparation) && exec \"$0\" contained",
          Drills.program,
        ])
      }
      #expect(lines == Self.all)
    }
  }
#endif
