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
          for x in 0..<size.width { to.store(from.loadPixel(x, self.format), x, format) }
        }
      }
    }
  }

  /// The pixels blended over white, for a format without alpha.
  ///
  /// - Precondition: the format is `bgra8`.
  package func overWhite() -> Bitmap {
    precondition(format == .bgra8, "only bgra8 is blended")
    return Bitmap(size: size, isOpaque: true, colorSpace: colorSpace) { bytes, bytesPerRow in
      withUnsafeBytes { source in
        for y in 0..<size.height {
          for x in 0..<size.width {
            // In bounds: rows of both are their own `bytesPerRow` apart, and a pixel has four bytes.
            let from = y * self.bytesPerRow + x * 4
            let to = y * bytesPerRow + x * 4
            let white = 255 - source[from + 3]
            for channel in 0..<3 { bytes[to + channel] = source[from + channel] &+ white }
            bytes[to + 3] = 255
          }
        }
      }
    }
  }
}

/// A pixel with 16 bits for each channel, for converting between formats.
struct WidePixel {
  var red: UInt16
  var green: UInt16
  var blue: UInt16
  var alpha: UInt16

  /// As in libpng: exactly `value / 257`, rounded.
  static func narrow(_ value: UInt16) -> UInt8 { UInt8((UInt32(value) * 255 + 32_895) >> 16) }

  /// Luma with the weights of JFIF.
  var luma: UInt16 {
    let sum: UInt32 = UInt32(red) * 19_595 + UInt32(green) * 38_470
    return UInt16((UInt64(sum) + UInt64(blue) * 7471 + 32_768) >> 16)
  }
}

extension UnsafeRawBufferPointer {
  /// The pixel of a row, in 8 bits.
  func pixel(_ x: Int, _ format: PixelFormat) -> Pixel {
    let wide = loadPixel(x, format)
    return Pixel(
      red: WidePixel.narrow(wide.red), green: WidePixel.narrow(wide.green),
      blue: WidePixel.narrow(wide.blue), alpha: WidePixel.narrow(wide.alpha))
  }

  func loadPixel(_ x: Int, _ format: PixelFormat) -> WidePixel {
    switch format {
    case .bgra8:
      func wide(_ channel: Int) -> UInt16 { UInt16(self[x * 4 + channel]) * 257 }
      return WidePixel(red: wide(2), green: wide(1), blue: wide(0), alpha: wide(3))
    case .rgba16:
      func value(_ channel: Int) -> UInt16 { load(fromByteOffset: x * 8 + channel * 2, as: UInt16.self) }
      return WidePixel(red: value(0), green: value(1), blue: value(2), alpha: value(3))
    case .gray8:
      let gray = UInt16(self[x]) * 257
      return WidePixel(red: gray, green: gray, blue: gray, alpha: .max)
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func store(_ pixel: WidePixel, _ x: Int, _ format: PixelFormat) {
    switch format {
    case .bgra8:
      self[x * 4] = WidePixel.narrow(pixel.blue)
      self[x * 4 + 1] = WidePixel.narrow(pixel.green)
      self[x * 4 + 2] = WidePixel.narrow(pixel.red)
      self[x * 4 + 3] = WidePixel.narrow(pixel.alpha)
    case .rgba16:
      storeBytes(of: pixel.red, toByteOffset: x * 8, as: UInt16.self)
      storeBytes(of: pixel.green, toByteOffset: x * 8 + 2, as: UInt16.self)
      storeBytes(of: pixel.blue, toByteOffset: x * 8 + 4, as: UInt16.self)
      storeBytes(of: pixel.alpha, toByteOffset: x * 8 + 6, as: UInt16.self)
    case .gray8:
      self[x] = WidePixel.narrow(pixel.luma)
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
