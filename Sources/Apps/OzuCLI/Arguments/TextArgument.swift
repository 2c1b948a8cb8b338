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

  private(set) var label: Label
  private var place = ImageAnchor.bottom
  private var margin = 16
  private var opacity = 1.0

  /// - Parameter style: the value of the last `--text-style`; `nil` without one.
  init(_ text: String, style: String?) throws(UsageError) {
    label = Label(text.replacing("\\n", with: "\n"), size: 32, color: .white)
    var families: [String] = []
    var (outline, outlineColor): (Double?, ColorValue?)
    var (background, padding, radius): (ColorValue?, Double, Double) = (nil, 8, 0)
    for part in (style ?? "").split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (String(sides[0]), sides.count == 2 ? String(sides[1]) : "")
      switch name {
      case "font": families.append(value)
      case "size": label.size = try number(value, 1...2000)
      case "weight": label.weight = Int(clamping: try number(value, 1...1000, isWhole: true))
      case "italic": label.isItalic = value == "yes"
      case "color": label.color = try color(value)
      case "place": place = try AnchorArgument.setting(value, of: Self.style)
      case "margin": margin = Int(clamping: try number(value, 0...65_535, isWhole: true))
      case "opacity": opacity = try number(value, 0...1)
      case "width": label.width = Int(clamping: try number(value, 1...32_767, isWhole: true))
      case "lines":
        label.maximumLineCount = Int(clamping: try number(value, 1...10_000, isWhole: true))
        label.ellipsis = .end
      case "align": label.alignment = try Self.alignment(value)
      case "line-height": label.lineHeight = try number(value, 0.25...10)
      case "outline": outline = try number(value, 0...500)
      case "outline-color": outlineColor = try color(value)
      case "background": background = try color(value)
      case "padding": padding = try number(value, 0...8192)
      case "radius": radius = try number(value, 0...65_535)
      default:
        throw UsageError(
          "--\(Self.style) \(part): there is no \(name)",
          hint: "For example: --text-style font=serif,size=48,color=#fff,place=bottom-right,margin=20")
      }
    }
    if let first = families.first {
      label.font =
        first.contains("/")
        ? .file(URL(fileURLWithPath: first).standardizedFileURL.path(percentEncoded: false))
        : .family(families.joined(separator: ","))
    }
    if let outline { label.outline = Label.Outline(width: outline, color: outlineColor ?? .black) }
    if let background {
      label.background = Label.Background(color: background, padding: padding, cornerRadius: radius)
    }
  }

  /// Draws the text as the command reads its sources: under the same limits, and in a process of its own where drawings are.
  func watermark(_ configuration: ImagePipeline.Configuration) async throws(UsageError) -> Watermark {
    do {
      var configuration = configuration
      configuration.caching.diskStorage = .none
      if case .file(let path) = label.font {
        // The path was typed here, so the process that draws may read its folder.
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path(percentEncoded: false)
        configuration.decoding.isolation.fontFolders.append(folder)
      }
      let picture = try await ImagePipeline(configuration).picture(of: label)
      return .watermark(picture.bitmap, at: place, margin: margin, opacity: opacity)
    } catch {
      throw UsageError("--\(Self.text) \(PrintableText.oneLine(label.text)): \(error)")
    }
  }

  // MARK: Values

  private static func alignment(_ text: String) throws(UsageError) -> Label.Alignment {
    guard let alignment = Label.Alignment(rawValue: text) else {
      let names = Label.Alignment.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--\(style) align=\(text): it can be \(names)")
    }
    return alignment
  }
}

private func number(
  _ text: String, _ range: ClosedRange<Double>, isWhole: Bool = false
) throws(UsageError) -> Double {
  try StepArguments.number(text, of: TextArgument.style, in: range, isWhole: isWhole)
}

private func color(_ text: String) throws(UsageError) -> ColorValue {
  guard let color = ColorArgument.color(text) else {
    throw UsageError("--\(TextArgument.style) \(text): a colour is \(ColorArgument.notation)")
  }
  return color
}
