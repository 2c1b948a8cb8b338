/// Converts luma and chroma to pixels of 16 bits, in floating point: for pictures of more than 8 bits.
struct WideYCbCrConversion {
  private let isGray: Bool
  private let black: Float
  private let lumaScale: Float
  private let neutral: Float
  private let redFactor: Float
  private let greenFactors: (blue: Float, red: Float)
  private let blueFactor: Float

  /// `nil` for planes of colours.
  init?(_ content: PlanarPicture.Content) {
    let encoding: YCbCrEncoding
    switch content {
    case .gray(let own): (encoding, isGray) = (own, true)
    case .yCbCr(let own): (encoding, isGray) = (own, false)
    default: return nil
    }
    let unit = Double(1 << SamplePlane.fractionBits)
    let (kr, kb) = (encoding.matrix.red, encoding.matrix.blue)
    let kg = 1 - kr - kb
    let scale = 65_535 / (255 * unit)
    let chromaScale = scale * (encoding.isFullRange ? 1 : 255.0 / 224)
    black = encoding.isFullRange ? 0 : Float(16 * unit)
    lumaScale = Float(scale * (encoding.isFullRange ? 1 : 255.0 / 219))
    neutral = Float(encoding.neutral * unit)
    redFactor = Float(2 * (1 - kr) * chromaScale)
    greenFactors = (
      Float(-2 * kb * (1 - kb) / kg * chromaScale), Float(-2 * kr * (1 - kr) / kg * chromaScale)
    )
    blueFactor = Float(2 * (1 - kb) * chromaScale)
  }

  /// Makes a row of `width` opaque pixels from rows of samples, which are `planeCount` samples apart.
  ///
  /// Unsafe pointers: each row has `width` samples, and `pixels` has as many places.
  func convert(
    _ samples: UnsafePointer<Int16>, planeCount: Int, to pixels: UnsafeMutablePointer<SIMD4<UInt16>>,
    width: Int
  ) {
    for x in 0..<width {
      let luma = (Float(samples[x]) - black) * lumaScale
      var color = SIMD4<Float>(luma, luma, luma, 65_535)
      if !isGray {
        let blue = Float(samples[planeCount + x]) - neutral
        let red = Float(samples[2 * planeCount + x]) - neutral
        color.x += red * redFactor
        color.y += blue * greenFactors.blue + red * greenFactors.red
        color.z += blue * blueFactor
      }
      let words = color.limited(to: SIMD4(repeating: 65_535)).words
      pixels[x] = SIMD4<UInt16>(truncatingIfNeeded: words)
    }
  }
}

/// Vector operations for the loops over pixels of 16 bits, in forms that compile to a few instructions. `clamped`,
/// `addProduct` and the conversions of the standard library compile to a call for each number there.
extension SIMD4 where Scalar == Float {
  /// Limited to the range from 0 to `most`, for each number.
  @inline(__always)
  func limited(to most: SIMD4<Float>) -> SIMD4<Float> {
    let low = replacing(with: 0 as Float, where: self .< 0)
    return low.replacing(with: most, where: low .> most)
  }

  /// The nearest whole numbers, for values from 0 to 65,535; undefined 16-bit numbers for others.
  @inline(__always)
  var words: SIMD4<UInt32> {
    // From 2^23 on, a Float has no fractional bits: its lower bits are the whole number.
    let bits = unsafeBitCast(self + SIMD4(repeating: 8_388_608), to: SIMD4<UInt32>.self)
    return bits & SIMD4<UInt32>(repeating: 0xFFFF)
  }
}
