import Foundation

/// A program of other people that reads what Ozu has written.
struct ForeignProgram {
  var path: String
  var arguments: [String]

  init(_ path: String, _ arguments: String...) {
    (self.path, self.arguments) = (path, arguments)
  }

  /// Runs it with a file that has some bytes as the last argument, and returns what it prints; `nil` where it fails or is
  /// not there.
  func output(for data: Data, fileExtension: String) throws -> Data? {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("ozu-\(UUID().uuidString).\(fileExtension)")
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try output(arguments + [file.path])
  }

  /// Whether it runs and succeeds with its own arguments alone.
  var isThere: Bool { (try? output(arguments)) != nil }

  private func output(_ arguments: [String]) throws -> Data? {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
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
    return process.terminationStatus == 0 ? output : nil
  }
}
