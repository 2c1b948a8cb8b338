import Foundation
import OzuTesting

/// A run of a program that is not `ozu`, to its end.
struct ProgramRun {
  let status: Int32
  /// The output on both streams.
  let output: String

  /// - Parameter environment: the environment of the process; `childEnvironment` by default.
  init(_ path: String, _ arguments: [String], environment: [String: String]? = nil) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = environment ?? childEnvironment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  /// Runs an installed program; `nil` if it is not installed.
  init?(named name: String, _ arguments: [String]) throws {
    guard let path = installedProgram(name) else { return nil }
    try self.init(path, arguments)
  }
}
