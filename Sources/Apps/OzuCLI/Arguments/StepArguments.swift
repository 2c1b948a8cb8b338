import Foundation
import Ozu
import OzuBase

/// The options for steps other than resizing: `--crop`, `--pad`, `--blur` and others. Each becomes steps of the library,
/// or an error that names the option and its values.
enum StepArguments {
  static let options = [
    OptionSpecification(
      name: "crop", value: "AREA",
      help: """
        WxH+X+Y: this rectangle. WxH[,PLACE]: the part with the proportions, brought to the size. W:H[,PLACE]: the part, \
        as large as it is. A PLACE is one of a watermark's, or attention: where people look.
        """),
    OptionSpecification(
      name: "pad", value: "WxH[,COLOR|blur][,PLACE]",
      help: """
        Put it on a canvas of this size; by default transparent, with the picture in the middle. On blur, a blurred copy fills \
        the rest.
        """),
    OptionSpecification(
      name: "trim", value: "TOLERANCE", isValueOptional: true,
      help: "Cut off a border of one colour; values may differ by 10 of 255, or by the tolerance."),
    OptionSpecification(
      name: "rotate", value: "DEGREES[,COLOR]", kind: .words(turns.map(\.0)),
      help: "Turn clockwise; the corners of other angles than quarters are transparent, or have the colour."),
    OptionSpecification(
      name: "flip", help: "Turn upside down as a mirror does: top and bottom change places."),
    OptionSpecification(name: "mirror", help: "Left and right change places."),
    OptionSpecification(
      name: "blur", value: "RADIUS", help: "A Gaussian blur; the standard deviation in pixels, up to 1000."),
    OptionSpecification(
      name: "sharpen", value: "AMOUNT[,RADIUS]", isValueOptional: true,
      help: "Make edges stronger (unsharp mask): 0.5 is gentle and the default, 2 is hard; radius 1."),
    OptionSpecification(
      name: "redact", value: "WxH+X+Y,…[,COLOR|BLOCK]",
      help: """
        Make rectangles unreadable: black, of a colour, or in blocks of this many pixels, from which large letters can be \
        guessed.
        """),
    OptionSpecification(name: "pixelate", value: "BLOCK", help: "Square blocks of this many pixels."),
    OptionSpecification(name: "grayscale", help: "Shades of grey."),
    OptionSpecification(
      name: "adjust", value: "NAME=VALUE,…",
      help:
        "brightness from -1 to 1 (0 changes nothing), contrast and saturation from 0 to 10 (1 changes nothing)."
    ),
    OptionSpecification(
      name: "tint", value: "COLOR[,template]",
      help:
        "Lay a colour over it; as a template, put the colour in place of all others. A COLOR is "
        + "\(ColorArgument.notation)."),
    OptionSpecification(
      name: "round", value: "RADIUS|circle[,WIDTH,COLOR]",
      help: "Round the corners, or cut a circle; with a line along the edge."),
    OptionSpecification(
      name: "watermark", value: "FILE[,PLACE][,OPACITY][,MODE][,margin=N]", kind: .file,
      help: """
        Put a picture or a drawing on top. A PLACE is \(AnchorArgument.notation); bottom-right by default. An OPACITY is from 0 to 1, a \
        MODE is \(WatermarkArgument.modes.map(\.0).joined(separator: ", ")).
        """),
  ]

  private static let turns: [(String, Turn)] = [("90", .right), ("180", .around), ("270", .left)]
  private static let attention = "attention"

