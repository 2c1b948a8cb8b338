import Foundation
import Ozu
import OzuBase

/// The value of `--text`, and of the `--text-style` before it: a label that is put on the picture.
struct TextArgument {
  static let options = [
    OptionSpecification(
      name: text, value: "TEXT",
      help: "Write on the picture; \\n begins a line. --text-style before it says how."),
    OptionSpecification(
      name: style, value: "NAME=VALUE,…",
      help: """
        How texts after it look: font (a family, or a file with its path), size, weight, color, place, margin, width (wraps \
        lines), lines (at most), align (start, center, end, justify), line-height, opacity, outline and outline-color, \
        background, padding, radius, and italic=yes. Lengths are in pixels.
        """),
  ]
  static let text = "text"
  static let style = "text-style"

  private let style: TextStyle

  var label: Label { style.label }

  /// - Parameter style: the value of the last `--text-style`; `nil` without one.
  init(_ text: String, style: String?) throws(UsageError) {
    var style = try TextStyle(style ?? "", of: "--\(Self.style)")
    style.label.text = text.replacing("\\n", with: "\n")
    self.style = style
  }

  /// Draws the text as the command reads its sources: under the same limits, and in a process of its own where drawings are.
  func step(_ configuration: ImagePipeline.Configuration) async throws(UsageError) -> any ImageProcessing {
    do {
      var configuration = configuration
      configuration.caching.diskStorage = .none
      style.allowFont(in: &configuration)
      let picture = try await ImagePipeline(configuration).picture(of: label)
      let mark = Watermark(
        picture.bitmap, at: style.place, margin: style.margin, opacity: style.opacity)
      return NotedStep.of(mark, picture.notes)
    } catch {
      let start = label.text.prefix(40)
      let shown = PrintableText.oneLine(start.endIndex == label.text.endIndex ? label.text : "\(start)…")
      throw UsageError("--\(Self.text) \(shown): \(error)")
    }
  }
}
