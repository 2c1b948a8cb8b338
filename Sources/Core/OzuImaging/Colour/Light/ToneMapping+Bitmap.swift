extension ToneMapping {
  /// The picture in sRGB.
  ///
  /// - Parameters:
  ///   - bitmap: in any format; colours are divided by alpha before the mapping and multiplied by it after.
  ///   - format: the format of the result: `bgra8` or `rgba16`.
  /// - Complexity: O(pixels).
  func convert(_ bitmap: Bitmap, to format: PixelFormat, pool: PixelBufferPool) -> Bitmap {
    precondition(format != .gray8, "a format with colours")
    let width = bitmap.size.width
    return Bitmap(size: bitmap.size, format: format, isOpaque: bitmap.isOpaque, pool: pool) {
      target, targetBytesPerRow in
      bitmap.withUnsafeBytes { source in
        for y in 0..<bitmap.size.height {
          // Rows lie inside the bytes of either bitmap, `width` pixels of its format long.
          let from = UnsafeRawBufferPointer(rebasing: source[(y * bitmap.bytesPerRow)...])
          let to = UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...])
          // Neighbouring pixels are often equal, as in skies, drawings and borders; the last result is reused.
          var last = SIMD4<UInt32>(repeating: .max)
          var result = SIMD4<UInt32>.zero
          for x in 0..<width {
            let pixel = from.words(x, bitmap.format)
            if pixel != last {
              last = pixel
              result = mapped(pixel)
            }
            to.store(result, x, format)
          }
        }
      }
    }
  }

  /// Maps a pixel of 16 bits; colours are divided by alpha before and multiplied after.
  @inline(__always)
  private func mapped(_ pixel: SIMD4<UInt32>) -> SIMD4<UInt32> {
    let alpha = pixel.w
    if alpha == 65_535 {
      var result = self(pixel)
      result.w = alpha
      return result
    }
    guard alpha > 0 else { return .zero }
    let (one, alphas) = (SIMD4<UInt32>(repeating: 65_535), SIMD4<UInt32>(repeating: alpha))
    let rounded = pixel &* one &+ SIMD4<UInt32>(repeating: alpha / 2)
    let straight = self(pointwiseMin(rounded / alphas, one))
    var result = (straight &* alphas &+ SIMD4<UInt32>(repeating: 32_767)) / one
    result.w = alpha
    return result
  }
}

extension UnsafeRawBufferPointer {
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
    if format == .rgba16 {
      storeBytes(of: SIMD4<UInt16>(truncatingIfNeeded: words), toByteOffset: x * 8, as: SIMD4<UInt16>.self)
    } else {
      let bytes = (words &* 255 &+ 32_895) &>> SIMD4(repeating: 16)
      storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: SIMD4(bytes.z, bytes.y, bytes.x, bytes.w)), toByteOffset: x * 4,
        as: SIMD4<UInt8>.self)
    }
  }
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
      let mapping = ToneMappingStore.shared.mapping(range, peak: LightLevels.assumedPeak)
    else { return self }
    return mapping.convert(self, to: format == .rgba16 ? .rgba16 : .bgra8, pool: pool)
  }
}
