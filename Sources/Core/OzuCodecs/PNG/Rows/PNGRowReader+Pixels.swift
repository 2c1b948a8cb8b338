import OzuImaging

/// Converts rows to the pixels of a bitmap, or to the means of squares.
///
/// Unsafe pointers: a row has the bytes that its layout needs for `width` pixels; targets have room for as many words.
extension PNGRowReader {
  private static let stepRows = 32

  package var isOpaque: Bool {
    switch layout {
    case .gray, .rgb: true
    case .grayAlpha, .rgbAlpha: false
    case .indexed(_, let isOpaque): isOpaque
    }
  }

  /// Reads all rows of at most 8 bits and averages them; `nil` for 16 bits, or if libpng has to decode the file.
  package func planes(
    size: PixelSize, step: RowAverager.Step, context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture? {
    guard !isDeep else { return nil }
    let channels: Int
    switch layout {
    case .gray: channels = 1
    case .rgb: channels = 3
    case .grayAlpha, .rgbAlpha, .indexed: channels = 4
    }
    let averager = RowAverager(size: size, channels: channels, step: step, pool: context.pool)
    let words = context.pool.takeBlock(byteCount: channels == 4 ? size.width * 4 : 0)
    defer { context.pool.giveBack(words) }
    var y = 0
    while y < size.height {
      if y % Self.stepRows == 0 { try context.checkpoint() }
      guard let (rows, count) = nextGroup() else { return nil }
      y += count
      if channels < 4 {
        averager.add(bytes: rows.start, stride: rows.stride, rows: count)
        continue
      }
      for index in 0..<count {
        let pixels = words.baseAddress!.assumingMemoryBound(to: UInt32.self)
        guard convert(rows.start + index * rows.stride, to: pixels, width: size.width) else { return nil }
        if !isOpaque { Premultiplication.apply(to: pixels, width: size.width) }
        let bytes = UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
        averager.add(bytes: bytes, stride: size.width * 4, rows: 1)
      }
    }
    guard endsWell() else { return nil }
    let planes = averager.planes
    switch channels {
    case 1: return PlanarPicture(luma: planes[0])
    case 3: return PlanarPicture(blue: planes[2], green: planes[1], red: planes[0])
    default:
      return PlanarPicture(
        blue: planes[0], green: planes[1], red: planes[2], alpha: isOpaque ? nil : planes[3])
    }
  }

  /// Reads all rows as pixels; `nil` if libpng has to decode the file.
  ///
  /// - Parameter format: `bgra8`, or `rgba16` for a file of 16 bits.
  package func bitmap(
    size: PixelSize, format: PixelFormat = .bgra8, alpha: Alpha, colorSpace: ColorSpaceTag,
    context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    precondition(format == .bgra8 || format == .rgba16 && isDeep, "a format that the reader makes")
    var isWhole = true
    let bitmap = try Bitmap(
      size: size, format: format, isOpaque: isOpaque, colorSpace: colorSpace, pool: context.pool
    ) { (target, bytesPerRow) throws(ImageDecodingError) in
      for y in 0..<size.height {
        if y % Self.stepRows == 0 { try context.checkpoint() }
        let row = target.baseAddress! + y * bytesPerRow
        let isRead =
          format == .rgba16
          ? readDeep(into: row, width: size.width, alpha: alpha)
          : read(into: row, width: size.width, alpha: alpha)
        guard isRead else {
          isWhole = false
          return
        }
      }
      isWhole = endsWell()
    }
    return isWhole ? bitmap : nil
  }

  /// Reads the next row as pixels of BGRA; false if libpng has to decode the file.
  ///
  /// - Parameter row: memory of the caller for `width` pixels of four bytes; `width` is the width of the picture.
  package func read(into row: UnsafeMutableRawPointer, width: Int, alpha: Alpha) -> Bool {
    let pixels = row.assumingMemoryBound(to: UInt32.self)
    guard let row = next(), convert(row, to: pixels, width: width) else { return false }
    if !isOpaque, alpha == .premultiplied { Premultiplication.apply(to: pixels, width: width) }
    return true
  }

  /// Makes words of BGRA, whose alpha is not premultiplied; false for an index that the palette does not have.
  private func convert(
    _ row: UnsafePointer<UInt8>, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) -> Bool {
    let source = UnsafeRawPointer(row)
    if isDeep {
      convertDeep(row, to: pixels, width: width)
      return true
    }
    switch layout {
    case .gray:
      for x in 0..<width {
        pixels[x] = UInt32(littleEndian: UInt32(row[x]) &* 0x01_0101 | PixelCanvas.opaqueBlack)
      }
    case .grayAlpha:
      for x in 0..<width {
        let gray = UInt32(row[2 &* x]) &* 0x01_0101
        pixels[x] = UInt32(littleEndian: gray | UInt32(row[2 &* x &+ 1]) << 24)
      }
    case .rgb:
      // The fourth byte belongs to the next pixel or to the margin.
      for x in 0..<width {
        let word = UInt32(bigEndian: source.loadUnaligned(fromByteOffset: 3 &* x, as: UInt32.self))
        pixels[x] = UInt32(littleEndian: word >> 8 | PixelCanvas.opaqueBlack)
      }
    case .rgbAlpha:
      for x in 0..<width {
        let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
        pixels[x] = UInt32(
          littleEndian: word & 0xFF00_FF00 | word >> 16 & 0xFF | (word & 0xFF) << 16)
      }
    case .indexed(let palette, _):
      return palette.withUnsafeBufferPointer { palette in
        for x in 0..<width {
          let index = Int(row[x])
          guard index < palette.count else { return false }
          pixels[x] = UInt32(littleEndian: palette[index])
        }
        return true
      }
    }
    return true
  }
}

/// Pixels of files of 16 bits: all bits, or the upper eight, as libpng cuts them (`png_set_strip_16`).
///
/// Unsafe pointers: a row has the bytes that its layout needs for `width` pixels, and the margin of `PNGUnfilter` after them;
/// targets have room for as many pixels of their format.
extension PNGRowReader {
  /// Reads the next row of a file of 16 bits as pixels of `rgba16`; false when libpng has to decode the file.
  func readDeep(into row: UnsafeMutableRawPointer, width: Int, alpha: Alpha) -> Bool {
    guard let source = next() else { return false }
    makeDeep(UnsafeRawPointer(source), row, width)
    if !isOpaque, alpha == .premultiplied { Premultiplication.applyWide(to: row, width: width) }
    return true
  }

