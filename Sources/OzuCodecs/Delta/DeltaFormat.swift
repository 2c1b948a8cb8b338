import OzuImaging

/// The layout of a delta file: how renditions are kept that have alpha, to the last bit and soon back in memory.
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
/// Integers are little-endian. The frame holds planes one after the other: green, blue less green, red less green
/// and, unless opaque, alpha; a row of each less the row above it, the first as it is; all modulo 256, colours
/// premultiplied as in a bitmap. Neighbours above each other are alike, so most of it is near zero, and what remains
/// compresses well at the fastest level of zstd: a third of the time of PNG to read and a tenth to write.
package enum DeltaFormat {
  package static let signature = Array("OZUD".utf8)
  package static let version: UInt8 = 1
  package static let headerByteCount = 18
  package static let checkedByteCount = 14

  /// What a header says.
  package struct Header {
    package var size: PixelSize
    package var isOpaque: Bool

    package init(size: PixelSize, isOpaque: Bool) {
      self.size = size
      self.isOpaque = isOpaque
    }

    package var planeCount: Int { isOpaque ? 3 : 4 }

    /// The bytes of the planes; `nil` when no memory could hold them.
    package var planeByteCount: Int? {
      let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
      let (bytes, more) = pixels.multipliedReportingOverflow(by: planeCount)
      return overflow || more ? nil : bytes
    }
  }
}
