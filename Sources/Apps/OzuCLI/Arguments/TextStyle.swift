import Foundation
import Ozu
import OzuBase

/// How a text looks, as `--text-style` and the setting `watermark_text_style` write it: names and values with commas between them.
struct TextStyle {
  /// The label without its text.
  var label = Label("", size: 32, color: .white)
  private(set) var place = ImageAnchor.bottom
  private(set) var margin = 16
  private(set) var opacity = 1.0
  private static let alignments = Label.Alignment.allCases.map { ($0.rawValue, $0) }

  /// - Parameters:
  ///   - name: the option or the setting, for errors.
  ///   - hasPlace: whether a place, a margin and an opacity may be among the values.
  init(_ text: String, of name: String, hasPlace: Bool = true) throws(UsageError) {
    var families: [String] = []
    var (outline, outlineColor): (Double?, ColorValue?)
    var (background, padding, radius): (ColorValue?, Double, Double) = (nil, 8, 0)
    for part in text.split(separator: ",") {
      let value = SettingValue(part, of: name)
      switch value.name {
      case "font": families.append(value.text)
      case "size": label.size = try value.number(1...2000)
      case "weight": label.weight = try value.integer(1...1000)
      case "italic": label.isItalic = try value.flag()
      case "color": label.color = try value.color()
      case "place" where hasPlace: place = try value.choice(AnchorArgument.names)
      case "margin" where hasPlace: margin = try value.integer(0...65_535)
      case "opacity" where hasPlace: opacity = try value.number(0...1)
      case "width": label.width = try value.integer(1...32_767)
      case "lines":
        label.maximumLineCount = try value.integer(1...10_000)
        label.ellipsis = .end
      case "align": label.alignment = try value.choice(Self.alignments)
      case "line-height": label.lineHeight = try value.number(0.25...10)
      case "outline": outline = try value.number(0...500)
      case "outline-color": outlineColor = try value.color()
      case "background": background = try value.color()
      case "padding": padding = try value.number(0...8192)
      case "radius": radius = try value.number(0...65_535)
      default:
        throw UsageError(
          "\(name) \(part): there is no \(value.name)",
          hint: "For example: font=serif,size=48,color=#fff"
            + (hasPlace ? ",place=bottom-right,margin=20" : "")
        )
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

  /// Lets the process that draws read the folder of the font's file, which a person has named.
  func allowFont(in configuration: inout ImagePipeline.Configuration) {
    guard case .file(let path) = label.font else { return }
    configuration.decoding.isolation.fontFolders.append(
      URL(fileURLWithPath: path).deletingLastPathComponent().path(percentEncoded: false))
  }
}

/// A setting of an option that has several: a name and its value.
struct SettingValue {
  let name: String
  let text: String
  private let option: String

  /// - Parameter option: the name of the option, for errors.
  init(_ part: Substring, of option: String) {
    let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    (name, text) = (String(sides[0]), sides.count == 2 ? String(sides[1]) : "")
    self.option = option
  }

  func number(_ range: ClosedRange<Double>) throws(UsageError) -> Double {
    guard let number = Double(text), range.contains(number) else { throw misfit("number", range) }
    return number
  }

  func integer(_ range: ClosedRange<Double>) throws(UsageError) -> Int {
    let number = try number(range)
    guard number == number.rounded() else { throw misfit("whole number", range) }
    return Int(clamping: number)
  }

  private func misfit(_ kind: String, _ range: ClosedRange<Double>) -> UsageError {
    let bounds = "\(StepArguments.text(range.lowerBound)) to \(StepArguments.text(range.upperBound))"
    return UsageError("\(option) \(name)=\(text): a \(kind) from \(bounds) is needed")
  }

  func choice<Choice>(_ choices: [(String, Choice)]) throws(UsageError) -> Choice {
    if let choice = choices.first(where: { $0.0.lowercased() == text.lowercased() }) { return choice.1 }
    let words = choices.map(\.0)
    throw UsageError(
      "\(option) \(name)=\(text): it can be \(words.joined(separator: ", "))",
      hint: Suggestion.closest(to: text, among: words).map { "Did you mean \"\($0)\"?" })
  }

  func flag() throws(UsageError) -> Bool { try choice([("yes", true), ("no", false)]) }

  func color() throws(UsageError) -> ColorValue {
    guard let color = ColorArgument.color(text) else {
      throw UsageError(
        "\(option) \(name)=\(text): a colour is \(ColorArgument.notation)",
        hint: ColorArgument.hint(for: text))
    }
    return color
  }
}
