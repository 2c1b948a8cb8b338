import Foundation
import OzuTesting
import Testing

@testable import OzuCLI

#if !OZU_TSAN
  // The thread sanitizer fails by itself when a signal meets a thread that has not taken one of its slots yet.

  @Suite("A crash of `ozu`")
  struct CrashTests {
    /// The message and the status of an `ozu` that crashes while it waits for its input.
    private static func crash(by number: Int32, _ backtrace: String?) async throws -> (String, Process) {
      let process = Process()
      process.executableURL = try ChildRun.program
      process.arguments = ["fetch", "--json-lines"]
      process.environment = childEnvironment
      process.environment?["SWIFT_BACKTRACE"] = backtrace
      let (input, output, errors) = (Pipe(), Pipe(), Pipe())
      (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
      try process.run()
      // An answer says that it has started.
      try input.fileHandleForWriting.write(contentsOf: Data("{}\n".utf8))
      let text = await ChildRun.onThread {
        _ = output.fileHandleForReading.availableData
        kill(process.processIdentifier, number)
        let text = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
      }
      return (text, process)
    }

    @Test(
      "says in one line how to report it, and ends by its signal",
      arguments: [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV])
    func message(_ number: Int32) async throws {
      let (text, process) = try await Self.crash(by: number, nil)
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      #expect(text == CrashMessage.text)
      #expect(text.hasPrefix("ozu: ") && text.hasSuffix("\n") && text.utf8.count < 200)
    }

    @Test("leaves the settings of SWIFT_BACKTRACE in force")
    func backtrace() async throws {
      let (text, process) = try await Self.crash(by: SIGILL, "enable=no")
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGILL)
      #expect(text.isEmpty)
    }
  }
#endif
