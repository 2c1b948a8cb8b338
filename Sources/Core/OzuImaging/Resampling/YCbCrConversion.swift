/// Converts luma and chroma to pixels, by the equations of BT.601 and its successors.
///
/// The chroma of a pixel is a word of two numbers, and a channel is the sum of their products with two constants,
/// in the form that is one instruction on any x86-64 (see `PixelWord`). Constants have 14 fractional bits for the
/// full range and 13 for the limited range, where some are above 2.
///
/// Unsafe pointers. Why every index is in bounds: pixels are made four at a time, and rows of samples
/// (`PlaneRun.padded`) and of bitmaps (a multiple of 16 bytes) have whole groups of four.
struct YCbCrConversion {
  private let red: Int32
  private let green: Int32
  private let blue: Int32
  private let luma: Int32
  /// The sample of black, with the fractional bits of a sample.
  private let black: Int32
  private let neutral: Int32
  private let shift: Int32
  private static let opaque = SIMD4<UInt32>(repeating: 0xFF00_0000)

  init(_ encoding: YCbCrEncoding) {
    let bits: Int32 = encoding.isFullRange ? 14 : 13
    let chromaScale = encoding.isFullRange ? 1 : 255.0 / 224
    func pair(_ blueDifference: Double, _ redDifference: Double) -> Int32 {
      func fixed(_ value: Double) -> Int32 { Int32((value * chromaScale * Double(1 << bits)).rounded()) }
      return fixed(blueDifference) & 0xFFFF | fixed(redDifference) << 16
    }
    let kr = encoding.matrix.red
    let kb = encoding.matrix.blue
    let kg = 1 - kr - kb
    red = pair(0, 2 * (1 - kr))
    green = pair(-2 * kb * (1 - kb) / kg, -2 * kr * (1 - kr) / kg)
    blue = pair(2 * (1 - kb), 0)
    let lumaScale = encoding.isFullRange ? 1 : 255.0 / 219
    luma = Int32((lumaScale * Double(1 << bits)).rounded())
    black = encoding.isFullRange ? 0 : 16 << Int32(SamplePlane.fractionBits)
    neutral = Int32((encoding.neutral * Double(1 << SamplePlane.fractionBits)).rounded())
    shift = bits + Int32(SamplePlane.fractionBits)
  }

  /// Makes a row of opaque pixels.
  ///
  /// - Parameters:
  ///   - luma: a row of samples; the rows of chroma have the same length.
  ///   - width: the number of pixels; they are written in whole groups of four.
  func convert(
    luma: UnsafePointer<Int16>, blue: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    let neutral = SIMD4<Int32>(repeating: neutral)
    for x in stride(from: 0, to: width, by: 4) {
      let base = base(luma, x)
      let chroma = PixelWord(Self.load(blue, x) &- neutral, Self.load(red, x) &- neutral)
      Self.store(
        channel(chroma.multiplied(by: self.red, addedTo: base)),
        channel(chroma.multiplied(by: green, addedTo: base)),
        channel(chroma.multiplied(by: self.blue, addedTo: base)), to: pixels + x)
    }
  }

  /// Makes a row of opaque grey pixels.
  func convert(luma: UnsafePointer<Int16>, to pixels: UnsafeMutablePointer<UInt32>, width: Int) {
    for x in stride(from: 0, to: width, by: 4) {
      let gray = channel(base(luma, x))
      Self.store(gray, gray, gray, to: pixels + x)
    }
  }

  @inline(__always)
  private func base(_ row: UnsafePointer<Int16>, _ x: Int) -> SIMD4<Int32> {
    let value = Self.load(row, x) &- SIMD4(repeating: black)
    return value &* SIMD4(repeating: luma) &+ SIMD4(repeating: 1 << (shift - 1))
  }

  @inline(__always)
  static func load(_ row: UnsafePointer<Int16>, _ x: Int) -> SIMD4<Int32> {
    SIMD4<Int32>(
      truncatingIfNeeded: UnsafeRawPointer(row + x).loadUnaligned(as: SIMD4<Int16>.self))
  }

  @inline(__always)
  private func channel(_ sum: SIMD4<Int32>) -> SIMD4<UInt32> {
    let value = sum &>> SIMD4(repeating: shift)
    return SIMD4<UInt32>(
      truncatingIfNeeded: pointwiseMin(pointwiseMax(value, .zero), SIMD4(repeating: 255)))
  }

  @inline(__always)
  private static func store(
    _ red: SIMD4<UInt32>, _ green: SIMD4<UInt32>, _ blue: SIMD4<UInt32>,
    to pixels: UnsafeMutablePointer<UInt32>
  ) {
    let value = opaque | red &<< SIMD4(repeating: 16) | green &<< SIMD4(repeating: 8) | blue
    UnsafeMutableRawPointer(pixels).storeBytes(of: value, as: SIMD4<UInt32>.self)
  }
}

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
