import OzuBase
import OzuHTTP
import OzuImaging

/// Compares a decoded picture with the forms in which a corpus records the right one.
struct PictureComparison {
  /// Upright, premultiplied.
  let bitmap: Bitmap
  /// Upright, with straight colours.
  let straight: Bitmap

  /// The digest of the rows as straight RGBA, with zeros for wholly transparent pixels.
  var rgba8SHA256: String {
    SHA256.hexDigest(of: rgba(of: straight))
  }

  /// Whether both forms show the same picture: colours times alpha over 255, rounded, with a tolerance.
  func isRightlyMultiplied(tolerance: Int) -> Bool {
    let stored = rgba(of: straight)
    let shown = rgba(of: bitmap)
    return stride(from: 0, to: stored.count, by: 4).allSatisfy { i in
      let alpha = Int(stored[i + 3])
      return stored[i + 3] == shown[i + 3]
        && (0..<3).allSatisfy {
          abs((Int(stored[i + $0]) * alpha + 127) / 255 - Int(shown[i + $0])) <= tolerance
        }
    }
  }

  /// The largest difference of the cells' means from the recorded ones, which have four bytes each in hexadecimal
  /// digits.
  func gridDifference(from grid: String, columns: Int, rows: Int) -> Int? {
    let digits = Array(grid.utf8)
    guard digits.count == columns * rows * 8 else { return nil }
    let pixels = rgba(of: bitmap)
    var largest = 0
    for row in 0..<rows {
      for column in 0..<columns {
        let mean = cellMean(pixels, row: row, column: column, rows: rows, columns: columns)
        for channel in 0..<4 {
          let at = ((row * columns + column) * 4 + channel) * 2
          guard let wanted = Int(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) else {
            return nil
          }
          largest = max(largest, abs(mean[channel] - wanted))
        }
      }
    }
    return largest
  }

  /// The largest difference of a channel from that of a reference with straight colours.
  func difference(from reference: Bitmap) -> Int? {
    guard reference.size == straight.size else { return nil }
    return zip(rgba(of: straight), rgba(of: reference)).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  private func cellMean(_ pixels: [UInt8], row: Int, column: Int, rows: Int, columns: Int) -> [Int] {
    let size = bitmap.size
    let ys = row * size.height / rows..<(row + 1) * size.height / rows
    let xs = column * size.width / columns..<(column + 1) * size.width / columns
    var sums = [0, 0, 0, 0]
    for y in ys {
      for x in xs {
        for channel in 0..<4 { sums[channel] += Int(pixels[(y * size.width + x) * 4 + channel]) }
      }
    }
    let count = max(1, ys.count * xs.count)
    return sums.map { (2 * $0 + count) / (2 * count) }
  }

  private func rgba(of bitmap: Bitmap) -> [UInt8] {
    let width = bitmap.size.width
    return bitmap.withUnsafeBytes { bytes in
      [UInt8](unsafeUninitializedCapacity: bitmap.size.pixelCount * 4) { pixels, count in
        for y in 0..<bitmap.size.height {
          for x in 0..<width {
            let from = y * bitmap.bytesPerRow + x * 4
            let to = (y * width + x) * 4
            let isClear = bytes[from + 3] == 0
            pixels[to] = isClear ? 0 : bytes[from + 2]
            pixels[to + 1] = isClear ? 0 : bytes[from + 1]
            pixels[to + 2] = isClear ? 0 : bytes[from]
            pixels[to + 3] = bytes[from + 3]
          }
        }
        count = bitmap.size.pixelCount * 4
      }
    }
  }
}
