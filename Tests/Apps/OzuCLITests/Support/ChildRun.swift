import Foundation
import OzuBase
import OzuTesting
import Testing

/// A run of the real `ozu` as a process of its own.
struct ChildRun {
  /// The `ozu` that was built with these tests.
  static var program: URL { get throws { try builtProgram("ozu") } }

  let status: Int32
  let reason: Process.TerminationReason
  let output: Data
  let errors: String

  /// Runs a command line in a folder, to its end.
  ///
  /// - Parameters:
  ///   - input: the bytes of standard input; empty by default.
  ///   - inputFile: a file for standard input instead.
  ///   - output: the destination of standard output; `output` by default.
  ///   - variables: variables in addition to `childEnvironment`.
  init(
    _ arguments: [String], in folder: Folder, input: Data = Data(), inputFile: FileHandle? = nil,
    output: FileHandle? = nil, variables: [String: String] = [:]
  ) async throws {
    let process = Process()
    process.executableURL = try Self.program
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.environment = childEnvironment.merging(variables) { $1 }
    let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
    process.standardInput = inputFile ?? inputPipe
    process.standardOutput = output ?? outputPipe
    process.standardError = errorPipe
    try process.run()
    let written = Task {
      await Self.onThread {
        try? inputPipe.fileHandleForWriting.write(contentsOf: input)
        try? inputPipe.fileHandleForWriting.close()
      }
    }
    let errors = Task { await Self.bytes(of: errorPipe) }
    if output != nil { try outputPipe.fileHandleForWriting.close() }
    self.output = await Self.bytes(of: outputPipe)
    self.errors = String(decoding: await errors.value, as: UTF8.self)
    await written.value
    await Self.onThread { process.waitUntilExit() }
    status = process.terminationStatus
    reason = process.terminationReason
  }

  /// Runs a command line in a folder of its own, to its end.
  init(_ arguments: [String]) async throws { try await self.init(arguments, in: try Folder()) }

  /// The text on standard output.
  var text: String { String(decoding: output, as: UTF8.self) }

  private static func bytes(of pipe: Pipe) async -> Data {
    await onThread { (try? pipe.fileHandleForReading.readToEnd()) ?? Data() }
  }

  /// Runs blocking work on a thread of its own, so that the tasks of a test are not blocked.
  static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: work()) }.start()
    }
  }
}

extension Folder {
  /// The bytes of a file inside; `nil` when there is none.
  func data(_ name: String) -> Data? { try? Data(contentsOf: url.appending(path: name)) }

  /// The kind of every entry inside, by name.
  var contents: [String: Data] {
    get throws {
      try names.reduce(into: [:]) { $0[$1] = data($1) }
    }
  }

  /// The kind of the file with a name, without following links: the bits of `S_IFMT`.
  func kind(_ name: String) -> mode_t? {
    var status = stat()
    return lstat(path(name), &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The permissions of a file.
  func permissions(_ name: String) -> mode_t? {
    var status = stat()
    return stat(path(name), &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}
