/// Gives each value of 1, 2 or 4 bits a byte of its own, so that the rest of the reader sees bytes alone.
///
/// A table has the values of each packed byte in eight bytes, of which the first `valueCount` count. libpng, which unpacked such
/// rows before, takes three times the processor time for a screenshot of 16 colours.
///
/// Unsafe pointers. Why every index is in bounds: each byte of the source writes eight bytes at `valueCount` times its place, so
/// at most eight bytes after the last value are written: fewer than `PNGUnfilter.margin`.
struct PNGUnpacking {
  /// The values in a packed byte.
  let valueCount: Int
  private let table: [UInt64]

  /// - Parameters:
  ///   - bitDepth: 1, 2 or 4.
  ///   - isGray: whether values are spread from 0 to 255; indices stay as they are.
  init(bitDepth: Int, isGray: Bool) {
    let (count, largest) = (8 / bitDepth, 1 << bitDepth - 1)
    let scale = isGray ? 255 / largest : 1
    valueCount = count
    table = (0..<256).map { byte in
      // The first value is in the highest bits.
      (0..<count).reduce(0) { values, place in
        let value = byte >> (8 - bitDepth * (place + 1)) & largest
        return values | UInt64(value * scale) << UInt64(8 * place)
      }
    }
  }

  /// Unpacks a row.
  ///
  /// - Parameters:
  ///   - source: `byteCount` packed bytes.
  ///   - target: memory for `valueCount` bytes of each, and a margin.
  func unpack(_ source: UnsafePointer<UInt8>, byteCount: Int, to target: UnsafeMutablePointer<UInt8>) {
    let target = UnsafeMutableRawPointer(target)
    table.withUnsafeBufferPointer { table in
      for index in 0..<byteCount {
        let values = table[Int(source[index])].littleEndian
        target.storeBytes(of: values, toByteOffset: index &* valueCount, as: UInt64.self)
      }
    }
  }
}
