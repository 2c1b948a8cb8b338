/// How much a command prints of what went well.
enum ReportStyle: Sendable {
  case text, json, quiet

  /// What `--json` and `--quiet` say.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let (isJSON, isQuiet) = (arguments.has("json"), arguments.has("quiet"))
    if isJSON, isQuiet { throw UsageError("--quiet and --json do not go together") }
    self = isJSON ? .json : isQuiet ? .quiet : .text
  }
}
