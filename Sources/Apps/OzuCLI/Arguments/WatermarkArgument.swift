import Foundation
import Ozu
import OzuBase

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
  static func picture(
    _ path: String, of option: String, _ configuration: ImagePipeline.Configuration, allowsTruncation: Bool,
    hint: String
  ) async throws(UsageError) -> Picture {
    do {
      var configuration = configuration
      configuration.caching.diskStorage = .none
      let pipeline = ImagePipeline(configuration)
      var request = ImageRequest(.url(URL(fileURLWithPath: path)))
      request.allowsTruncation = allowsTruncation
      return try await pipeline.image(for: request)
    } catch {
      throw UsageError("--\(option) \(PrintableText.name(path)): \(error.reason)", hint: hint)
    }
  }
}
