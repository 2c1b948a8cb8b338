import OzuBase

/// A colour with opacity, not premultiplied, in sRGB. On a picture whose colours are kept (`ColorPolicy`), it counts as one of the
/// picture's.
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
  var identifier: String { "#" + [red, green, blue, alpha].hexadecimal }

  /// The pixel of this colour, premultiplied.
  package var pixel: Pixel {
    Pixel(
      red: scaled(red, by: alpha), green: scaled(green, by: alpha), blue: scaled(blue, by: alpha),
      alpha: alpha)
  }
}

extension ColorValue: LosslessStringConvertible {
  /// `#rrggbbaa`.
  public var description: String { identifier }

  /// Reads `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`; `nil` for any other text.
  public init?(_ description: String) {
    guard description.first == "#" else { return nil }
    let text = description.dropFirst()
    let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue.map { UInt8(truncatingIfNeeded: $0) } : nil }
    guard digits.count == text.count else { return nil }
    let bytes: [UInt8]
    switch digits.count {
    case 3, 4: bytes = digits.map { $0 * 17 }
    case 6, 8: bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    default: return nil
    }
    self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count > 3 ? bytes[3] : 255)
  }
}

extension ColorValue: Codable {
  /// Reads a text such as `#ff8800`.
  ///
  /// - Throws: `DecodingError` for any other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let color = ColorValue(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text.prefix(40)) is not a colour such as #ff8800 or #ff880080")
    }
    self = color
  }

  /// Writes `#rrggbb`, or `#rrggbbaa` for a colour that is not opaque.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(alpha == 255 ? String(identifier.prefix(7)) : identifier)
  }
}
