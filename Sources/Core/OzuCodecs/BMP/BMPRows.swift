import OzuImaging

struct BMPRows {
  let header: BMPHeader
  let masks: BMPMasks?

  init(_ header: BMPHeader, masks: BMPMasks? = nil) {
    self.header = header
    self.masks = masks ?? header.masks
  }

  /// Rows are padded to four bytes. A header has sides of at most 2^31 and 32 bits for each pixel, so the number
  /// fits into 34 bits.
  var bytesPerRow: Int { (header.size.width * header.bitsPerPixel + 31) / 32 * 4 }

  /// Those of the mask of an icon.
  var maskBytesPerRow: Int { (header.size.width + 31) / 32 * 4 }

  /// Reads the row that is shown at `y`; `false` if the file ends before the row does.
  func read(_ y: Int, _ bytes: Span<UInt8>, to canvas: PixelCanvas) -> Bool {
    let width = header.size.width
    let row = header.isTopDown ? y : header.size.height - 1 - y
    // For rows after the end of the file, even the offset may overflow.
    let (distance, overflow) = row.multipliedReportingOverflow(by: bytesPerRow)
    guard !overflow, distance <= bytes.count, header.pixelOffset <= bytes.count - distance else {
      return false
    }
    let start = header.pixelOffset + distance
    // The padding of the last row may be missing.
    guard (width * header.bitsPerPixel + 7) / 8 <= bytes.count - start else { return false }
    if let masks {
      readColors(masks, bytes, at: start, y, to: canvas)
    } else {
      readIndices(bytes, at: start, y, to: canvas)
    }
    return true
  }

  /// Whether any pixel has an alpha value.
  ///
  /// Where none has, the mask of alpha means nothing, and the picture is opaque, as Windows and browsers show it: icons
  /// and bitmaps of programs that do not know alpha and leave the fourth byte of each pixel empty. Pixels of 16 bits have
  /// no byte to spare: a program that gives one of their bits to alpha means it, so these count as having values.
  ///
  /// - Complexity: O(pixels); in most files it ends at the first one.
  func hasAlphaValues(_ bytes: Span<UInt8>) -> Bool {
    guard let masks, !masks.alpha.isEmpty else { return false }
    guard header.bitsPerPixel == 32 else { return true }
    let byteCount = header.bitsPerPixel / 8
    var start = header.pixelOffset
    for _ in 0..<header.size.height {
      guard start < bytes.count else { return false }
      let available = min(header.size.width, (bytes.count - start) / byteCount)
      for x in 0..<available where masks.alpha.value(pixel(bytes, at: start + x * byteCount, byteCount)) > 0 {
        return true
      }
      start += bytesPerRow
    }
    return false
  }

  /// Hides pixels of an icon: the mask follows the colours, from the bottom up, one bit for each pixel, of which 1 hides it.
  func applyMask(_ bytes: Span<UInt8>, to canvas: PixelCanvas) {
    let size = header.size
    let start = header.pixelOffset + bytesPerRow * size.height
    for y in 0..<size.height {
      let row = start + (size.height - 1 - y) * maskBytesPerRow
      for x in 0..<size.width {
        guard let byte = bytes.byte(at: row + x / 8) else { break }
        if byte >> UInt8(7 - x % 8) & 1 == 1 { canvas.set(x, y, to: 0) }
      }
    }
  }

  /// The pixel at an offset, which must lie in the file with all its bytes.
  private func pixel(_ bytes: Span<UInt8>, at offset: Int, _ byteCount: Int) -> UInt32 {
    var pixel = UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8
    if byteCount > 2 { pixel |= UInt32(bytes[offset + 2]) << 16 }
    if byteCount > 3 { pixel |= UInt32(bytes[offset + 3]) << 24 }
    return pixel
  }

  private func readColors(
    _ masks: BMPMasks, _ bytes: Span<UInt8>, at start: Int, _ y: Int, to canvas: PixelCanvas
  ) {
    let byteCount = header.bitsPerPixel / 8
    let isPlain = masks == .eightBits && byteCount >= 3
    for x in 0..<header.size.width {
      let pixel = pixel(bytes, at: start + x * byteCount, byteCount)
      canvas.set(x, y, to: isPlain ? pixel | PixelCanvas.opaqueBlack : masks.word(pixel))
    }
  }

  private func readIndices(_ bytes: Span<UInt8>, at start: Int, _ y: Int, to canvas: PixelCanvas) {
    let bits = header.bitsPerPixel
    let largest = UInt8(truncatingIfNeeded: (1 << bits) - 1)
    for x in 0..<header.size.width {
      let bit = x * bits
      let index = bytes[start + bit / 8] >> UInt8(8 - bits - bit % 8) & largest
      canvas.set(x, y, to: header.color(Int(index)))
    }
  }
}

extension BMPHeader {
  /// The colour of an index; black for an index outside the palette.
  func color(_ index: Int) -> UInt32 {
    index < palette.count ? palette[index] : PixelCanvas.opaqueBlack
  }
}
