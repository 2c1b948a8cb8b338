import Foundation
import Ozu

/// The value of `--overlay`: a file, followed by settings in any order.
struct OverlayArgument {
  static let name = "overlay"
  static let option = OptionSpecification(
    name: name, value: "FILE[,NAME=VALUE,…]", kind: .file,
    help: """
      Put a picture or a drawing on top, anywhere: place (as for a watermark; top-left by default), x and y (pixels from \
      there), size (WxH), rotate (degrees), opacity (0 to 1), mode (\(modes.map(\.0).joined(separator: ", "))), tile (repeated, \
      with a gap in pixels), light=yes (mixed as light).
      """)
  private static let modes = BlendMode.allCases.map { ($0.rawValue, $0) }
  private static let names: Set = [
    "place", "x", "y", "size", "rotate", "opacity", "mode", "tile", "light",
  ]
  private static let pixels = -65_535.0...65_535

  let path: String
  let placement: Placement

  init(_ text: String) throws(UsageError) {
    var parts = text.split(separator: ",", omittingEmptySubsequences: false)
    var placement = Placement()
    // From the end, because the name of the file may have commas.
    while parts.count > 1, let part = parts.last {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, Self.names.contains(String(sides[0])) else { break }
      try Self.set(String(sides[0]), String(sides[1]), in: &placement)
      parts.removeLast()
    }
    path = parts.joined(separator: ",")
    self.placement = placement
  }

  private static func set(
    _ name: String, _ value: String, in placement: inout Placement
  ) throws(UsageError) {
    func number(_ range: ClosedRange<Double>) throws(UsageError) -> Double {
      try StepArguments.number(value, of: Self.name, in: range)
    }
    func choice<Value>(_ choices: [(String, Value)]) throws(UsageError) -> Value {
      if let value = choices.first(where: { $0.0 == value })?.1 { return value }
      throw UsageError(
        "--\(Self.name) \(name)=\(value): it can be \(choices.map(\.0).joined(separator: ", "))")
    }
    switch name {
    case "place": placement.anchor = try AnchorArgument.setting(value, of: Self.name)
    case "x": placement.x = try number(Self.pixels)
    case "y": placement.y = try number(Self.pixels)
    case "size": placement.size = try ResizeArguments.size(value, of: Self.name)
    case "rotate": placement.rotation = try number(-360...360)
    case "opacity": placement.opacity = try number(0...1)
    case "mode": placement.blendMode = try choice(Self.modes)
    case "tile":
      let gap = Int(try StepArguments.number(value, of: Self.name, in: 0...65_535, isWhole: true))
      placement.tileGap = PixelSize(gap, gap)
    default: placement.light = try choice([("yes", ResamplingLight.linear), ("no", .asStored)])
    }
  }

  /// The step, which notes about the file are a part of. The file is read as the command reads its sources.
  func step(
    _ configuration: ImagePipeline.Configuration, allowsTruncation: Bool
  ) async throws(UsageError) -> any ImageProcessing {
    let picture = try await WatermarkArgument.picture(
      path, of: Self.name, configuration, allowsTruncation: allowsTruncation,
      hint: "It takes a file; place=top, x=10, rotate=-12 and others may follow.")
    return NotedStep.of(Overlay.overlay(picture.bitmap, placement), picture.notes, about: path)
  }
}
