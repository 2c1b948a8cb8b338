import Foundation
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
    /// The bytes of the source; `nil` if only a cached picture of it was read.
    let byteCount: Int?
    /// Defects of the file that did not keep it from being shown.
    let notes: [String]
    let written: ResultWriter.Written?

    /// - Parameter text: the source as it was typed.
    init(_ response: ImageResponse, of text: String) {
      size = response.picture.size
      header = response.picture.header
      from = response.source
      reason = response.httpDecision?.reason
      timings = response.timings
      let isOfSource = [.network, .original].contains(response.source)
      byteCount = Self.byteCount(ofFile: text) ?? (isOfSource ? response.encodedByteCount : nil)
      notes = response.picture.notes
      written = nil
    }

    /// - Parameter note: another note.
    init(_ written: ResultWriter.Written, note: String? = nil) {
      let image = written.image
      size = image.size
      header = image.header
      from = image.source
      reason = image.httpDecision?.reason
      timings = image.timings
      byteCount = image.sourceByteCount
      notes = image.notes + [note].compactMap(\.self)
      self.written = written
    }

    private static func byteCount(ofFile text: String) -> Int? {
      var status = stat()
      guard SourceArgument.isFile(text), stat(SourceArgument.path(ofFile: text), &status) == 0 else {
        return nil
      }
      return Int(status.st_size)
    }

    /// From the request to the written file.
    var duration: Duration {
      (timings[.total] ?? .zero) + (written?.duration ?? .zero)
    }

    /// The written frames of an animation that lost some: `1 of 12 frames`.
    var frames: String? {
      guard let image = written?.image, let header, image.isFirstFrameOnly else { return nil }
      return "\(image.frameCount) of \(header.frameCountDescription)"
    }
  }

  /// A line on standard output and below it the notes; nothing for a failure, which goes to standard error:
  /// `lake.jpg: JPEG 4000x3000, 5.8 MB -> web/lake.webp 320x240, 31.2 KB, 42 ms`.
  ///
  /// - Parameters:
  ///   - isVerbose: whether the place that it came from and the stages follow.
  ///   - width: the columns for the line: what is known of the source goes first then, and the middle of names. `nil` for
  ///     everything.
  func lines(isVerbose: Bool, width: Int? = nil) -> [StyledLine] {
    guard case .success(let loaded) = outcome else { return [] }
    var line = line(loaded, isVerbose: isVerbose)
    if let width, !isVerbose, line.columnCount > width {
      line = self.line(loaded, hasFacts: false)
      if line.columnCount > width {
        let name = PrintableText.name(source).columnCount
        let result = loaded.written.map { PrintableText.name($0.path).columnCount } ?? 0
        let room = max(name + result - (line.columnCount - width), 24)
        let first = loaded.written == nil ? room : min(name, max(room / 2, room - result))
        line = self.line(loaded, hasFacts: false, lengths: (first, room - first))
      }
    }
    return [line] + loaded.notes.map { StyledLine("  note: \($0)") }
  }

  private func line(
    _ loaded: Loaded, isVerbose: Bool = false, hasFacts: Bool = true, lengths: (Int, Int) = (.max, .max)
  ) -> StyledLine {
    var line = StyledLine(StyledLine.shortened(PrintableText.name(source), to: lengths.0) + ": ")
    let header = hasFacts ? loaded.header : nil
    let bytes = loaded.byteCount.map(Format.bytes)
    if let header {
      line.add("\(header.type.displayName) \(header.size)" + (bytes == nil ? "" : ", "), .faint)
    }
    if let bytes { line.add(bytes) }
    if let written = loaded.written, written.isLeftOut {
      line.add(" -> not written: \(Format.bytes(written.image.data.count)) are not less")
      return line
    }
    if let written = loaded.written {
      line.add(" -> ")
      line.add(StyledLine.shortened(PrintableText.name(written.path), to: lengths.1), .strong)
      line.add(" ")
    } else if header != nil || bytes != nil {
      line.add(": ")
    }
    line.add("\(loaded.size)")
    if let frames = loaded.frames { line.add(" (\(frames))") }
    if let written = loaded.written { line.add(", \(Format.bytes(written.image.data.count))") }
    line.add(", \(Format.duration(loaded.duration))", .faint)
    if isVerbose {
      var stages = loaded.timings.entries.map { "\($0.stage.rawValue) \(Format.duration($0.duration))" }
      if let written = loaded.written { stages.append("write \(Format.duration(written.duration))") }
      line.add(" (from \(loaded.from.rawValue): \(stages.joined(separator: ", ")))", .faint)
    }
    return line
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
        ("bytes", loaded.byteCount.map(JSON.integer) ?? .null),
        ("notes", .array(loaded.notes.map(JSON.string))),
      ]
      if let reason = loaded.reason { members.append(("reason", .string(reason))) }
      if let written = loaded.written, written.isLeftOut {
        members += [("isLeftOut", .bool(true)), ("outputBytes", .integer(written.image.data.count))]
      } else if let written = loaded.written {
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
