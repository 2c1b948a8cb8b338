/// The sRGB curve in both directions, as tables.
struct LightTable: Sendable {
  static let shared = LightTable()

  /// The light of each byte, on a scale to 65,535.
  let lights: [UInt32]
  /// The same in the upper half of a 64-bit word.
  let upperLights: [UInt64]
  /// The byte for each amount of light in a `SamplePlane`: 0 to 255 × 64.
  private let bytes: [UInt8]

  private init() {
    lights = LinearLight.table.map { UInt32(($0 * 65_535).rounded(.toNearestOrAwayFromZero)) }
    upperLights = lights.map { UInt64($0) << 32 }
    let most = 255 << SamplePlane.fractionBits
    bytes = (0...most).map { UInt8(LinearLight.encoded(Float($0) / Float(most))) }
  }

  /// The light of a pixel, premultiplied; alpha itself on the same scale.
  @inline(__always)
  func light(of pixel: SIMD4<UInt8>, isOpaque: Bool) -> SIMD4<UInt16> {
    if isOpaque || pixel.w == 255 {
      return SIMD4(
        truncatingIfNeeded: SIMD4(
          lights[Int(pixel.x)], lights[Int(pixel.y)], lights[Int(pixel.z)], 65_535 as UInt32))
    }
    guard pixel.w > 0 else { return .zero }
    let alpha = UInt32(pixel.w)
    func part(_ value: UInt8) -> UInt16 {
      let straight = min(255, (UInt32(value) * 255 + alpha / 2) / alpha)
      return UInt16((lights[Int(straight)] * alpha + 127) / 255)
    }
    return SIMD4(part(pixel.x), part(pixel.y), part(pixel.z), UInt16(alpha * 257))
  }

  /// The premultiplied byte for an amount of light and an alpha.
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
  /// Converts rows of light to a row of pixels.
  func merge(
    blue: UnsafePointer<Int16>, green: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    alpha: UnsafePointer<Int16>?, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    guard let alpha else { return mergeOpaque(blue: blue, green: green, red: red, to: pixels, width: width) }
    let most = Int16(255 << SamplePlane.fractionBits)
    let half = Int32(1 << (SamplePlane.fractionBits - 1))
    for x in 0..<width {
      let opacity = max(0, min(alpha[x], most))
      let alphaByte = UInt32((Int32(opacity) + half) >> Int32(SamplePlane.fractionBits))
      func part(_ light: Int16) -> UInt32 { min(byte(of: light, alpha: opacity), alphaByte) }
      pixels[x] = UInt32(
        littleEndian: part(blue[x]) | part(green[x]) << 8 | part(red[x]) << 16 | alphaByte << 24)
    }
  }

  /// The same for opaque pixels.
  private func mergeOpaque(
    blue: UnsafePointer<Int16>, green: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    let most = Int16(255 << SamplePlane.fractionBits)
    // The table has a byte for each number from 0 to `most`.
    bytes.withUnsafeBufferPointer { bytes in
      for x in 0..<width {
        func part(_ light: Int16) -> UInt32 { UInt32(bytes[Int(max(0, min(light, most)))]) }
        pixels[x] = UInt32(
          littleEndian: part(blue[x]) | part(green[x]) << 8 | part(red[x]) << 16 | 0xFF00_0000)
      }
    }
  }
}
