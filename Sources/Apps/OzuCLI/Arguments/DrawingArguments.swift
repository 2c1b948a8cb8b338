import Foundation
import Ozu
import OzuBase

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
      let value = SettingValue(part, of: "--\(Self.name)")
      guard part.contains("="), Self.names.contains(value.name) else { break }
      try Self.set(value, in: &placement)
      parts.removeLast()
    }
    path = parts.joined(separator: ",")
    self.placement = placement
  }

  private static func set(_ value: SettingValue, in placement: inout Placement) throws(UsageError) {
    switch value.name {
    case "place": placement.anchor = try value.choice(AnchorArgument.names)
    case "x": placement.x = try value.number(Self.pixels)
    case "y": placement.y = try value.number(Self.pixels)
    case "size": placement.size = try ResizeArguments.size(value.text, of: Self.name)
    case "rotate": placement.rotation = try value.number(-360...360)
    case "opacity": placement.opacity = try value.number(0...1)
    case "mode": placement.blendMode = try value.choice(Self.modes)
    case "tile":
      let gap = try value.integer(0...65_535)
      placement.tileGap = PixelSize(gap, gap)
    default: placement.light = try value.flag() ? .linear : .asStored
    }
  }

  /// The step, which notes about the file are a part of. The file is read as the command reads its sources.
  func step(
    _ configuration: ImagePipeline.Configuration, allowsTruncation: Bool
  ) async throws(UsageError) -> any ImageProcessing {
    let picture = try await WatermarkArgument.picture(
      path, of: Self.name, configuration, allowsTruncation: allowsTruncation, drawnAt: placement.size,
      hint: "It takes a file; place=top, x=10, rotate=-12 and others may follow.")
    return NotedStep.of(Overlay.overlay(picture.bitmap, placement), picture.notes, about: path)
  }
}

/// The value of `--watermark`: a file, followed by settings in any order.
struct WatermarkArgument {
  static let modes: [(String, Watermark.BlendMode)] = [
    ("normal", .normal), ("multiply", .multiply), ("screen", .screen),
  ]

  let path: String
  private var place: ImageAnchor?
  private var opacity: Double?
  private var mode: Watermark.BlendMode?
  private var margin: Int?

  init(_ text: String) throws(UsageError) {
    var parts = text.split(separator: ",", omittingEmptySubsequences: false)
    // From the end, because the name of the file may have commas.
    while parts.count > 1, let part = parts.last {
      if place == nil, let anchor = AnchorArgument.anchor(part) {
        place = anchor
      } else if mode == nil, let named = Self.modes.first(where: { $0.0 == part })?.1 {
        mode = named
      } else if margin == nil, part.hasPrefix("margin=") {
        margin = Int(
          try StepArguments.number(part.dropFirst(7), of: "watermark", in: 0...65_535, isWhole: true))
      } else if opacity == nil, Double(part) != nil {
        opacity = try StepArguments.number(part, of: "watermark", in: 0...1)
      } else {
        break
      }
      parts.removeLast()
    }
    path = parts.joined(separator: ",")
  }

  /// The step, which notes about the file are a part of.
  ///
  /// - Parameter allowsTruncation: whether a file that is cut off is drawn as far as it goes.
  func step(
    _ configuration: ImagePipeline.Configuration, allowsTruncation: Bool
  ) async throws(UsageError) -> any ImageProcessing {
    let picture = try await Self.picture(
      path, of: "watermark", configuration, allowsTruncation: allowsTruncation,
      hint: "It takes a file; a place, an opacity from 0 to 1, a mode and margin=N may follow.")
    return NotedStep.of(
      Watermark.watermark(
        picture.bitmap, at: place ?? .bottomRight, margin: margin ?? 0, opacity: opacity ?? 1,
        mode: mode ?? .normal),
      picture.notes, about: path)
  }

  /// Reads a file that a step draws as the command reads its sources: under the same limits, and a drawing in a process of its own.
  ///
  /// - Parameter size: the size of a drawing, which is sharp at any; `nil` (the default) for its own.
  static func picture(
    _ path: String, of option: String, _ configuration: ImagePipeline.Configuration, allowsTruncation: Bool,
    drawnAt size: PixelSize? = nil, hint: String
  ) async throws(UsageError) -> Picture {
    do {
      var configuration = configuration
      configuration.caching.diskStorage = .none
      // With --untrusted too: no stranger has named this file.
      configuration.readsLocalAddresses = true
      let pipeline = ImagePipeline(configuration)
      var request = ImageRequest(.url(URL(fileURLWithPath: path)))
      request.allowsTruncation = allowsTruncation
      let picture = try await pipeline.image(for: request)
      guard let size, picture.header?.isDrawing == true else { return picture }
      request.resize = Resize(size, mode: .fill, allowsUpscaling: true)
      return try await pipeline.image(for: request)
    } catch {
      throw UsageError("--\(option) \(PrintableText.name(path)): \(error.reason)", hint: hint)
    }
  }
}

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

/// A step with notes about what it draws, which each picture gets.
struct NotedStep: ImageProcessing {
  private let step: any ImageProcessing
  private let notes: [String]

  /// The step itself where there are no notes.
  ///
  /// - Parameter path: the file that the notes are about.
  static func of(
    _ step: any ImageProcessing, _ notes: [String], about path: String? = nil
  ) -> any ImageProcessing {
    guard !notes.isEmpty else { return step }
    let name = path.map { PrintableText.name($0) + ": " } ?? ""
    return NotedStep(step: step, notes: notes.map { name + $0 })
  }

  var identifier: String { step.identifier }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    notes.forEach(context.note)
    return try step.process(bitmap, context: context)
  }
}
