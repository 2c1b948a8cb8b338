import Foundation
import Ozu
import OzuBase

/// A picture that `ozu load` loaded, and its result.
struct LoadReport: SourceReport {
  /// The source as it was typed, without parts that may be secret.
  private let source: String
  private let size: PixelSize
  private let header: ImageHeader?
  private let from: ImageResponse.Source
  /// The reason why it came from there, for a source from the web.
  private let reason: String?
  private let timings: StageTimings
  /// The bytes of the source; `nil` if only a cached picture of it was read.
  let byteCount: Int?
  /// Defects of the file that did not keep it from being shown.
  private let notes: [String]
  let written: ResultWriter.Written?

  /// - Parameter text: the source as it was typed.
  init(_ text: String, _ response: ImageResponse) {
    source = SourceArgument.shown(text)
    size = response.picture.size
    header = response.picture.header
    from = response.source
    reason = response.httpDecision?.reason
    timings = response.timings
    let isOfSource = [.network, .original].contains(response.source)
    let file = SourceArgument.status(ofFile: text)
    byteCount = file.map { Int($0.st_size) } ?? (isOfSource ? response.encodedByteCount : nil)
    notes = response.picture.notes
    written = nil
  }

  /// - Parameter note: another note.
  init(_ text: String, _ written: ResultWriter.Written, note: String? = nil) {
    let image = written.image
    source = SourceArgument.shown(text)
    size = image.size
    header = image.header
    from = image.source
    reason = image.httpDecision?.reason
    timings = image.timings
    byteCount = image.sourceByteCount
    notes = image.notes + [note].compactMap(\.self)
    self.written = written
  }

  /// From the request to the written file.
  private var duration: Duration { (timings[.total] ?? .zero) + (written?.duration ?? .zero) }

  /// The written frames of an animation that lost some: `1 of 12 frames`.
  private var frames: String? {
    guard let image = written?.image, let header, image.isFirstFrameOnly else { return nil }
    return "\(image.frameCount) of \(header.frameCountDescription)"
  }

  var sum: RunSum {
    if let written, written.isLeftOut { return RunSum(leftOutCount: 1) }
    return RunSum(count: 1, byteCount: byteCount, writtenByteCount: written?.image.data.count)
  }

  /// A line and below it the notes: `lake.jpg: JPEG 4000x3000, 5.8 MB -> web/lake.webp 320x240, 31.2 KB, 42 ms`. Where it is too
  /// long, what is known of the source goes first, and then the middle of names.
  func lines(isVerbose: Bool, width: Int?) -> [StyledLine] {
    let names = (PrintableText.name(source), written.map { PrintableText.name($0.path) } ?? "")
    var line = line(names, isVerbose: isVerbose)
    if let width, !isVerbose, line.columnCount > width {
      line = self.line(names, hasFacts: false)
      let room = names.0.columnCount + names.1.columnCount - (line.columnCount - width)
      line = self.line(StyledLine.shortened(names, to: room), hasFacts: false)
    }
    return [line] + notes.map { StyledLine("  note: \($0)") }
  }

  /// - Parameter names: of the source and of the result.
  private func line(
    _ names: (String, String), isVerbose: Bool = false, hasFacts: Bool = true
  ) -> StyledLine {
    var line = StyledLine(names.0 + ": ")
    let header = hasFacts ? self.header : nil
    let bytes = byteCount.map(Format.bytes)
    if let header {
      line.add("\(header.type.displayName) \(header.size)" + (bytes == nil ? "" : ", "), .faint)
    }
    if let bytes { line.add(bytes) }
    if let written, written.isLeftOut {
      line.add(" -> not written: \(Format.bytes(written.image.data.count)) are not less")
      return line
    }
    if written != nil {
      line.add(" -> ")
      line.add(names.1, .strong)
      line.add(" ")
    } else if header != nil || bytes != nil {
      line.add(": ")
    }
    line.add("\(size)")
    if let frames { line.add(" (\(frames))") }
    if let written { line.add(", \(Format.bytes(written.image.data.count))") }
    line.add(", \(Format.duration(duration))", .faint)
    if isVerbose {
      var stages = timings.entries.map { "\($0.stage.rawValue) \(Format.duration($0.duration))" }
      if let written { stages.append("write \(Format.duration(written.duration))") }
      line.add(" (from \(from.rawValue): \(stages.joined(separator: ", ")))", .faint)
    }
    return line
  }

  var json: JSON {
    var stages = timings.entries.map { ($0.stage.rawValue, JSON.number($0.duration.milliseconds)) }
    if let written { stages.append(("write", .number(written.duration.milliseconds))) }
    var members: [(String, JSON)] = [
      ("source", .string(source)), ("width", .integer(size.width)), ("height", .integer(size.height)),
      ("type", header.map { .string($0.type.rawValue) } ?? .null),
      ("frames", header.map { .integer($0.frameCount) } ?? .null), ("from", .string(from.rawValue)),
      ("stages", .object(stages)), ("bytes", byteCount.map(JSON.integer) ?? .null),
      ("notes", .array(notes.map(JSON.string))),
    ]
    if let reason { members.append(("reason", .string(reason))) }
    if let written, written.isLeftOut {
      members += [("isLeftOut", .bool(true)), ("outputBytes", .integer(written.image.data.count))]
    } else if let written {
      members += [
        ("output", .string(written.path)), ("outputBytes", .integer(written.image.data.count)),
        ("outputFrames", .integer(written.image.frameCount)),
      ]
    }
    return .report("load", members)
  }
}

extension Error {
  /// One line that does not repeat the source.
  var reason: String {
    guard let error = self as? ImageError else { return oneLine }
    return error.explanation + (LimitOption.advice(error) ?? "")
  }
}
