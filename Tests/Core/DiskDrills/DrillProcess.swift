import Foundation

/// A worker in a process of its own, and the lines that it prints.
final class DrillProcess {
  private let process = Process()
  private let output = Pipe()
  private var rest = Data()

  init(program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// The next line; nil at the end.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        defer { rest = Data(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest += more
    }
  }

  /// All further lines, until the process ends.
  func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    process.waitUntilExit()
    return lines
  }

  /// Kills it without warning, and returns the printed lines that were not read yet.
  func kill() -> [String] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    return lines()
  }

  var status: Int32 { process.terminationStatus }
}
