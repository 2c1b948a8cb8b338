#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Makes the bytes of a ThumbHash.
struct ThumbHashEncoder {
  private(set) var bytes: [UInt8] = []

  /// A channel as its mean and its frequencies, which are divided by the largest to lie in 0...1.
  private struct Transform {
    var mean = 0.0
    var frequencies: [Double] = []
    var scale = 0.0
  }

  /// - Precondition: no side is longer than 100 pixels.
  init(_ bitmap: Bitmap) {
    let size = bitmap.size
    let (channels, hasAlpha) = Self.channels(bitmap)
    let longSide = max(size.width, size.height)
    let limit = Double(hasAlpha ? 5 : 7)
    func share(_ side: Int) -> Int { max(1, Int((limit * Double(side) / Double(longSide)).rounded())) }
    let width = share(size.width)
    let height = share(size.height)
    let l = Self.transform(channels[0], size, max(3, width), max(3, height))
    let p = Self.transform(channels[1], size, 3, 3)
    let q = Self.transform(channels[2], size, 3, 3)
    let a = hasAlpha ? Self.transform(channels[3], size, 5, 5) : nil

    func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
    let isLandscape = size.width > size.height
    let colors =
      rounded(63 * l.mean) | rounded(31.5 + 31.5 * p.mean) << 6 | rounded(31.5 + 31.5 * q.mean) << 12
    let head = colors | rounded(31 * l.scale) << 18 | (hasAlpha ? 1 << 23 : 0)
    let scales = rounded(63 * p.scale) << 3 | rounded(63 * q.scale) << 9
    let tail = (isLandscape ? height : width) | scales | (isLandscape ? 1 << 15 : 0)
    bytes = [head, head >> 8, head >> 16, tail, tail >> 8].map { UInt8(truncatingIfNeeded: $0) }
    if let a { bytes.append(UInt8(rounded(15 * a.mean) | rounded(15 * a.scale) << 4)) }
    var isOdd = false
    for frequency in l.frequencies + p.frequencies + q.frequencies + (a?.frequencies ?? []) {
      let half = UInt8(rounded(15 * frequency))
      if isOdd { bytes[bytes.count - 1] |= half << 4 } else { bytes.append(half) }
      isOdd.toggle()
    }
  }

  /// L, P, Q and alpha of each pixel; transparent pixels are blended over the average colour.
  private static func channels(_ bitmap: Bitmap) -> (channels: [[Double]], hasAlpha: Bool) {
    var pixels: [SIMD4<Double>] = []
    for y in 0..<bitmap.size.height {
      bitmap.forEachPixel(inRow: y) { _, pixel in
        pixels.append(
          SIMD4(Double(pixel.red), Double(pixel.green), Double(pixel.blue), Double(pixel.alpha)) / 255)
      }
    }
    // The pixels are premultiplied, so the sums are weighted by alpha.
    let sum = pixels.reduce(SIMD4()) { $0 + $1 }
    let average = sum.w > 0 ? sum / sum.w : SIMD4()
    let filled = pixels.map { $0 + average * (1 - $0.w) }
    let channels = [
      filled.map { ($0.x + $0.y + $0.z) / 3 }, filled.map { ($0.x + $0.y) / 2 - $0.z },
      filled.map { $0.x - $0.y }, pixels.map(\.w),
    ]
    return (channels, pixels.contains { $0.w < 1 })
  }

  private static func transform(
    _ channel: [Double], _ size: PixelSize, _ width: Int, _ height: Int
  ) -> Transform {
    func factor(_ horizontal: Int, _ vertical: Int) -> Double {
      let step = Double.pi / Double(size.width) * Double(horizontal)
      let columns = (0..<size.width).map { (x: Int) -> Double in cos(step * (Double(x) + 0.5)) }
      var sum = 0.0
      for y in 0..<size.height {
        let row = cos(.pi / Double(size.height) * Double(vertical) * (Double(y) + 0.5))
        for x in 0..<size.width { sum += channel[y * size.width + x] * columns[x] * row }
      }
      return sum / Double(size.pixelCount)
    }
    var result = Transform(mean: factor(0, 0))
    let factors = ThumbHashLayout.waves(width, height).map { factor($0.horizontal, $0.vertical) }
    result.scale = factors.reduce(0) { max($0, abs($1)) }
    result.frequencies = factors.map { result.scale > 0 ? 0.5 + 0.5 / result.scale * $0 : $0 }
    return result
  }
}
