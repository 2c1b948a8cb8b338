import OzuBase

/// Changes brightness, contrast and saturation.
public struct ColorAdjustment: ImageProcessing, Hashable {
  /// Added to each channel, as a fraction of full scale: -1 is black, 1 is white, 0 changes nothing.
  public let brightness: Double
  /// The factor for the distance of values from the middle: 0 is flat grey, 1 changes nothing.
  public let contrast: Double
  /// The factor for the distance of channels from the luma: 0 is grey, 1 changes nothing.
  public let saturation: Double

  /// Makes the processor.
  public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1) {
    self.brightness = brightness
    self.contrast = contrast
    self.saturation = saturation
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "color(\(brightness),\(contrast),\(saturation))" }

  /// Adjusts the colours. It works on premultiplied values with the offset scaled by alpha, which gives the same
  /// result as straight values, except for rounding.
  ///
  /// - Throws: `invalidParameters` for a brightness outside -1...1, or another parameter outside 0...10.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard (-1...1).contains(brightness), (0...10).contains(contrast), (0...10).contains(saturation) else {
      throw .invalidParameters(identifier, reason: "brightness is from -1 to 1, the others from 0 to 10")
    }
    let one = 4096.0
    let color = Int32((contrast * saturation * one).rounded())
    let luma = Int64((contrast * (1 - saturation) * one).rounded())
    let offset = Int32(((brightness + (1 - contrast) / 2) * one).rounded())
    return bitmap.mapped(isOpaque: bitmap.isOpaque, pool: context.pool) { pixel, _, _ in
      let alpha = Int32(pixel.alpha)
      // With 16 more bits (ITU-R BT.709): a whole number would be multiplied, and its rounding with it, by up to 90.
      let light = 13_933 &* Int64(pixel.red) &+ 46_871 &* Int64(pixel.green) &+ 4_732 &* Int64(pixel.blue)
      let base = Int32(truncatingIfNeeded: (light &* luma) >> 16) &+ offset &* alpha &+ 2048
      @inline(__always) func part(_ value: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((Int32(value) &* color &+ base) >> 12, 0), alpha))
      }
      return Pixel(red: part(pixel.red), green: part(pixel.green), blue: part(pixel.blue), alpha: pixel.alpha)
    }
  }
}

extension ImageProcessing where Self == ColorAdjustment {
  /// Changes brightness, contrast and saturation.
  public static func color(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1) -> Self {
    ColorAdjustment(brightness: brightness, contrast: contrast, saturation: saturation)
  }

  /// Converts to shades of grey.
  public static var grayscale: Self { ColorAdjustment(saturation: 0) }
}
