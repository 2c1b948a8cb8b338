import Foundation
import OzuTesting

/// A program of another project that reads files of Ozu.
struct ForeignProgram {
  var path: String
  var arguments: [String]

  init(_ path: String, _ arguments: String...) {
    (self.path, self.arguments) = (path, arguments)
  }

  /// Finds a program by its name; `nil` if it is not installed.
  init?(named name: String) {
    guard let path = installedProgram(name) else { return nil }
    self.init(path)
  }

  /// Runs it with a file of these bytes as the last argument, and returns its output; `nil` if it fails or is not
  /// installed.
  func output(for data: Data, fileExtension: String) throws -> Data? {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("ozu-\(UUID().uuidString).\(fileExtension)")
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try succeeding(arguments + [file.path])
  }

  /// Whether it runs successfully with its own arguments alone.
  var isThere: Bool { (try? succeeding(arguments)) != nil }

  private func succeeding(_ arguments: [String]) throws -> Data? {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    let run = try run(arguments)
    return run.status == 0 ? run.output : nil
  }

  /// Runs it with other arguments.
  func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
