import OzuBase

extension Bitmap {
  /// The same picture in another pixel format; `self` if it already has it.
  ///
  /// From 16 bits to 8, values are rounded to nearest; from 8 to 16, 255 becomes 65,535. Colours become grey with
  /// the weights of BT.601, over black where they are transparent, because they are premultiplied.
  ///
  /// - Complexity: O(pixels).
  public func converted(to format: PixelFormat, pool: PixelBufferPool = .shared) -> Bitmap {
    guard format != self.format else { return self }
    return Bitmap(
      size: size, format: format, isOpaque: isOpaque || format == .gray8, colorSpace: colorSpace, pool: pool
    ) { target, targetBytesPerRow in
      withUnsafeBytes { source in
        for y in 0..<size.height {
          // Rows lie inside the bytes of either bitmap, `size.width` pixels of each format long.
          let from = UnsafeRawBufferPointer(rebasing: source[(y * bytesPerRow)...])
          let to = UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...])
          for x in 0..<size.width { to.store(from.words(x, self.format), x, format) }
        }
      }
    }
  }

  /// The pixels blended over white, for a format without alpha; in `bgra8`.
  package func overWhite() -> Bitmap { BGRABitmap(self).map(isOpaque: true) { $0.over(.white) }.bitmap }
}

extension UnsafeRawBufferPointer {
  /// The pixel of a row, in 8 bits.
  func pixel(_ x: Int, _ format: PixelFormat) -> Pixel {
    let bytes = words(x, format).narrowed
    return Pixel(red: UInt8(bytes.x), green: UInt8(bytes.y), blue: UInt8(bytes.z), alpha: UInt8(bytes.w))
  }

  /// A pixel of a row in 16 bits: red, green, blue, alpha.
  @inline(__always)
  func words(_ x: Int, _ format: PixelFormat) -> SIMD4<UInt32> {
    switch format {
    case .rgba16: return SIMD4(truncatingIfNeeded: load(fromByteOffset: x * 8, as: SIMD4<UInt16>.self))
    case .bgra8:
      let pixel = load(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
      return SIMD4<UInt32>(UInt32(pixel.z), UInt32(pixel.y), UInt32(pixel.x), UInt32(pixel.w)) &* 257
    case .gray8:
      let gray = UInt32(self[x]) &* 257
      return SIMD4(gray, gray, gray, 65_535)
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Writes a pixel of 16 bits, rounded if the format has 8.
  @inline(__always)
  func store(_ words: SIMD4<UInt32>, _ x: Int, _ format: PixelFormat) {
    switch format {
    case .rgba16:
      storeBytes(of: SIMD4<UInt16>(truncatingIfNeeded: words), toByteOffset: x * 8, as: SIMD4<UInt16>.self)
    case .bgra8:
      let bytes = words.narrowed
      storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: SIMD4(bytes.z, bytes.y, bytes.x, bytes.w)), toByteOffset: x * 4,
        as: SIMD4<UInt8>.self)
    case .gray8:
      // Luma with the weights of JFIF. The sum fits into 32 bits.
      let sum = (words &* SIMD4<UInt32>(19_595, 38_470, 7471, 0)).wrappedSum()
      self[x] = UInt8(SIMD4(repeating: (sum &+ 32_768) >> 16).narrowed.x)
    }
  }
}

extension SIMD4<UInt32> {
  /// Numbers of 16 bits in 8. As in libpng: exactly `value / 257`, rounded.
  @inline(__always)
  fileprivate var narrowed: SIMD4<UInt32> { (self &* 255 &+ 32_895) &>> SIMD4(repeating: 16) }
}

extension Bitmap {
  /// The picture for a display that shows nothing brighter than white, in the same pixel format. Tone-maps colours
  /// under PQ or HLG with numbers of ITU-T H.273; returns `self` for others.
  ///
  /// For toolkits that do not know such colours. A pipeline does the same on its own threads, with the peak that
  /// the file states; this function takes the peak of most pictures, 1,000 candelas per square metre.
  ///
  /// - Complexity: O(pixels), or O(1) for `self`.
  public func toneMapped(pool: PixelBufferPool = .shared) -> Bitmap {
    guard case .coded(let primaries, let transfer) = colorSpace,
      let range = HighDynamicRange(primaries: primaries, transfer: transfer),
      let mapping = ToneMapping.cached(range, peak: LightLevels.assumedPeak)
    else { return self }
    return mapping.convert(self, to: format == .rgba16 ? .rgba16 : .bgra8, pool: pool)
  }
}

extension Bitmap {
  /// Whether red, green and blue are the same in every pixel.
  var isGray: Bool {
    guard format == .bgra8 else { return format == .gray8 }
    return withUnsafeBytes { bytes in
      (0..<size.height).allSatisfy { y in
        (0..<size.width).allSatisfy { x in
          let place = y * bytesPerRow + x * 4
          return bytes[place] == bytes[place + 1] && bytes[place] == bytes[place + 2]
        }
      }
    }
  }
}