  private func makeDeep(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int) {
    typealias Words = SIMD4<UInt16>
    // The fourth word of a pixel without alpha belongs to the next one, or to the margin, and becomes opaque.
    let opaque = Words(0, 0, 0, .max)
    switch layout {
    case .rgb:
      for x in 0..<width {
        let words = Self.native(source.loadUnaligned(fromByteOffset: 6 &* x, as: Words.self))
        target.storeBytes(of: words | opaque, toByteOffset: 8 &* x, as: Words.self)
      }
    case .rgbAlpha:
      for x in 0..<width {
        let words = Self.native(source.loadUnaligned(fromByteOffset: 8 &* x, as: Words.self))
        target.storeBytes(of: words, toByteOffset: 8 &* x, as: Words.self)
      }
    case .gray:
      for x in 0..<width {
        let gray = UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 2 &* x, as: UInt16.self))
        target.storeBytes(of: Words(repeating: gray) | opaque, toByteOffset: 8 &* x, as: Words.self)
      }
    case .grayAlpha:
      for x in 0..<width {
        let gray = UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt16.self))
        let alpha = UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 4 &* x &+ 2, as: UInt16.self))
        target.storeBytes(of: Words(gray, gray, gray, alpha), toByteOffset: 8 &* x, as: Words.self)
      }
    // A file with a palette never has 16 bits.
    case .indexed: break
    }
  }

  /// Makes words of BGRA from the high bytes. Alpha is not premultiplied.
  func convertDeep(_ row: UnsafePointer<UInt8>, to pixels: UnsafeMutablePointer<UInt32>, width: Int) {
    let isGray: Bool
    let step: Int
    switch layout {
    case .gray: (isGray, step) = (true, 2)
    case .grayAlpha: (isGray, step) = (true, 4)
    case .rgb: (isGray, step) = (false, 6)
    case .rgbAlpha: (isGray, step) = (false, 8)
    case .indexed: return
    }
    let (green, blue) = isGray ? (0, 0) : (2, 4)
    let isOpaque = isOpaque
    for x in 0..<width {
      let pixel = row + x &* step
      let alpha = isOpaque ? 255 : UInt32(pixel[step &- 2])
      pixels[x] = UInt32(
        littleEndian: UInt32(pixel[blue]) | UInt32(pixel[green]) << 8 | UInt32(pixel[0]) << 16 | alpha << 24)
    }
  }

  /// Converts words with the high byte first to words of the machine.
  @inline(__always)
  private static func native(_ words: SIMD4<UInt16>) -> SIMD4<UInt16> {
    #if _endian(little)
      words &<< SIMD4(repeating: 8) | words &>> SIMD4(repeating: 8)
    #else
      words
    #endif
  }
}
