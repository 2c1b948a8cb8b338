/// A colour with opacity, not premultiplied, in sRGB.
public struct ColorValue: Hashable, Sendable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8
  /// Opacity, 0 to 255.
  public var alpha: UInt8

  /// Makes a colour.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Opaque black.
  public static let black = ColorValue(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = ColorValue(red: 255, green: 255, blue: 255)
  /// Wholly transparent.
  public static let clear = ColorValue(red: 0, green: 0, blue: 0, alpha: 0)

  /// `#rrggbbaa`.
  var identifier: String {
    let digits = [red, green, blue, alpha].map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    return "#" + digits.joined()
  }

  /// The pixel of this colour, premultiplied.
  var pixel: Pixel {
    Pixel(
      red: scaled(red, by: alpha), green: scaled(green, by: alpha), blue: scaled(blue, by: alpha),
      alpha: alpha)
  }
}

/// `value × factor ÷ 255`, rounded: exact for all bytes (Blinn, "Three Wrongs Make a Right", 1995).
@inline(__always)
func scaled(_ value: UInt8, by factor: UInt8) -> UInt8 {
  let product = UInt32(value) &* UInt32(factor) &+ 128
  return UInt8(truncatingIfNeeded: (product &+ (product >> 8)) >> 8)
}

extension Pixel {
  /// The part of the pixel that a shape covers: all four values times `coverage ÷ 255`.
  @inline(__always)
  func covered(by coverage: UInt8) -> Pixel {
    Pixel(
      red: scaled(red, by: coverage), green: scaled(green, by: coverage), blue: scaled(blue, by: coverage),
      alpha: scaled(alpha, by: coverage))
  }

  /// This pixel over another one (Porter and Duff 1984), both premultiplied.
  @inline(__always)
  func over(_ below: Pixel) -> Pixel {
    let rest = 255 &- alpha
    return Pixel(
      red: red &+ scaled(below.red, by: rest), green: green &+ scaled(below.green, by: rest),
      blue: blue &+ scaled(below.blue, by: rest), alpha: alpha &+ scaled(below.alpha, by: rest))
  }
}
