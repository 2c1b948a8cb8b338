import OzuBase

/// Converts sRGB to linear light and back (IEC 61966-2-1).
enum LinearLight {
  static let table: [Float] = (0..<256).map { value in
    let v = Float(value) / 255
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
  }

  static func decoded(_ value: Int) -> Float { table[value] }

  /// The nearest value, 0 to 255.
  static func encoded(_ light: Float) -> Int {
    let v = max(0, min(1, light))
    let value = v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055
    return Int(value * 255 + 0.5)
  }
}

/// The cosines of one frequency at each position of an axis.
enum Cosines {
  /// - Parameter offset: 0 for positions at the edges of pixels, 0.5 for their centres.
  static func values(_ frequency: Int, count: Int, offset: Float) -> [Float] {
    (0..<count).map { cos(Float.pi / Float(count) * Float(frequency) * (Float($0) + offset)) }
  }
}

extension Bitmap {
  /// The picture, reduced so that no side is longer than `side` pixels.
  func reduced(toSide side: Int) -> Bitmap {
    guard max(size.width, size.height) > side else { return self }
    return Picture(self).resized(Resize(PixelSize(side, side))).bitmap
  }

  /// Calls a closure with each pixel of a row, premultiplied.
  func forEachPixel(inRow y: Int, _ body: (Int, Pixel) -> Void) {
    withUnsafeBytes { bytes in
      let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...])
      for x in 0..<size.width { body(x, row.pixel(x, format)) }
    }
  }
}
