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

extension Bitmap {
  /// Makes a bitmap from a function of the position. For tests, placeholders and patterns.
  ///
  /// - Complexity: O(pixels), one call each.
  public init(size: PixelSize, isOpaque: Bool = true, pixel: (_ x: Int, _ y: Int) -> Pixel) {
    self.init(size: size, isOpaque: isOpaque) { bytes, bytesPerRow in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let value = pixel(x, y)
          let offset = y * bytesPerRow + x * 4
          bytes[offset] = value.blue
          bytes[offset + 1] = value.green
          bytes[offset + 2] = value.red
          bytes[offset + 3] = value.alpha
        }
      }
    }
  }

  /// The pixel at a position, converted to 8 bits if the format has more.
  ///
  /// - Precondition: the position lies inside.
  public subscript(x: Int, y: Int) -> Pixel {
    precondition(x >= 0 && x < size.width && y >= 0 && y < size.height, "position outside the bitmap")
    return withUnsafeBytes { bytes in
      UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...]).pixel(x, format)
    }
  }
}

extension Bitmap: Equatable {
  /// Whether size, format and all pixels are equal; padding is ignored.
  public static func == (a: Bitmap, b: Bitmap) -> Bool {
    guard a.size == b.size, a.format == b.format else { return false }
    let rowByteCount = a.size.width * a.format.bytesPerPixel
    return a.withUnsafeBytes { left in
      b.withUnsafeBytes { right in
        (0..<a.size.height).allSatisfy { y in
          left[y * a.bytesPerRow..<y * a.bytesPerRow + rowByteCount]
            .elementsEqual(right[y * b.bytesPerRow..<y * b.bytesPerRow + rowByteCount])
        }
      }
    }
  }
}
