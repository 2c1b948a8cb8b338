import Ozu
import OzuBase

/// The files that `ozu set` made of a source.
struct SetReport: SourceReport {
  /// The source as it was typed, without parts that may be secret.
  let source: String
  /// Grouped by format in their order, the narrowest of each first. Not empty.
  let files: [ResultWriter.Written]
  /// The widths that are too large for the picture.
  let omittedWidths: [Int]
  /// The element `picture`, if it is wanted.
  let html: String?

  /// One of the widest. Its header, source and timings stand for all.
  var largest: EncodedImage? { files.map(\.image).max { $0.size.width < $1.size.width } }

  var sum: RunSum {
    RunSum(
      count: 1, fileCount: files.count, byteCount: largest?.sourceByteCount ?? 0,
      writtenByteCount: files.reduce(0) { $0 + $1.image.data.count })
  }

  /// The notes of all files, without duplicates.
  private var notes: [String] {
    files.flatMap(\.image.notes).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// One for the source, and one for each file.
  func lines(isVerbose: Bool, width: Int?) -> [StyledLine] {
    guard let image = largest else { return [] }
    var head = StyledLine()
    if let header = image.header { head.add(" \(header.type.displayName) \(header.size),", .faint) }
    head.add(" " + Format.bytes(image.sourceByteCount))
    if isVerbose {
      let stages = image.timings.entries.map { "\($0.stage.rawValue) \(Format.duration($0.duration))" }
      head.add(" (from \(image.source.rawValue): \(stages.joined(separator: ", ")))", .faint)
    }
    let room = width.map { max($0 - head.columnCount - 1, 12) } ?? .max
    var first = StyledLine(StyledLine.shortened(PrintableText.name(source), to: room) + ":")
    first.add(head)
    let lines = files.map { file in
      let still = file.image.isFirstFrameOnly ? " (first frame only)" : ""
      let facts = " \(file.image.size), \(Format.bytes(file.image.data.count))\(still)"
      let room = width.map { max($0 - facts.columnCount - 5, 12) } ?? .max
      var line = StyledLine("  -> ")
      line.add(StyledLine.shortened(PrintableText.name(file.path), to: room), .strong)
      line.add(facts)
      return line
    }
    return [first] + lines + notes.map { StyledLine("  note: \($0)") }
  }

  /// A line about widths that were left out.
  var omission: String? {
    guard !omittedWidths.isEmpty else { return nil }
    let widths = omittedWidths.map(String.init).joined(separator: ", ")
    return "ozu: \(PrintableText.name(source)): the picture is not as wide as \(widths); left out"
  }

  var json: JSON {
    let header = largest?.header
    var members: [(String, JSON)] = [
      ("source", .string(source)), ("type", header.map { .string($0.type.rawValue) } ?? .null),
      ("frames", header.map { .integer($0.frameCount) } ?? .null),
      ("bytes", .integer(largest?.sourceByteCount ?? 0)), ("outputs", .array(files.map(Self.json))),
      ("omittedWidths", .array(omittedWidths.map(JSON.integer))), ("notes", .array(notes.map(JSON.string))),
    ]
    if let html { members.append(("html", .string(html))) }
    return .report("set", members)
  }

  private static func json(_ file: ResultWriter.Written) -> JSON {
    let image = file.image
    return .object([
      ("output", .string(file.path)), ("type", .string(image.type.rawValue)),
      ("width", .integer(image.size.width)), ("height", .integer(image.size.height)),
      ("outputBytes", .integer(image.data.count)), ("outputFrames", .integer(image.frameCount)),
      ("from", .string(image.source.rawValue)),
    ])
  }
}

/// The reasons why files of a source of `ozu set` are missing, a line for each.
struct SetFailure: Error {
  let reasons: [String]
}
