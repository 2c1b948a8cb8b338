/// The style in which a command reports successes: text, text with the stages of each load, JSON or nothing.
enum ReportStyle: String, Sendable, CaseIterable {
  case text, verbose, json, quiet

  static let verboseOption = OptionSpecification(
    name: ReportStyle.verbose.rawValue, letter: "v",
    help: "Say where each picture came from, and how long each stage took.")

  /// Reads `--json`, `--quiet` and `--verbose`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let given = Self.allCases.filter { $0 != .text && arguments.has($0.rawValue) }
    guard given.count <= 1 else {
      throw UsageError("--\(given[1]) and --\(given[0]) cannot be used together")
    }
    self = given.first ?? .text
  }
}
