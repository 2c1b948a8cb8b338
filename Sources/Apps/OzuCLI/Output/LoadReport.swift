import Ozu
import OzuBase

/// The outcome for one source of `ozu load`.
struct LoadReport: SourceReporting {
  /// The source as it was typed, without parts that may be secret.
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
    /// The reason why it came from there, for a source from the web.
    let reason: String?
    let timings: StageTimings
    let byteCount: Int
    /// Defects of the file that did not keep it from being shown.
    let notes: [String]
    /// The file that was written, if any.
    let written: ResultWriter.Written?

    init(_ response: ImageResponse) {
      size = response.picture.size
      header = response.picture.header
      from = response.source
      reason = response.httpDecision?.reason
      timings = response.timings
      byteCount = response.encodedByteCount
      notes = response.picture.notes
      written = nil
    }

    init(_ written: ResultWriter.Written) {
      let image = written.image
      size = image.size
      header = image.header
      from = image.source
      reason = image.httpDecision?.reason
      timings = image.timings
      byteCount = image.sourceByteCount
      notes = image.notes
      self.written = written
    }

    /// The written frames of an animation that lost some: `1 of 12 frames`.
    var frames: String? {
      guard let image = written?.image, let header, image.isFirstFrameOnly else { return nil }
      return "\(image.frameCount) of \(header.frameCountDescription)"
    }
  }

  /// A line on standard output and below it the notes, or `nil` for a failure, which goes to standard error.
  var line: String? {
    guard case .success(let loaded) = outcome else { return nil }
    var stages = loaded.timings.entries.map { "\($0.stage.rawValue) \(Format.duration($0.duration))" }
    if let written = loaded.written { stages.append("write \(Format.duration(written.duration))") }
    var parts = ["\(PrintableText.name(source)): \(loaded.size)"]
    if let header = loaded.header { parts.append("(\(header.type.displayName) \(header.size))") }
    parts.append("from \(loaded.from.rawValue): \(stages.joined(separator: ", "))")
    if let written = loaded.written { parts.append("-> \(PrintableText.name(written.path))") }
    if let frames = loaded.frames { parts.append("(\(frames))") }
    return ([parts.joined(separator: " ")] + loaded.notes.map { "  note: \($0)" }).joined(separator: "\n")
  }

  /// One line about a failure.
  var errorLines: [String] {
    guard case .failure(let error) = outcome else { return [] }
    return ["ozu: \(PrintableText.name(source)): \(error.reason)"]
  }

  var json: JSON {
    switch outcome {
    case .failure(let error):
      return .report("load", [("source", .string(source)), ("error", .string(error.reason))])
    case .success(let loaded):
      var stages = loaded.timings.entries.map { ($0.stage.rawValue, JSON.number($0.duration.milliseconds)) }
      if let written = loaded.written { stages.append(("write", .number(written.duration.milliseconds))) }
      var members: [(String, JSON)] = [
        ("source", .string(source)), ("width", .integer(loaded.size.width)),
        ("height", .integer(loaded.size.height)),
        ("type", loaded.header.map { .string($0.type.rawValue) } ?? .null),
        ("frames", loaded.header.map { .integer($0.frameCount) } ?? .null),
        ("from", .string(loaded.from.rawValue)), ("stages", .object(stages)),
        ("bytes", .integer(loaded.byteCount)), ("notes", .array(loaded.notes.map(JSON.string))),
      ]
      if let reason = loaded.reason { members.append(("reason", .string(reason))) }
      if let written = loaded.written {
        members += [
          ("output", .string(written.path)), ("outputBytes", .integer(written.image.data.count)),
          ("outputFrames", .integer(written.image.frameCount)),
        ]
      }
      return .report("load", members)
    }
  }
}

extension Error {
  /// One line that does not repeat the source.
  var reason: String {
    guard let error = self as? ImageError else { return oneLine }
    return error.explanation + (LimitOption.advice(error) ?? "")
  }
}
