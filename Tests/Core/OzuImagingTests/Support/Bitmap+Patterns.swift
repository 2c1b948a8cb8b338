import OzuImaging
import OzuTesting

extension Bitmap {
  /// A picture of one colour.
  static func flat(_ pixel: Pixel, size: PixelSize, isOpaque: Bool = true) -> Bitmap {
    Bitmap(size: size, isOpaque: isOpaque) { _, _ in pixel }
  }

  /// Independent random pixels: the hardest picture for a filter. Black and white are as frequent as the rest
  /// together, so that filters overshoot.
  static func noise(size: PixelSize, seed: UInt64 = 1, isOpaque: Bool = true) -> Bitmap {
    var random = SeededGenerator(seed: seed)
    return Bitmap(size: size, isOpaque: isOpaque) { _, _ in
      let bits = random.next()
      func component(_ shift: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits >> shift)
        return (bits >> (shift + 32)) & 1 == 0 ? value : (value < 128 ? 0 : 255)
      }
      let alpha = isOpaque ? 255 : component(24)
      func premultiplied(_ value: UInt8) -> UInt8 { UInt8(Int(value) * Int(alpha) / 255) }
      return Pixel(
        red: premultiplied(component(0)), green: premultiplied(component(8)),
        blue: premultiplied(component(16)), alpha: alpha)
    }
  }

  /// The pixels, row by row.
  var pixels: [Pixel] {
    (0..<size.height).flatMap { y in (0..<size.width).map { x in self[x, y] } }
  }

  /// The picture mirrored left to right.
  var mirrored: Bitmap { upright(from: .upMirrored) }
}

extension Pixel {
  /// Blue, green, red, alpha.
  var components: [UInt8] { [blue, green, red, alpha] }

  static let opaqueRed = Pixel(red: 255, green: 0, blue: 0)
  static let transparent = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
}
