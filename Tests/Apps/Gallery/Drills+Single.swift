#if GTK
  import Foundation
  import OzuTesting

  extension Drills {
    /// A second start of the gallery hands its files to the first, over a session bus of the drill's own.
    func single() async throws {
      let gallery = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "ozu-gallery")
      let daemon = URL(filePath: "/usr/bin/dbus-daemon")
      for program in [gallery, daemon]
      where !FileManager.default.isExecutableFile(atPath: program.path(percentEncoded: false)) {
        return output.add(
          "single", failures: [], detail: "left out: there is no \(program.lastPathComponent)")
      }
      let checks = Checks()
      let (first, second) = (try PictureFolder(pictureCount: 1), try PictureFolder(pictureCount: 1))
      defer {
        first.remove()
        second.remove()
      }
      let bus = try Self.start(daemon, ["--session", "--nofork", "--print-address"], [:])
      defer { bus.process.terminate() }
      let address = Self.line(bus.output)
      let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
      let running = try Self.start(gallery, [first.url.path(percentEncoded: false)], environment).process
      defer { running.terminate() }
      await checks.soon("the first start opens a window") { try await Self.windowCount(of: running) == 1 }
      let later = try Self.start(gallery, [second.url.path(percentEncoded: false)], environment).process
      await checks.soon("the second start ends") { !later.isRunning }
      if later.isRunning { later.terminate() } else { checks.equal(later.terminationStatus, 0, "its status") }
      await checks.soon("its pictures have a window of the first process") {
        try await Self.windowCount(of: running) == 2
      }
      let again = try Self.start(gallery, [], environment).process
      await checks.soon("a start without files ends") { !again.isRunning }
      if again.isRunning { again.terminate() }
      let count = try await Self.windowCount(of: running)
      checks.equal(count, 2, "the number of windows after it")
      checks.expect(running.isRunning, "the first process goes on")
      output.add("single", checks, detail: "one process for all windows")
    }

    static func start(
      _ program: URL, _ arguments: [String], _ environment: [String: String]
    ) throws -> (process: Process, output: FileHandle) {
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = program
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardOutput = pipe
      try process.run()
      return (process, pipe.fileHandleForReading)
    }

    /// The first line that comes.
    static func line(_ handle: FileHandle) -> String {
      var bytes = Data()
      while let byte = try? handle.read(upToCount: 1), let value = byte.first, value != 10 {
        bytes.append(value)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// How many windows of a process are to be seen.
    private static func windowCount(of process: Process) async throws -> Int {
      try await Hands.xdotool(
        ["search", "--onlyvisible", "--pid", "\(process.processIdentifier)", "--class", "org.ozu.Gallery"]
      )
      .split(separator: "\n").count
    }
  }

  extension Checks {
    /// Waits until something holds that other processes do, and notes whether it came to that within two minutes.
    func soon(_ claim: String, _ holds: () async throws -> Bool) async {
      let end = ContinuousClock.now + .seconds(120)
      while ContinuousClock.now < end {
        if (try? await holds()) == true {
          expect(true, claim)
          return
        }
        try? await Task.sleep(for: .milliseconds(100))
      }
      expect(false, claim)
    }
  }
#endif
