import Foundation

/// The results of the drills, as text while they run and as JSON at the end.
@MainActor
final class DrillOutput {
  private struct Result: Codable {
    let drill: String
    let isPassed: Bool
    let detail: String
    let figures: [String: Double]
  }

  private var results: [Result] = []

  var isPassed: Bool { results.allSatisfy(\.isPassed) }

  func add(_ drill: String, failures: [String], detail: String, figures: [String: Double] = [:]) {
    let isPassed = failures.isEmpty
    let text = isPassed ? detail : failures.prefix(5).joined(separator: "; ")
    results.append(Result(drill: drill, isPassed: isPassed, detail: text, figures: figures))
    Self.write("\(isPassed ? "ok    " : "FAILED") \(drill): \(text)")
    for (name, value) in figures.sorted(by: { $0.key < $1.key }) {
      Self.write("         \(name) \(String(format: "%.3f", value))")
    }
  }

  func save(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(results).write(to: URL(filePath: path))
  }

  nonisolated static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  nonisolated static func complain(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
