/// One pixel of a bitmap, premultiplied.
public struct Pixel: Hashable, Sendable {
  /// Blue, times alpha.
  public var blue: UInt8
  /// Green, times alpha.
  public var green: UInt8
  /// Red, times alpha.
  public var red: UInt8
  /// Opacity.
  public var alpha: UInt8

  /// Makes a pixel from premultiplied values.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Transparent black.
  public static let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
  /// Opaque black.
  public static let black = Pixel(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = Pixel(red: 255, green: 255, blue: 255)
}

extension Pixel {
  /// The part of the pixel that a shape covers: all four values times `coverage ÷ 255`.
  @inlinable
  @inline(__always)
  package func covered(by coverage: UInt8) -> Pixel {
    Pixel(
      red: scaled(red, by: coverage), green: scaled(green, by: coverage), blue: scaled(blue, by: coverage),
      alpha: scaled(alpha, by: coverage))
  }

  /// This pixel over another one (Porter and Duff 1984), both premultiplied.
  @inlinable
  @inline(__always)
  package func over(_ below: Pixel) -> Pixel {
    let rest = 255 &- alpha
    return Pixel(
      red: red &+ scaled(below.red, by: rest), green: green &+ scaled(below.green, by: rest),
      blue: blue &+ scaled(below.blue, by: rest), alpha: alpha &+ scaled(below.alpha, by: rest))
  }

  /// The pixel with no colour above its alpha: the sum of two rounded values can be one too large.
  @inline(__always)
  var clampedToAlpha: Pixel {
    Pixel(red: min(red, alpha), green: min(green, alpha), blue: min(blue, alpha), alpha: alpha)
  }
}

/// `value × factor ÷ 255`, rounded: exact for all bytes (Blinn, "Three Wrongs Make a Right", 1995).
@inlinable
@inline(__always)
func scaled(_ value: UInt8, by factor: UInt8) -> UInt8 {
  let product = UInt32(value) &* UInt32(factor) &+ 128
  return UInt8(truncatingIfNeeded: (product &+ (product >> 8)) >> 8)
}

extension SIMD8<UInt8> {
  /// Two pixels side by side. Both types consist of their bytes only, in the same order.
  @inline(__always)
  init(_ first: Pixel, _ second: Pixel) {
    self.init(
      lowHalf: unsafeBitCast(first, to: SIMD4<UInt8>.self),
      highHalf: unsafeBitCast(second, to: SIMD4<UInt8>.self))
  }

  @inline(__always)
  var pixels: (Pixel, Pixel) {
    (unsafeBitCast(lowHalf, to: Pixel.self), unsafeBitCast(highHalf, to: Pixel.self))
  }
}
