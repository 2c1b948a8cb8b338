/// Blurs the picture with an approximated Gaussian.
///
/// Three box filters one after the other are within 3 % of a Gaussian (Wells 1986; the widths are those of the SVG
/// and CSS filter specifications). A box filter slides along the row, so its cost does not depend on its radius.
public struct GaussianBlur: ImageProcessing, Hashable {
  /// The standard deviation in pixels.
  public let radius: Double

  /// Makes the processor.
  public init(radius: Double) {
    self.radius = radius
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "blur(\(radius))" }

  /// Blurs the picture. Outside the picture, its border pixels are repeated.
  ///
  /// - Throws: `invalidParameters` for a radius that is negative, not finite or over 1,000.
  /// - Complexity: O(pixels), independent of the radius.
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
