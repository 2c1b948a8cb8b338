/// Blends one colour over the picture, except where it is transparent; or, as a template, replaces all its colours.
public struct Tint: ImageProcessing, Hashable {
  /// How the colour is used.
  public enum Style: String, Hashable, Sendable {
    /// Blended over the picture, with the colour's opacity.
    case overlay
    /// Instead of the picture's colours; only its opacity is kept. For icons.
    case template
  }

  /// The colour.
  public let color: ColorValue
  /// How it is used.
  public let style: Style

  /// Makes the processor.
  public init(_ color: ColorValue, style: Style = .overlay) {
    self.color = color
    self.style = style
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "tint(\(color.identifier),\(style.rawValue))" }

  /// Tints the picture.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let ink = color.pixel
    switch style {
    case .overlay:
      return bitmap.mapped(isOpaque: bitmap.isOpaque, pool: context.pool) { pixel, _, _ in
        // The colour is used only where the picture is: source atop destination.
        let above = ink.covered(by: pixel.alpha)
        let rest = 255 &- ink.alpha
        return Pixel(
          red: above.red &+ scaled(pixel.red, by: rest), green: above.green &+ scaled(pixel.green, by: rest),
          blue: above.blue &+ scaled(pixel.blue, by: rest), alpha: pixel.alpha
        ).clampedToAlpha
      }
    case .template:
      let isOpaque = bitmap.isOpaque && color.alpha == 255
      return bitmap.mapped(isOpaque: isOpaque, pool: context.pool) { pixel, _, _ in
        ink.covered(by: pixel.alpha)
      }
    }
  }
}

extension ImageProcessing where Self == Tint {
  /// Blends one colour over the picture.
  public static func tint(_ color: ColorValue, style: Tint.Style = .overlay) -> Self {
    Tint(color, style: style)
  }
}
