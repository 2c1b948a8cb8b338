/// Reads rows of bitmaps as linear light.
struct LinearRowReader {
  /// The grey under transparent pixels, by value: 0 is black, 1 is white.
  let background: Float

  /// The light of each 16-bit value.
  private static let table: [Float] = (0...65_535).map { Float(SRGBCurve.light(Double($0) / 65_535)) }

  /// Converts a row. `target` has room for `bitmap.size.width` values in each of its planes.
  func read(_ bitmap: Bitmap, _ y: Int, to target: LinearRow) {
    let width = bitmap.size.width
    bitmap.withUnsafeBytes { bytes in
      // The row lies inside the bytes, `width` pixels of its format long.
      let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bitmap.bytesPerRow)...])
      if bitmap.format == .bgra8, bitmap.isOpaque {
        LinearLight.table.withUnsafeBufferPointer { light in
          for x in 0..<width {
            target.blue[x] = light[Int(row[x * 4])]
            target.green[x] = light[Int(row[x * 4 + 1])]
            target.red[x] = light[Int(row[x * 4 + 2])]
          }
        }
        return
      }
      let under = (background * 65_535).rounded()
      Self.table.withUnsafeBufferPointer { light in
        for x in 0..<width {
          let pixel = row.words(x, bitmap.format)
          // Premultiplied values are not above alpha in pixels of decoders, but can be in those of an app.
          let gray = Int((Float(65_535 - pixel.w) * under / 65_535).rounded())
          target.red[x] = light[min(65_535, Int(pixel.x) + gray)]
          target.green[x] = light[min(65_535, Int(pixel.y) + gray)]
          target.blue[x] = light[min(65_535, Int(pixel.z) + gray)]
        }
      }
    }
  }
}

/// A row of linear light in three planes.
struct LinearRow {
  let red: UnsafeMutablePointer<Float>
  let green: UnsafeMutablePointer<Float>
  let blue: UnsafeMutablePointer<Float>
}
