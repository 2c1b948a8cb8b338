import Foundation
import Ozu

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

  func watermark(_ configuration: ImagePipeline.Configuration) async throws(UsageError) -> Watermark {
    let bitmap = try await Self.bitmap(
      path, of: "watermark", configuration,
      hint: "It takes a file; a place, an opacity from 0 to 1, a mode and margin=N may follow.")
    return .watermark(
      bitmap, at: place ?? .bottomRight, margin: margin ?? 0, opacity: opacity ?? 1, mode: mode ?? .normal)
  }

  /// Reads a file that a step draws as the command reads its sources: under the same limits, and a drawing in a process of its own.
  static func bitmap(
    _ path: String, of option: String, _ configuration: ImagePipeline.Configuration, hint: String
  ) async throws(UsageError) -> Bitmap {
    do {
      var configuration = configuration
      configuration.caching.diskStorage = .none
      let pipeline = ImagePipeline(configuration)
      return try await pipeline.image(for: ImageRequest(.url(URL(fileURLWithPath: path)))).bitmap
    } catch {
      throw UsageError("--\(option) \(path): \(error.explanation)", hint: hint)
    }
  }
}
