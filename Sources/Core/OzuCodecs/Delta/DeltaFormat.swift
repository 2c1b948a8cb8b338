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

  /// The facts in the header.
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
