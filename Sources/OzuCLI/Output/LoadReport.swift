import Ozu

/// What became of one source of `ozu load`.
struct LoadReport: Sendable {
  /// The source as it was typed, without what may be secret.
  let source: String
  let outcome: Result<Loaded, any Error>

  init(source: String, outcome: Result<Loaded, any Error>) {
    self.source = SourceArgument.shown(source)
    self.outcome = outcome
  }

  struct Loaded: Sendable {
    let size: PixelSize
    let header: ImageHeader?
    let from: ImageResponse.Source
    /// Why from there, for what came from the web.
    let reason: String?
    let timings: StageTimings
    let byteCount: Int
    /// The file that was written, if any.
    let output: String?
    /// How long encoding and writing it took.
    let writeTime: Duration?
  }

  var isFailure: Bool {
    if case .failure = outcome { true } else { false }
  }

  /// One line on standard output, or `nil` for a failure, which goes to standard error.
  var line: String? {
    guard case .success(let loaded) = outcome else { return nil }
    var stages = loaded.timings.entries.map { "\($0.stage.rawValue) \(Format.duration($0.duration))" }
    if let time = loaded.writeTime { stages.append("write \(Format.duration(time))") }
    var parts = ["\(source): \(loaded.size)"]
    if let header = loaded.header { parts.append("(\(header.type.displayName) \(header.size))") }
    parts.append("from \(loaded.from.rawValue): \(stages.joined(separator: ", "))")
    if let output = loaded.output { parts.append("-> \(output)") }
    return parts.joined(separator: " ")
  }

  /// One line about a failure.
  var errorLine: String? {
    guard case .failure(let error) = outcome else { return nil }
    return "ozu: \(source): \(Self.text(error))"
  }

  private static func text(_ error: any Error) -> String {
    (error as? ImageError)?.explanation ?? error.oneLine
  }

  var json: JSON {
    switch outcome {
    case .failure(let error):
      return .object([("source", .string(source)), ("error", .string(Self.text(error)))])
    case .success(let loaded):
      var stages = loaded.timings.entries.map { ($0.stage.rawValue, JSON.number($0.duration.milliseconds)) }
      if let time = loaded.writeTime { stages.append(("write", .number(time.milliseconds))) }
      var members: [(String, JSON)] = [
        ("source", .string(source)), ("width", .integer(loaded.size.width)),
        ("height", .integer(loaded.size.height)),
        ("type", loaded.header.map { .string($0.type.rawValue) } ?? .null),
        ("from", .string(loaded.from.rawValue)), ("stages", .object(stages)),
        ("bytes", .integer(loaded.byteCount)),
      ]
      if let reason = loaded.reason { members.append(("reason", .string(reason))) }
      if let output = loaded.output { members.append(("output", .string(output))) }
      return .object(members)
    }
  }
}
