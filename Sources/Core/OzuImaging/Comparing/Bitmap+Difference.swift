import OzuBase

extension Bitmap {
  /// The peak signal-to-noise ratio of this copy, in decibels: the error of red, green and blue, in 8 bits and over
  /// black where they are transparent. Infinite for equal pictures; it says little about how they look.
  ///
  /// - Complexity: O(pixels).
  public func peakSignalToNoiseRatio(comparedWith original: Bitmap) throws(ImageComparisonError) -> Double {
    try ImageComparisonError.check(self, original)
    var sum: UInt64 = 0
    Self.forEachPair(BGRABitmap(self), BGRABitmap(original)) { a, b in
      func square(_ a: UInt8, _ b: UInt8) -> UInt64 {
        let difference = UInt64(max(a, b) - min(a, b))
        return difference * difference
      }
      // Less than 2^18 for a pixel.
      sum += square(a.red, b.red) + square(a.green, b.green) + square(a.blue, b.blue)
    }
    guard sum > 0 else { return .infinity }
    return 10 * log10(255 * 255 * 3 * Double(size.pixelCount) / Double(sum))
  }

  /// A picture of the differences from an original: black where they are equal. Differences in red, green and blue are
  /// multiplied to be visible.
  ///
  /// - Complexity: O(pixels).
  public func difference(
    from original: Bitmap, amplifiedBy factor: UInt8 = 8
  ) throws(ImageComparisonError) -> Bitmap {
    try ImageComparisonError.check(self, original)
    let (copy, original) = (BGRABitmap(self), BGRABitmap(original))
    return BGRABitmap(size: size, isOpaque: true) { y, row in
      copy.withRow(y) { copy in
        original.withRow(y) { original in
          for x in row.indices {
            func amplified(_ channel: KeyPath<Pixel, UInt8>) -> UInt8 {
              let (a, b) = (copy[x][keyPath: channel], original[x][keyPath: channel])
              return UInt8(clamping: Int(max(a, b) - min(a, b)) * Int(factor))
            }
            row[x] = Pixel(red: amplified(\.red), green: amplified(\.green), blue: amplified(\.blue))
          }
        }
      }
    }.bitmap
  }

  private static func forEachPair(_ a: BGRABitmap, _ b: BGRABitmap, _ body: (Pixel, Pixel) -> Void) {
    for y in 0..<a.size.height {
      a.withRow(y) { left in
        b.withRow(y) { right in
          for x in 0..<left.count { body(left[x], right[x]) }
        }
      }
    }
  }
}
