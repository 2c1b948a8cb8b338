import OzuCodecs
import OzuImaging

/// The rows of a bitmap as PNG stores them: RGB if all pixels are opaque, else RGBA with the colours divided by
/// alpha; 16 bits with the high byte first; grey as it is.
struct PNGStoredRows {
  let bitmap: Bitmap
  let hasAlpha: Bool

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
    hasAlpha = !bitmap.isOpaque && bitmap.hasTransparentPixel
  }

  /// The rows of a frame; all frames have the pixel format of the first.
  init(_ bitmap: Bitmap, hasAlpha: Bool) {
    (self.bitmap, self.hasAlpha) = (bitmap, hasAlpha)
  }

  var isDeep: Bool { bitmap.format == .rgba16 }

  /// The bytes of a pixel, which is the distance to the "left" byte of filters.
  var pixelByteCount: Int {
    switch bitmap.format {
    case .gray8: 1
    case .bgra8: hasAlpha ? 4 : 3
    case .rgba16: hasAlpha ? 8 : 6
    }
  }

  var rowByteCount: Int { bitmap.size.width * pixelByteCount }

  /// The colour type of IHDR (third edition, §11.2.1).
  var colorType: UInt8 { bitmap.format == .gray8 ? 0 : hasAlpha ? 6 : 2 }

  /// Writes row `y` of the bitmap's `pixels` to a block of `rowByteCount` bytes.
  ///
  /// Unsafe pointers: a row of the bitmap has its width times the bytes of its format, and `straight` has the same
  /// number.
  func write(
    _ y: Int, of pixels: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer,
    straight: UnsafeMutableRawPointer
  ) {
    guard let start = pixels.baseAddress else { return }
    let (width, row) = (bitmap.size.width, start + y * bitmap.bytesPerRow)
    switch bitmap.format {
    case .gray8: target.copyMemory(from: row, byteCount: width)
    case .bgra8 where hasAlpha:
      Premultiplication.undo(row, to: straight, width: width)
      let (source, words) = (straight.assumingMemoryBound(to: UInt32.self), target)
      for x in 0..<width {
        let pixel = UInt32(littleEndian: source[x])
        let swapped = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
        words.storeBytes(of: swapped.littleEndian, toByteOffset: x &* 4, as: UInt32.self)
      }
    case .bgra8:
      let (source, bytes) = (
        row.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self)
      )
      for x in 0..<width {
        bytes[x &* 3] = source[x &* 4 &+ 2]
        bytes[x &* 3 &+ 1] = source[x &* 4 &+ 1]
        bytes[x &* 3 &+ 2] = source[x &* 4]
      }
    case .rgba16:
      var source = row
      if hasAlpha {
        Premultiplication.undoWide(row, to: straight, width: width)
        source = UnsafeRawPointer(straight)
      }
      let (values, channels) = (source.assumingMemoryBound(to: UInt16.self), hasAlpha ? 4 : 3)
      for x in 0..<width {
        for channel in 0..<channels {
          target.storeBytes(
            of: values[x &* 4 &+ channel].bigEndian, toByteOffset: (x &* channels &+ channel) &* 2,
            as: UInt16.self)
        }
      }
    }
  }
}
