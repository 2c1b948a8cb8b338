extension Resampler {
  /// Resamples amounts of light: each value goes through the curve of sRGB before the filter, and back after it.
  ///
  /// The rows go through `RowAverager` as 16-bit numbers, one plane a colour, and the planes through the filter as
  /// those of decoders do. Between, 255 is all light, with the bits of `SamplePlane` behind the point: the darkest
  /// values of sRGB are five steps apart there.
  ///
  /// Unsafe pointers: rows of the source have `size.width` pixels, and so have the four rows of numbers.
  func resampleLight(
    of bitmap: Bitmap, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool
  ) -> Bitmap {
    let channels = bitmap.isOpaque ? 3 : 4
    func step(_ length: Double, _ count: Int) -> Int {
      min(max(1, Int(length / Double(count) / PlaneAveraging.headroom)), RowAverager.longestStep)
    }
    let squares = RowAverager.Step(
      columns: step(region.width, size.width), rows: step(region.height, size.height))
    let averagers = (0..<channels).map { _ in
      RowAverager(size: bitmap.size, channels: 1, step: squares, white: 65_535, pool: pool)
    }
    let width = bitmap.size.width
    let block = pool.takeBlock(byteCount: width * 2 * channels)
    defer { pool.giveBack(block) }
    let rows = block.bindMemory(to: UInt16.self).baseAddress!
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.size.height {
        let pixels = bytes.baseAddress! + y * bitmap.bytesPerRow
        for x in 0..<width {
          let pixel = pixels.loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self)
          let light = LightTable.shared.light(of: pixel, isOpaque: bitmap.isOpaque)
          for channel in 0..<channels { rows[channel * width + x] = light[channel] }
        }
        for channel in 0..<channels { averagers[channel].add(words: rows + channel * width) }
      }
    }
    let planes = averagers.map { $0.planes[0] }
    return resample(
      PlanarPicture(
        lightOfBlue: planes[0], green: planes[1], red: planes[2], alpha: channels == 4 ? planes[3] : nil),
      region: region.scaled(
        horizontal: 1 / Double(bitmap.size.width), vertical: 1 / Double(bitmap.size.height)),
      to: size, colorSpace: bitmap.colorSpace, pool: pool)
  }
}

/// The curve of sRGB in both directions, as tables.
struct LightTable: Sendable {
  static let shared = LightTable()

  /// The light of each byte, of 65,535.
  private let lights: [UInt16]
  /// The byte of each amount of light in a `SamplePlane`: 0 to 255 × 64.
  private let bytes: [UInt8]

  private init() {
    lights = LinearLight.table.map { UInt16(($0 * 65_535).rounded(.toNearestOrAwayFromZero)) }
    let most = 255 << SamplePlane.fractionBits
    bytes = (0...most).map { UInt8(LinearLight.encoded(Float($0) / Float(most))) }
  }

  /// The light of a pixel, times its alpha; alpha itself on the same scale.
  @inline(__always)
  func light(of pixel: SIMD4<UInt8>, isOpaque: Bool) -> SIMD4<UInt16> {
    if isOpaque || pixel.w == 255 {
      return SIMD4(lights[Int(pixel.x)], lights[Int(pixel.y)], lights[Int(pixel.z)], 65_535)
    }
    guard pixel.w > 0 else { return .zero }
    let alpha = UInt32(pixel.w)
    func part(_ value: UInt8) -> UInt16 {
      let straight = min(255, (UInt32(value) * 255 + alpha / 2) / alpha)
      return UInt16((UInt32(lights[Int(straight)]) * alpha + 127) / 255)
    }
    return SIMD4(part(pixel.x), part(pixel.y), part(pixel.z), UInt16(alpha * 257))
  }

  /// The byte of so much light out of so much alpha, times alpha.
  @inline(__always)
  func byte(of light: Int16, alpha: Int16) -> UInt32 {
    let most = Int32(255 << SamplePlane.fractionBits)
    guard alpha > 0 else { return 0 }
    if Int32(alpha) >= most { return UInt32(bytes[Int(max(0, min(Int32(light), most)))]) }
    let straight = max(0, min(most, Int32(light) * most / Int32(alpha)))
    let value = Int32(bytes[Int(straight)]) * Int32(alpha)
    return UInt32((value + most / 2) / most)
  }
}

extension LightTable {
  /// Makes a row of pixels from rows of light.
  func merge(
    blue: UnsafePointer<Int16>, green: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    alpha: UnsafePointer<Int16>?, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    let most = Int16(255 << SamplePlane.fractionBits)
    let half = Int32(1 << (SamplePlane.fractionBits - 1))
    for x in 0..<width {
      let opacity = alpha.map { max(0, min($0[x], most)) } ?? most
      let alphaByte = UInt32((Int32(opacity) + half) >> Int32(SamplePlane.fractionBits))
      func part(_ light: Int16) -> UInt32 { min(byte(of: light, alpha: opacity), alphaByte) }
      pixels[x] = UInt32(
        littleEndian: part(blue[x]) | part(green[x]) << 8 | part(red[x]) << 16 | alphaByte << 24)
    }
  }
}
