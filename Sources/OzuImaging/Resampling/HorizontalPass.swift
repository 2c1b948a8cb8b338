/// Filters along rows.
///
/// This file and `VerticalPass.swift` are the inner loops of the resampler and use unsafe pointers. Why every
/// index is in bounds: a source row has `table.pairs.count` words; `FilterTable` guarantees that each window
/// `starts[x] ..< starts[x] + pairsPerSample` lies in `0 ..< pairs.count`, and that there are
/// `pairsPerSample` weights for each of the `starts.count` samples. Result rows have `starts.count` places.
struct HorizontalPass {
  let table: FilterTable

  /// Filters two rows, one below the other, into words for the vertical pass.
  ///
  /// Two at once, because the weights are then loaded once for both.
  ///
  /// - Parameters:
  ///   - upper: words of neighbouring pixels, `table.pairs.count` of them.
  ///   - lower: as `upper`; it may be the same row.
  ///   - result: `table.starts.count` words of pixels above each other.
  func filter(
    _ upper: UnsafePointer<PixelWord>, _ lower: UnsafePointer<PixelWord>,
    to result: UnsafeMutablePointer<PixelWord>
  ) {
    let count = table.pairsPerSample
    table.starts.withUnsafeBufferPointer { starts in
      table.weights.withUnsafeBufferPointer { weights in
        for x in 0..<starts.count {
          let start = starts[x]
          let first = x &* count
          var upperSum = PixelWord.roundingToWord
          var lowerSum = PixelWord.roundingToWord
          for pair in 0..<count {
            let weight = weights[first &+ pair]
            upperSum = upper[start &+ pair].multiplied(by: weight, addedTo: upperSum)
            lowerSum = lower[start &+ pair].multiplied(by: weight, addedTo: lowerSum)
          }
          result[x] = PixelWord(PixelWord.component(upperSum), PixelWord.component(lowerSum))
        }
      }
    }
  }

  /// Filters one row into pixels.
  ///
  /// - Parameters:
  ///   - row: words of neighbouring pixels, `table.pairs.count` of them.
  ///   - result: `table.starts.count` pixels of four bytes.
  ///   - opacity: `0xFF00_0000` for opaque pictures, otherwise 0.
  func filter(
    _ row: UnsafePointer<PixelWord>, to result: UnsafeMutablePointer<UInt32>, opacity: UInt32
  ) {
    let count = table.pairsPerSample
    table.starts.withUnsafeBufferPointer { starts in
      table.weights.withUnsafeBufferPointer { weights in
        for x in 0..<starts.count {
          let start = starts[x]
          let first = x &* count
          var sum = PixelWord.roundingToByte
          for pair in 0..<count {
            sum = row[start &+ pair].multiplied(by: weights[first &+ pair], addedTo: sum)
          }
          result[x] = PixelWord.bytes(sum, opacity: opacity)
        }
      }
    }
  }
}
