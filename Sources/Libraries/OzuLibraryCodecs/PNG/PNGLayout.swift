import OzuCodecs
import OzuImaging

/// How PNG stores the pixels of a picture: the colour type and the bit depth of IHDR, and the palette (third edition,
/// §11.2).
struct PNGLayout {
  private let hasColor: Bool
  let hasAlpha: Bool
  /// The bits of a sample, or of an index.
  let bitDepth: Int
  private(set) var palette: PNGPalette?

  /// Red, green and blue, and alpha if it is kept, in the bits of the bitmap; grey for a grey bitmap.
  init(_ bitmap: Bitmap, hasAlpha: Bool) {
    self.init(
      hasColor: bitmap.format != .gray8, hasAlpha: hasAlpha, bitDepth: bitmap.format == .rgba16 ? 16 : 8)
  }

  private init(hasColor: Bool, hasAlpha: Bool, bitDepth: Int, palette: PNGPalette? = nil) {
    (self.hasColor, self.hasAlpha, self.bitDepth, self.palette) = (hasColor, hasAlpha, bitDepth, palette)
  }

  /// The smallest layouts that keep every pixel of a bitmap: without alpha if all are opaque, without colours if all are
  /// grey; after that with a palette, if there are at most 256 colours and their indices have fewer bits.
  ///
  /// - Parameter keepsColor: whether a grey picture is stored in colours, because its profile is one for colours.
  static func smallest(for bitmap: Bitmap, keepsColor: Bool) -> [PNGLayout] {
    let hasAlpha = !bitmap.isOpaque && bitmap.hasTransparentPixel
    let colors = PNGColors(bitmap, hasAlpha: hasAlpha)
    let isGray = bitmap.format == .gray8 || colors.isGray && !keepsColor
    let direct = PNGLayout(
      hasColor: !isGray, hasAlpha: hasAlpha,
      bitDepth: bitmap.format == .rgba16 ? 16 : isGray && !hasAlpha ? colors.grayBitDepth : 8)
    guard let palette = colors.palette, palette.bitDepth < direct.bitsPerPixel else { return [direct] }
    return [
      direct,
      PNGLayout(hasColor: true, hasAlpha: hasAlpha, bitDepth: palette.bitDepth, palette: palette),
    ]
  }

  var colorType: UInt8 { palette != nil ? 3 : (hasColor ? 2 : 0) | (hasAlpha ? 4 : 0) }

  var isGray: Bool { !hasColor }

  var bitsPerPixel: Int {
    palette != nil ? bitDepth : ((hasColor ? 3 : 1) + (hasAlpha ? 1 : 0)) * bitDepth
  }

  /// The bytes of the chunks PLTE and tRNS.
  var byteCount: Int {
    guard let palette else { return 0 }
    let alphas = palette.alphas.count
    return 12 + palette.colors.count + (alphas > 0 ? 12 + alphas : 0)
  }
}

/// The rows of a bitmap as PNG stores them in a layout: colours divided by alpha, 16 bits with the high byte first.
struct PNGStoredRows {
  let bitmap: Bitmap
  let layout: PNGLayout

  /// The bytes from a byte to the "left" one of filters (§9.2): those of a pixel, at least one.
  var pixelByteCount: Int { max(1, layout.bitsPerPixel / 8) }

  var rowByteCount: Int { (bitmap.size.width * layout.bitsPerPixel + 7) / 8 }

  /// Writes row `y` of the bitmap's `pixels` to a block of `rowByteCount` bytes.
  ///
  /// Unsafe pointers: a row of the bitmap has its width times the bytes of its format, and `scratch` has the same
  /// number.
  func write(
    _ y: Int, of pixels: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    guard let start = pixels.baseAddress else { return }
    let (width, row) = (bitmap.size.width, start + y * bitmap.bytesPerRow)
    if let palette = layout.palette {
      let isPacked = layout.bitDepth < 8
      palette.write(
        row, bitmap.format, width: width, hasAlpha: layout.hasAlpha, to: isPacked ? scratch : target)
      if isPacked { PNGPacking.pack(scratch, bitDepth: layout.bitDepth, width: width, to: target) }
      return
    }
    switch bitmap.format {
    case .gray8: write(gray: row, to: target)
    case .bgra8 where layout.isGray:
      let source = layout.hasAlpha ? UnsafeRawPointer(scratch) : row
      if layout.hasAlpha { Premultiplication.undo(row, to: scratch, width: width) }
      write(grayOf: source, to: layout.bitDepth < 8 ? scratch : target)
      if layout.bitDepth < 8 { write(gray: UnsafeRawPointer(scratch), to: target) }
    case .bgra8 where layout.hasAlpha:
      Premultiplication.undo(row, to: scratch, width: width)
      let source = scratch.assumingMemoryBound(to: UInt32.self)
      for x in 0..<width {
        let pixel = UInt32(littleEndian: source[x])
        let swapped = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
        target.storeBytes(of: swapped.littleEndian, toByteOffset: x &* 4, as: UInt32.self)
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
      if layout.hasAlpha {
        Premultiplication.undoWide(row, to: scratch, width: width)
        source = UnsafeRawPointer(scratch)
      }
      let values = source.assumingMemoryBound(to: UInt16.self)
      // Blue for grey.
      let first = layout.isGray ? 2 : 0
      let channels = (layout.hasAlpha ? 4 : 3) - first
      for x in 0..<width {
        for channel in 0..<channels {
          target.storeBytes(
            of: values[x &* 4 &+ first &+ channel].bigEndian,
            toByteOffset: (x &* channels &+ channel) &* 2, as: UInt16.self)
        }
      }
    }
  }

  /// Writes grey values, in the highest of their bits if there are fewer than eight.
  private func write(gray row: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let width = bitmap.size.width
    guard layout.bitDepth < 8 else { return target.copyMemory(from: row, byteCount: width) }
    PNGPacking.pack(
      row, shift: 8 - layout.bitDepth, bitDepth: layout.bitDepth, width: width, to: target)
  }

  /// Writes blue for grey, and alpha if it is kept.
  private func write(grayOf row: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let source = row.assumingMemoryBound(to: UInt8.self)
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    for x in 0..<bitmap.size.width {
      guard layout.hasAlpha else {
        bytes[x] = source[x &* 4]
        continue
      }
      (bytes[x &* 2], bytes[x &* 2 &+ 1]) = (source[x &* 4], source[x &* 4 &+ 3])
    }
  }
}
