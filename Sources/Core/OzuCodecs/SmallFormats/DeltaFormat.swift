import OzuImaging

/// The layout of a delta file: the lossless and fast format for renditions with alpha.
///
/// ```
///  0  4  "OZUD"
///  4  1  version, 1
///  5  1  1 when every pixel is opaque, else 0
///  6  4  width
/// 10  4  height
/// 14  4  CRC-32 of the 14 bytes before
/// 18     one frame of zstd with a checksum
/// ```
///
/// Integers are little-endian. The frame contains planes one after the other: green, blue minus green, red minus
/// green and, unless the picture is opaque, alpha. The row above is subtracted from each row except the first;
/// everything is modulo 256, and colours are premultiplied as in a bitmap. Vertical neighbours are similar,
/// so most differences are near zero, and the rest compresses well at the fastest level of zstd: it takes a third
/// of PNG's time to read and a tenth to write.
package enum DeltaFormat {
  package static let signature = Array("OZUD".utf8)
  package static let version: UInt8 = 1
  package static let headerByteCount = 18
  package static let checkedByteCount = 14

  package struct Header {
    package var size: PixelSize
    package var isOpaque: Bool

    package init(size: PixelSize, isOpaque: Bool) {
      self.size = size
      self.isOpaque = isOpaque
    }

    package var planeCount: Int { isOpaque ? 3 : 4 }

    /// The bytes of the planes; `nil` if the number overflows.
    package var planeByteCount: Int? {
      let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
      let (bytes, more) = pixels.multipliedReportingOverflow(by: planeCount)
      return overflow || more ? nil : bytes
    }
  }
}

/// Converts rows of BGRA to the planes of a delta file and back.
///
/// Unsafe pointers. Why every index is in bounds: each of the `planeCount` planes has `size.pixelCount` bytes; rows
/// of pixels have `size.width` words. The loops over bytes have no branches, so that LLVM vectorises them.
package struct DeltaPlanes {
  package let size: PixelSize
  package let planeCount: Int

  package init(size: PixelSize, planeCount: Int) {
    self.size = size
    self.planeCount = planeCount
  }

  private func plane(_ index: Int, _ planes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    planes + index * size.pixelCount
  }

  /// Writes the colours of a row to the planes.
  package func split(row y: Int, _ pixels: UnsafePointer<UInt32>, to planes: UnsafeMutablePointer<UInt8>) {
    let offset = y * size.width
    let greens = plane(0, planes) + offset
    let blues = plane(1, planes) + offset
    let reds = plane(2, planes) + offset
    for x in 0..<size.width {
      let pixel = UInt32(littleEndian: pixels[x])
      let green = UInt8(truncatingIfNeeded: pixel >> 8)
      greens[x] = green
      blues[x] = UInt8(truncatingIfNeeded: pixel) &- green
      reds[x] = UInt8(truncatingIfNeeded: pixel >> 16) &- green
    }
    guard planeCount == 4 else { return }
    let alphas = plane(3, planes) + offset
    for x in 0..<size.width { alphas[x] = UInt8(truncatingIfNeeded: UInt32(littleEndian: pixels[x]) >> 24) }
  }

  /// Replaces each row but the first by its difference from the row above.
  package func subtractRows(_ planes: UnsafeMutablePointer<UInt8>) {
    for index in 0..<planeCount {
      let plane = plane(index, planes)
      for y in stride(from: size.height - 1, to: 0, by: -1) {
        let row = plane + y * size.width
        let above = row - size.width
        for x in 0..<size.width { row[x] &-= above[x] }
      }
    }
  }

  /// Undoes `subtractRows` for a row, after the row above it is done, and makes pixels of the row.
  package func join(
    row y: Int, _ planes: UnsafeMutablePointer<UInt8>, to pixels: UnsafeMutablePointer<UInt32>
  ) {
    let offset = y * size.width
    for index in 0..<planeCount where y > 0 {
      let row = plane(index, planes) + offset
      let above = row - size.width
      for x in 0..<size.width { row[x] &+= above[x] }
    }
    let greens = plane(0, planes) + offset
    let blues = plane(1, planes) + offset
    let reds = plane(2, planes) + offset
    if planeCount == 4 {
      let alphas = plane(3, planes) + offset
      for x in 0..<size.width {
        pixels[x] = Self.word(greens[x], blues[x], reds[x], alphas[x])
      }
    } else {
      for x in 0..<size.width { pixels[x] = Self.word(greens[x], blues[x], reds[x], 255) }
    }
  }

  @inline(__always)
  private static func word(_ green: UInt8, _ blue: UInt8, _ red: UInt8, _ alpha: UInt8) -> UInt32 {
    UInt32(
      littleEndian: UInt32(blue &+ green) | UInt32(green) << 8 | UInt32(red &+ green) << 16
        | UInt32(alpha) << 24)
  }
}
