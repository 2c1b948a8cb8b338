/// Blurs the picture as a Gaussian would.
///
/// Three box filters in a row come within 3 % of the bell curve (Wells 1986; the widths are those of the SVG
/// and CSS filter specifications), and a box filter slides: what it costs does not depend on its radius.
public struct GaussianBlur: ImageProcessing, Hashable {
  /// The standard deviation in pixels.
  public let radius: Double

  /// Makes the step.
  public init(radius: Double) {
    self.radius = radius
  }

  /// The kind of step with all its parameters.
  public var identifier: String { "blur(\(radius))" }

  /// Blurs. Beyond the edge the picture is taken to go on with its border pixels.
  ///
  /// - Throws: `invalidParameters` for a radius that is negative, not finite or over 1,000.
  /// - Complexity: O(pixels), whatever the radius.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard radius.isFinite, radius >= 0, radius <= 1000 else {
      throw .invalidParameters(identifier, reason: "the radius must be from 0 to 1000 pixels")
    }
    var result = bitmap
    for window in BoxWindow.windows(deviation: radius) where window.length > 1 {
      result = window.alongRows(result, pool: context.pool)
      result = window.alongColumns(result, pool: context.pool)
    }
    return result
  }
}

extension ImageProcessing where Self == GaussianBlur {
  /// Blurs the picture; the radius is the standard deviation in pixels.
  public static func gaussianBlur(radius: Double) -> Self { GaussianBlur(radius: radius) }
}
