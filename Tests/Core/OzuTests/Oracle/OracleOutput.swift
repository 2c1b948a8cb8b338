@testable import Ozu

/// The output formats of the encoded files of a run. Each differs from another one in a single option.
enum OracleOutput: Hashable, Sendable, CaseIterable {
  case png, jpeg
  /// JPEG of less quality.
  case rough
  /// PNG of the first frame.
  case still
  /// PNG with a resolution.
  case dense
  /// PNG with less effort.
  case quick
  /// JPEG for opaque pictures, PNG for others.
  case automatic

  var format: OutputFormat {
    var format = OutputFormat(self == .jpeg || self == .rough ? .jpeg : .png)
    switch self {
    case .png, .jpeg: break
    case .rough: format.options.compressionQuality = 0.3
    case .still: format.keepsAnimation = false
    case .dense: format.resolution = ImageResolution(dotsPerInch: 300)
    case .quick: format.options.effort = .low
    case .automatic: format = .automatic
    }
    return format
  }

  /// The type of a still picture.
  func type(isOpaque: Bool) -> ImageType {
    guard self == .automatic else { return format.types[0] }
    return isOpaque ? .jpeg : .png
  }

  /// Whether a file can state a high dynamic range, of whatever type it is.
  var mayBeBright: Bool { !format.types.contains(.jpeg) }
}
