import Foundation
import Ozu

/// The result that thumbnails are measured against: the whole picture decoded, filtered by Lanczos3 in double
/// precision on the stored values, clamped, not rounded.
///
/// Written here a second time, plainly, so that it shares no mistake with the resampler it judges.
struct LanczosReference {
  let size: PixelSize
  /// Red, green, blue of each pixel, 0...255.
  let values: [Float]

  /// Filters a bitmap to a size.
  init(_ bitmap: Bitmap, size: PixelSize) {
    self.size = size
    let columns = Self.windows(from: bitmap.size.width, to: size.width)
    let rows = Self.windows(from: bitmap.size.height, to: size.height)
    let width = size.width
    var across = [Float](repeating: 0, count: bitmap.size.height * width * 3)
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.size.height {
        for (x, window) in columns.enumerated() {
          var sum = SIMD4<Float>.zero
          for (offset, weight) in window.weights.enumerated() {
            let place = y * bitmap.bytesPerRow + (window.first + offset) * 4
            sum += SIMD4(Float(bytes[place + 2]), Float(bytes[place + 1]), Float(bytes[place]), 0) * weight
          }
          for channel in 0..<3 { across[(y * width + x) * 3 + channel] = sum[channel] }
        }
      }
    }
    var result = [Float](repeating: 0, count: size.height * width * 3)
    for (y, window) in rows.enumerated() {
      for (offset, weight) in window.weights.enumerated() {
        let source = (window.first + offset) * width * 3
        for index in 0..<width * 3 { result[y * width * 3 + index] += across[source + index] * weight }
      }
    }
    values = result.map { min(max($0, 0), 255) }
  }

  /// The picture rounded to bytes, red first.
  var bytes: Data { Data(values.map { UInt8($0.rounded()) }) }

  /// The peak signal-to-noise ratio of a picture against this, in decibels over all three colours.
  func signalToNoise(of bytes: Data) -> Double {
    guard bytes.count == values.count else { return .nan }
    let squares = zip(bytes, values).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }
    return 10 * log10(255 * 255 * Double(values.count) / max(squares, 1e-9))
  }

  /// The colours of a bitmap, red first, as peers write them.
  static func bytes(of bitmap: Bitmap) -> Data {
    bitmap.withUnsafeBytes { pixels in
      var result = Data(capacity: bitmap.size.pixelCount * 3)
      for y in 0..<bitmap.size.height {
        for x in 0..<bitmap.size.width {
          let place = y * bitmap.bytesPerRow + x * 4
          result.append(contentsOf: [pixels[place + 2], pixels[place + 1], pixels[place]])
        }
      }
      return result
    }
  }

  private struct Window {
    var first: Int
    var weights: [Float]
  }

  private static func windows(from source: Int, to target: Int) -> [Window] {
    let ratio = Double(source) / Double(target)
    let scale = max(ratio, 1)
    return (0..<target).map { index in
      let center = (Double(index) + 0.5) * ratio
      let first = max(0, Int((center - 3 * scale).rounded(.down)))
      let last = min(source - 1, Int((center + 3 * scale).rounded(.up)))
      let weights = (first...last).map { lanczos((Double($0) + 0.5 - center) / scale) }
      let sum = weights.reduce(0, +)
      return Window(first: first, weights: weights.map { Float($0 / sum) })
    }
  }

  private static func lanczos(_ x: Double) -> Double {
    guard abs(x) > 1e-9 else { return 1 }
    guard abs(x) < 3 else { return 0 }
    return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }
}