  /// The steps of an option; empty for an option that is not a step, for a size, and for `--watermark` and
  /// `--overlay`, which read files.
  static func steps(
    _ name: String, _ value: String?, _ sizes: ResizeArguments
  ) throws(UsageError) -> [any ImageProcessing] {
    let text = value ?? ""
    switch name {
    case "crop": return try crop(text, sizes)
    case "pad": return try pad(text)
    case "redact": return [try redaction(text)]
    case "pixelate":
      return [.pixelate(blockSide: Int(try number(text, of: name, in: 1...65_535, isWhole: true)))]
    case "trim":
      guard value != nil else { return [.trim()] }
      return [.trim(tolerance: UInt8(try number(text, of: name, in: 0...255, isWhole: true)))]
    case "rotate":
      if let turn = turns.first(where: { $0.0 == text })?.1 { return [turn] }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      if let turn = ["left": "270", "right": "90"][parts[0].lowercased()] {
        throw UsageError("--rotate \(text): an angle is needed", hint: "Did you mean --rotate \(turn)?")
      }
      let degrees = try number(parts[0], of: name, in: -360...360)
      guard parts.count > 1 else { return [.rotate(degrees: degrees)] }
      guard parts.count == 2, let color = ColorArgument.color(parts[1]) else {
        throw UsageError(
          "--rotate \(text): a colour is needed: \(ColorArgument.notation)",
          hint: parts.count == 2 ? ColorArgument.hint(for: parts[1]) : nil)
      }
      return [.rotate(degrees: degrees, background: color)]
    case "flip": return [Turn.flip]
    case "mirror": return [Turn.mirror]
    case "blur": return [.gaussianBlur(radius: try number(text, of: name, in: 0...1000))]
    case "sharpen": return [try sharpen(value)]
    case "grayscale": return [.grayscale]
    case "adjust": return [try adjustment(text)]
    case "tint": return [try tint(text)]
    case "round": return [try roundedCorners(text)]
    default: return []
    }
  }

  // MARK: Places and sizes

  private static func crop(_ text: String, _ sizes: ResizeArguments) throws(UsageError)
    -> [any ImageProcessing]
  {
    let wanted = UsageError(
      "--crop \(text): a rectangle, a size or proportions are needed",
      hint: "For example: 640x360+10+20, 640x360, 640x360,top, 640x360,attention or 16:9")
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    if parts[0].contains("+") {
      guard parts.count == 1, let area = try rectangle(parts[0], of: "crop") else { throw wanted }
      return [.crop(.rectangle(area))]
    }
    guard parts.count <= 2 else { throw wanted }
    func area(_ size: PixelSize) throws(UsageError) -> Crop {
      guard parts.count == 2 else { return .crop(.proportions(size, .center)) }
      if parts[1] == attention { return .crop(.attention(size)) }
      guard let anchor = AnchorArgument.anchor(parts[1]) else {
        throw UsageError("--crop \(text): a place is \(AnchorArgument.notation) or \(attention)")
      }
      return .crop(.proportions(size, anchor))
    }
    guard parts[0].contains(":") else {
      guard parts[0].contains(where: { "xX×".contains($0) }) else { throw wanted }
      let size = try ResizeArguments.size(String(parts[0]), of: "crop")
      return [sizes.covering(size), try area(size)]
    }
    let sides = parts[0].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy((1...65_535).contains) else { throw wanted }
    return [try area(PixelSize(sides[0], sides[1]))]
  }

  /// `WxH+X+Y`; `nil` for another text.
  private static func rectangle(
    _ text: Substring, of option: String
  ) throws(UsageError) -> PixelRectangle? {
    let offsets = text.split(separator: "+", omittingEmptySubsequences: false)
    guard offsets.count == 3, let x = Int(offsets[1]), let y = Int(offsets[2]), x >= 0, y >= 0 else {
      return nil
    }
    let size = try ResizeArguments.size(String(offsets[0]), of: option)
    return PixelRectangle(x: x, y: y, width: size.width, height: size.height)
  }

  private static func redaction(_ text: String) throws(UsageError) -> Redact {
    var parts = text.split(separator: ",", omittingEmptySubsequences: false)
    var style = Redact.Style.fill(.black)
    if parts.count > 1, let last = parts.last, !last.contains("+") {
      if let color = ColorArgument.color(last) {
        style = .fill(color)
      } else if Double(last) == nil {
        throw UsageError(
          "--redact \(text): a colour or the side of a block may follow: \(ColorArgument.notation)",
          hint: ColorArgument.hint(for: last))
      } else {
        style = .pixelate(blockSide: Int(try number(last, of: "redact", in: 1...65_535, isWhole: true)))
      }
      parts.removeLast()
    }
    var areas: [PixelRectangle] = []
    for part in parts {
      guard let area = try rectangle(part, of: "redact") else { break }
      areas.append(area)
    }
    guard !areas.isEmpty, areas.count == parts.count else {
      throw UsageError(
        "--redact \(text): rectangles are needed, with a colour or the side of a block behind them",
        hint: "For example: 200x40+10+20, or 90x90+100+60,90x90+300+60,12")
    }
    return .redact(areas: areas, style: style)
  }

