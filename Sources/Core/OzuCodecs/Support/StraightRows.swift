import OzuImaging

/// The pixels of a bitmap as simple files store them: not premultiplied, in the bits of the bitmap.
struct StraightRows {
  private let bitmap: Bitmap
  let hasAlpha: Bool

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
    hasAlpha = !bitmap.isOpaque && bitmap.hasTransparentPixel
  }

  /// Calls a closure with red, green, blue and alpha of each pixel, row by row; 0 to 255, or to 65,535 of `rgba16`.
  func forEach(_ body: (SIMD4<UInt16>) -> Void) {
    let width = bitmap.size.width
    var row = [UInt8](repeating: 0, count: bitmap.bytesPerRow)
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.size.height {
        // A row of the bitmap, and a copy of the same length.
        let source = UnsafeRawBufferPointer(
          rebasing: bytes[y * bitmap.bytesPerRow..<(y + 1) * bitmap.bytesPerRow])
        row.withUnsafeMutableBytes { copy in
          guard let start = source.baseAddress, let target = copy.baseAddress else { return }
          switch bitmap.format {
          case .bgra8 where hasAlpha: Premultiplication.undo(start, to: target, width: width)
          case .rgba16 where hasAlpha: Premultiplication.undoWide(start, to: target, width: width)
          default: copy.copyMemory(from: source)
          }
        }
        for x in 0..<width { body(pixel(x, of: row)) }
      }
    }
  }

  private func pixel(_ x: Int, of row: [UInt8]) -> SIMD4<UInt16> {
    switch bitmap.format {
    case .bgra8:
      return SIMD4(
        UInt16(row[x * 4 + 2]), UInt16(row[x * 4 + 1]), UInt16(row[x * 4]),
        hasAlpha ? UInt16(row[x * 4 + 3]) : 255)
    case .gray8: return SIMD4(UInt16(row[x]), UInt16(row[x]), UInt16(row[x]), 255)
    case .rgba16:
      func value(_ channel: Int) -> UInt16 {
        row.withUnsafeBytes { $0.load(fromByteOffset: x * 8 + channel * 2, as: UInt16.self) }
      }
      return SIMD4(value(0), value(1), value(2), hasAlpha ? value(3) : .max)
    }
  }
}

extension Bitmap {
  /// Whether some pixel is not opaque, by looking at all.
  package var hasTransparentPixel: Bool {
    withUnsafeBytes { bytes in
      (0..<size.height).contains { y in
        // A row has `width` pixels of the format's bytes, with alpha after the colours.
        let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...])
        switch format {
        case .bgra8:
          var all = UInt32.max
          for x in 0..<size.width {
            all &= UInt32(littleEndian: row.load(fromByteOffset: x &* 4, as: UInt32.self))
          }
          return all >> 24 != 255
        case .rgba16:
          return (0..<size.width).contains { row.load(fromByteOffset: $0 * 8 + 6, as: UInt16.self) != .max }
        case .gray8: return false
        }
      }
    }
  }
}
