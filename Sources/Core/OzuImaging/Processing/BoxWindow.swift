/// The pixels whose mean is taken: some before the pixel and some after it.
struct BoxWindow {
  let before: Int
  let after: Int

  var length: Int { before + after + 1 }

  /// Three windows that together approximate a Gaussian. An even length cannot be centred: two of the windows are
  /// shifted to opposite sides, and the third is one pixel longer.
  static func windows(deviation: Double) -> [BoxWindow] {
    let length = Int(deviation * 1.879_971_205_597_325_2 + 0.5)  // 3 × √(2π) ÷ 4
    let half = length / 2
    if length % 2 == 1 { return Array(repeating: BoxWindow(before: half, after: half), count: 3) }
    guard half > 0 else { return [] }
    return [
      BoxWindow(before: half, after: half - 1), BoxWindow(before: half - 1, after: half),
      BoxWindow(before: half, after: half),
    ]
  }

  /// Takes the means along rows. Outside the picture, its border pixels are repeated.
  func alongRows(_ bitmap: BGRABitmap, pool: PixelBufferPool) -> BGRABitmap {
    length <= UInt16.longestBox
      ? alongRows(bitmap, as: UInt16.self, pool) : alongRows(bitmap, as: UInt32.self, pool)
  }

  /// Takes the means along columns.
  func alongColumns(_ bitmap: BGRABitmap, pool: PixelBufferPool) -> BGRABitmap {
    length <= UInt16.longestBox
      ? alongColumns(bitmap, as: UInt16.self, pool) : alongColumns(bitmap, as: UInt32.self, pool)
  }

  /// Handles two rows side by side, which fill a register. Their border pixels are repeated as far as the window
  /// extends outside.
  private func alongRows<Sum: BoxSum>(
    _ bitmap: BGRABitmap, as: Sum.Type, _ pool: PixelBufferPool
  ) -> BGRABitmap {
    let mean = BoxMean<Sum>(length)
    let size = bitmap.size
    let last = size.width - 1
    var line = [SIMD8<UInt8>](repeating: .zero, count: size.width + length)
    let result = bitmap.withPixels { pixels, rows in
      Bitmap(size: size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool) {
        bytes, bytesPerRow in
        line.withUnsafeMutableBufferPointer { line in
          for y in stride(from: 0, to: size.height, by: 2) {
            let below = min(y + 1, size.height - 1)
            let upper = pixels.extracting(rows[y])
            let lower = pixels.extracting(rows[below])
            let inside = min(before, line.count)..<min(before + size.width, line.count)
            for index in 0..<inside.lowerBound { line[index] = SIMD8(upper[0], lower[0]) }
            // From 0 to `size.width`, which is the count of both rows.
            for index in inside {
              line[index] = SIMD8(upper[unchecked: index &- before], lower[unchecked: index &- before])
            }
            for index in inside.upperBound..<line.count { line[index] = SIMD8(upper[last], lower[last]) }
            // Rows of `size.width` pixels, as every `BGRABitmap` has. The upper row is written last, because both
            // may be the same.
            mean.slide(
              line.baseAddress!, length: length, count: size.width,
              to: bytes.baseAddress! + y * bytesPerRow, bytes.baseAddress! + below * bytesPerRow)
          }
        }
      }
    }
    return BGRABitmap(result, pool: pool)
  }

  /// Handles all columns side by side, with one sum for each that moves down row by row, so that memory is read in
  /// order.
  private func alongColumns<Sum: BoxSum>(
    _ bitmap: BGRABitmap, as: Sum.Type, _ pool: PixelBufferPool
  ) -> BGRABitmap {
    let mean = BoxMean<Sum>(length)
    let last = bitmap.size.height - 1
    // Rows have whole groups of four pixels, so pairs may extend beyond the last pixel.
    let pairCount = (bitmap.size.width + 1) / 2
    var sums = [SIMD8<Sum>](repeating: .zero, count: pairCount)
    let sourceBytesPerRow = bitmap.bitmap.bytesPerRow
    let result = bitmap.bitmap.withUnsafeBytes { source in
      func row(_ y: Int) -> UnsafeRawPointer {
        source.baseAddress! + min(max(y, 0), last) * sourceBytesPerRow
      }
      return Bitmap(
        size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool
      ) { target, bytesPerRow in
        sums.withUnsafeMutableBufferPointer { sums in
          let sums = sums.baseAddress!
          for y in -before...after { BoxMean<Sum>.add(row(y), to: sums, count: pairCount) }
          for y in 0...last {
            mean.step(
              sums, entering: row(y + after + 1), leaving: row(y - before), count: pairCount,
              to: target.baseAddress! + y * bytesPerRow)
          }
        }
      }
    }
    return BGRABitmap(result, pool: pool)
  }
}
