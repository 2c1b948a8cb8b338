/// The style in which a command reports successes: text, JSON or nothing.
enum ReportStyle: Sendable {
  case text, json, quiet

  /// Reads `--json` and `--quiet`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let (isJSON, isQuiet) = (arguments.has("json"), arguments.has("quiet"))
    if isJSON, isQuiet { throw UsageError("--quiet and --json cannot be used together") }
    self = isJSON ? .json : isQuiet ? .quiet : .text
  }
}
