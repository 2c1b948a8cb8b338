import Foundation
import OzuBase

@testable import OzuCLI

/// A run of `ozu` inside the test, with its output.
struct CommandRun {
  let status: ExitStatus
  let output: String
  let errors: String

  /// Runs a command line.
  init(_ arguments: String...) async {
    await self.init(arguments)
  }

  init(_ arguments: [String], isTerminal: Bool = false, input: [String] = []) async {
    let printed = Printed()
    var console = Console(
      writeOutput: { text in printed.add(text, isError: false) },
      writeError: { text in printed.add(text, isError: true) }, outputIsTerminal: isTerminal,
      errorIsTerminal: isTerminal, width: 80,
      writeData: { data in printed.add(String(decoding: data, as: UTF8.self), isError: false) })
    let reader = LineReader(input)
    console.readLines = { reader.next().map { [$0] } }
    status = await Tool.run(arguments, console: console)
    (output, errors) = printed.texts
    let printsSchema =
      ["load", "set", "info", "compare", "similar", "explain", "cache"].contains(arguments.first)
      && arguments.contains("--json")
    if printsSchema || arguments.contains("--json-lines") { OutputSchema.check(output, of: arguments) }
  }

  /// The lines of the output, each read as a JSON object.
  var objects: [[String: Any]] {
    get throws {
      try output.split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
    }
  }

  private final class LineReader: Sendable {
    private let lines: Mutex<ArraySlice<String>>

    init(_ lines: [String]) { self.lines = Mutex(lines[...]) }

    func next() -> String? { lines.withLock { $0.popFirst() } }
  }

  private final class Printed: Sendable {
    private let state = Mutex((output: "", errors: ""))

    func add(_ text: String, isError: Bool) {
      state.withLock { if isError { $0.errors += text } else { $0.output += text } }
    }

    var texts: (String, String) { state.withLock { $0 } }
  }
}

/// A folder that is removed when the test ends.
final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "ozu-cli-test-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of an entry inside.
  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  @discardableResult
  func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: url.appending(path: name))
    return path(name)
  }

  /// The names of the entries inside.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false)).sorted()
    }
  }
}