  private static func pad(_ text: String) throws(UsageError) -> [any ImageProcessing] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let size = try ResizeArguments.size(String(parts[0]), of: "pad")
    var (color, place): (ColorValue?, ImageAnchor?)
    var isBlurred = false
    for part in parts.dropFirst() {
      if part == "blur", !isBlurred, color == nil {
        isBlurred = true
      } else if color == nil, !isBlurred, let named = ColorArgument.color(part) {
        color = named
      } else if place == nil, let anchor = AnchorArgument.anchor(part) {
        place = anchor
      } else {
        throw UsageError(
          "--pad \(text): one colour (\(ColorArgument.notation)) or blur and one place "
            + "(\(AnchorArgument.notation)) can be given, not \"\(part)\"",
          hint: ColorArgument.hint(for: part, or: AnchorArgument.names.map(\.0) + ["blur"]))
      }
    }
    if isBlurred { return [.pad(to: size, blurredBy: 40, anchor: place ?? .center)] }
    return [.pad(to: size, color: color ?? .clear, anchor: place ?? .center)]
  }

  // MARK: Looks

  private static func sharpen(_ text: String?) throws(UsageError) -> Sharpen {
    guard let text else { return .sharpen() }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw UsageError("--sharpen \(text): an amount and a radius are needed") }
    return .sharpen(
      amount: try number(parts[0], of: "sharpen", in: 0...10),
      radius: parts.count == 2 ? try number(parts[1], of: "sharpen", in: 0.1...100) : 1)
  }

  private static func adjustment(_ text: String) throws(UsageError) -> ColorAdjustment {
    var values: [String: Double] = [:]
    let ranges = ["brightness": -1.0...1, "contrast": 0...10, "saturation": 0...10]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let range = ranges[String(sides[0])] else {
        throw UsageError(
          "--adjust \(text): brightness, contrast and saturation can be set",
          hint: "For example: --adjust brightness=0.1,saturation=1.2")
      }
      values[String(sides[0])] = try number(sides[1], of: "adjust", in: range)
    }
    return .color(
      brightness: values["brightness"] ?? 0, contrast: values["contrast"] ?? 1,
      saturation: values["saturation"] ?? 1)
  }

  private static func tint(_ text: String) throws(UsageError) -> Tint {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.dropFirst().allSatisfy({ $0 == Tint.Style.template.rawValue }),
      let color = ColorArgument.color(parts[0])
    else {
      throw UsageError(
        "--tint \(text): a colour is needed: \(ColorArgument.notation)",
        hint: ColorArgument.hint(for: parts[0])
          ?? "Add \",template\" to keep only the opacity of the picture.")
    }
    return .tint(color, style: parts.count == 2 ? .template : .overlay)
  }

  private static func roundedCorners(_ text: String) throws(UsageError) -> RoundedCorners {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let shape: RoundedCorners.Shape =
      parts[0] == "circle" ? .circle : .rectangle(radius: try number(parts[0], of: "round", in: 0...65_535))
    guard parts.count > 1 else { return RoundedCorners(shape) }
    guard parts.count == 3, let color = ColorArgument.color(parts[2]) else {
      throw UsageError(
        "--round \(text): only the width of a line and its colour may follow the radius",
        hint: (parts.count == 3 ? ColorArgument.hint(for: parts[2]) : nil)
          ?? "For example: --round 12,2,#ff8800")
    }
    return RoundedCorners(
      shape, border: .init(width: try number(parts[1], of: "round", in: 0...65_535), color: color))
  }

  static func number(
    _ text: some StringProtocol, of option: String, in range: ClosedRange<Double>, isWhole: Bool = false
  ) throws(UsageError) -> Double {
    guard let number = Double(text), range.contains(number), !isWhole || number == number.rounded() else {
      let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
      throw UsageError(
        "--\(option) \(text): a \(isWhole ? "whole number" : "number") from \(bounds) is needed")
    }
    return number
  }

  static func text(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(clamping: number))" : "\(number)"
  }
}

/// A place in a picture as people type it: `center`, `top`, `bottom-right`.
enum AnchorArgument {
  static let names: [(String, ImageAnchor)] = ImageAnchor.allCases.map { anchor in
    let name = anchor.rawValue.reduce(into: "") { name, letter in
      name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
    }
    return (name, anchor)
  }

  static let notation = names.map(\.0).joined(separator: ", ")

  /// The place of a text; `nil` when the text is not a place.
  static func anchor(_ text: some StringProtocol) -> ImageAnchor? {
    names.first { $0.0 == text.lowercased() }?.1
  }
}
