import Ozu

/// Opaque pixels that shapes are drawn on, smooth at their edges.
struct Canvas {
  let size: PixelSize
  private var pixels: [Pixel]

  init(_ size: PixelSize, color: Pixel) {
    self.size = size
    pixels = [Pixel](repeating: color, count: size.pixelCount)
  }

  var bitmap: Bitmap { Bitmap(size: size) { x, y in pixels[y * size.width + x] } }

  /// Fills a rectangle, as far as it lies inside, with one colour.
  mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: Pixel) {
    fill(x: x, y: y, width: width, height: height) { _, _ in color }
  }

  /// Fills a rectangle, as far as it lies inside, with a colour for each place.
  mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: (Int, Int) -> Pixel) {
    let rows = max(0, y)..<max(max(0, y), min(size.height, y + height))
    let columns = max(0, x)..<max(max(0, x), min(size.width, x + width))
    for row in rows {
      for column in columns { pixels[row * size.width + column] = color(column, row) }
    }
  }

  /// Draws a straight line with round ends.
  mutating func line(
    from start: SIMD2<Double>, to end: SIMD2<Double>, width: Double, _ color: Pixel
  ) {
    let along = end - start
    let length = max(1e-9, (along * along).sum())
    cover(around: [start, end], by: width / 2, color) { point in
      let share = min(1, max(0, ((point - start) * along).sum() / length))
      let off = point - start - share * along
      return width / 2 - (off * off).sum().squareRoot()
    }
  }

  /// Draws a disc.
  mutating func disc(center: SIMD2<Double>, radius: Double, _ color: Pixel) {
    cover(around: [center], by: radius, color) { point in
      let off = point - center
      return radius - (off * off).sum().squareRoot()
    }
  }

  /// Mixes a colour into the pixels of a shape.
  ///
  /// - Parameter depth: how far a point lies inside of the shape, in pixels; negative outside.
  private mutating func cover(
    around points: [SIMD2<Double>], by margin: Double, _ color: Pixel, _ depth: (SIMD2<Double>) -> Double
  ) {
    func range(_ values: [Double], _ limit: Int) -> Range<Int> {
      let low = max(0, Int((values.min() ?? 0) - margin - 1))
      return low..<max(low, min(limit, Int((values.max() ?? 0) + margin + 2)))
    }
    let columns = range(points.map(\.x), size.width)
    for y in range(points.map(\.y), size.height) {
      for x in columns {
        let share = min(1, max(0, depth([Double(x) + 0.5, Double(y) + 0.5]) + 0.5))
        guard share > 0 else { continue }
        let index = y * size.width + x
        pixels[index] = Self.mixed(pixels[index], color, share)
      }
    }
  }

  /// A colour between two opaque ones.
  static func mixed(_ first: Pixel, _ second: Pixel, _ share: Double) -> Pixel {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(Double(a) + (Double(b) - Double(a)) * share) }
    return Pixel(
      red: mix(first.red, second.red), green: mix(first.green, second.green),
      blue: mix(first.blue, second.blue))
  }
}
