import Foundation
import Testing

/// A run of the `ozu` that was built with these tests, as a process of its own.
struct ProgramRun {
  let status: Int32
  let reason: Process.TerminationReason
  let output: String
  let errors: String

  /// The `ozu` that was built with these tests.
  static var program: URL {
    get throws {
      let folder = try #require(
        Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent())
      return folder.appending(path: "ozu")
    }
  }

  /// Runs a command line to its end; no thread waits for it.
  init(_ arguments: [String]) async throws {
    let folder = try Folder()
    let process = Process()
    process.executableURL = try Self.program
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: Self.file("output", in: folder))
    process.standardError = try FileHandle(forWritingTo: Self.file("errors", in: folder))
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    status = process.terminationStatus
    reason = process.terminationReason
    output = try String(contentsOfFile: folder.path("output"), encoding: .utf8)
    errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
  }

  private static func file(_ name: String, in folder: Folder) throws -> URL {
    URL(fileURLWithPath: try folder.write(Data(), to: name))
  }
}
