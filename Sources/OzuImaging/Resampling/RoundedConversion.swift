/// Converts luma and chroma to pixels, and rounds the contribution of chroma as a full decode does.
///
/// A full decode has integer chroma and computes integer colour differences from it, pixel by pixel (ITU-T T.871
/// §7). In an even area, all pixels are rounded in the same direction, by up to half a level, and averaging does
/// not remove that: a thumbnail with exact differences would have areas of a slightly different colour than the
/// picture. So the differences are computed for integer chroma, rounded, and interpolated for the values between,
/// which come from resampling. In detailed areas both methods give equal results.
///
/// It processes eight pixels at a time, in 16 bits throughout: products are the upper halves of 32 bits, in the
/// form of a single instruction. Conversions and limits are written lane by lane or with comparisons, because those
/// of the standard library for vectors compile to calls, and then the compiler does not find the instruction for
/// the upper half. A row has four short loops, because a single loop is too long for the optimiser to inline its
/// operations.
///
/// Unsafe pointers. Why every index is in bounds: rows of samples have whole groups of eight (`PlaneRun.padded`),
/// rows of bitmaps have whole groups of four (16 bytes), and no group after these is written.
struct RoundedConversion {
  private typealias Samples = SIMD8<Int16>

  private static var fractionBits: Int16 { Int16(SamplePlane.fractionBits) }
  private static var fraction: Samples { Samples(repeating: 1 << fractionBits - 1) }

  /// Factors with 14 fractional bits, and the rounding of products that are shifted by 5 bits.
  private var red: Int16
  private var blue: Int16
  private let half: Int16
  /// Factors with 15 fractional bits, and the rounding of sums that are shifted by 6 bits.
  private var greenOfBlue: Int16
  private var greenOfRed: Int16
  private let greenHalf: Int16

  /// The conversion for 8-bit samples in the full range; `nil` for others, whose luma is not an integer in the
  /// picture.
  init?(_ encoding: YCbCrEncoding) {
    guard encoding.isFullRange, encoding.bits == 8 else { return nil }
    func fixed(_ value: Double, bits: Int) -> Int16 {
      let steps = Double(1 << (encoding.factorBits ?? bits))
      return Int16((value * steps).rounded() / steps * Double(1 << bits))
    }
    let kr = encoding.matrix.red
    let kb = encoding.matrix.blue
    red = fixed(2 * (1 - kr), bits: 14)
    blue = fixed(2 * (1 - kb), bits: 14)
    greenOfBlue = fixed(-2 * kb * (1 - kb) / (1 - kr - kb), bits: 15)
    greenOfRed = fixed(-2 * kr * (1 - kr) / (1 - kr - kb), bits: 15)
    // Coarse factors give sums that are equally near to two integers; libyuv takes the lower one.
    let isCoarse = encoding.factorBits != nil
    half = isCoarse ? 15 : 16
    greenHalf = isCoarse ? 31 : 32
  }

  /// Makes a row of opaque pixels.
  ///
  /// - Parameters:
  ///   - luma: a row of samples; the rows of chroma have the same length and are overwritten.
  ///   - green: working space for a row.
  ///   - width: the number of pixels; they are written in whole groups of four.
  func convert(
    luma: UnsafePointer<Int16>, blue: UnsafeMutablePointer<Int16>, red: UnsafeMutablePointer<Int16>,
    green: UnsafeMutablePointer<Int16>, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    var factors = self
    makeGreen(blue, red, &factors.greenOfBlue, &factors.greenOfRed, to: green, width: width)
    makeDifference(blue, &factors.blue, width: width)
    makeDifference(red, &factors.red, width: width)
    Self.merge(luma, blue, green, red, to: pixels, width: width)
  }

  /// Replaces one kind of chroma by its contribution to the colour, with the fractional bits of samples.
  @inline(never)
  private func makeDifference(
    _ row: UnsafeMutablePointer<Int16>, _ factor: UnsafePointer<Int16>, width: Int
  ) {
    for x in stride(from: 0, to: width, by: 8) {
      let chroma = Self.chroma(row, x)
      let part = chroma & Self.fraction
      let whole = (chroma &- part) &<< Samples(repeating: 1)
      // 7 + 14 - 16 fractional bits.
      let next = whole &+ Samples(repeating: 2 << Self.fractionBits)
      let low = (Self.product(whole, factor) &+ Samples(repeating: half)) &>> Samples(repeating: 5)
      let high = (Self.product(next, factor) &+ Samples(repeating: half)) &>> Samples(repeating: 5)
      Self.store(low &<< Samples(repeating: Self.fractionBits) &+ (high &- low) &* part, row, x)
    }
  }

  /// The contribution of both kinds of chroma to green: rounded at the corners of a square and interpolated.
  @inline(never)
  private func makeGreen(
    _ blue: UnsafePointer<Int16>, _ red: UnsafePointer<Int16>, _ ofBlue: UnsafePointer<Int16>,
    _ ofRed: UnsafePointer<Int16>, to green: UnsafeMutablePointer<Int16>, width: Int
  ) {
    for x in stride(from: 0, to: width, by: 8) {
      let blueChroma = Self.chroma(blue, x)
      let redChroma = Self.chroma(red, x)
      let bluePart = blueChroma & Self.fraction
      let redPart = redChroma & Self.fraction
      // 7 + 15 - 16 fractional bits.
      let blueWhole = (blueChroma &- bluePart) &<< Samples(repeating: 1)
      let redWhole = (redChroma &- redPart) &<< Samples(repeating: 1)
      let one = Samples(repeating: 2 << Self.fractionBits)
      let blueLow = Self.wholeProduct(blueWhole, ofBlue)
      let blueHigh = Self.wholeProduct(blueWhole &+ one, ofBlue)
      let redLow = Self.wholeProduct(redWhole, ofRed)
      let redHigh = Self.wholeProduct(redWhole &+ one, ofRed)
      let first = between(blueLow, blueHigh, redLow, bluePart)
      let second = between(blueLow, blueHigh, redHigh, bluePart)
      let steps = (second &- first) &* redPart &+ Samples(repeating: 1 << (Self.fractionBits - 1))
      let step = steps &>> Samples(repeating: Self.fractionBits)
      Self.store(first &+ step, green, x)
    }
  }

  /// Adds luma and the contributions of chroma, and writes pixels.
  @inline(never)
  private static func merge(
    _ luma: UnsafePointer<Int16>, _ blue: UnsafePointer<Int16>, _ green: UnsafePointer<Int16>,
    _ red: UnsafePointer<Int16>, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    for x in stride(from: 0, to: width, by: 8) {
      let base = load(luma, x)
      let lower = channel(base, load(blue, x)) | channel(base, load(green, x)) &<< SIMD8(repeating: 8)
      let upper = channel(base, load(red, x)) | SIMD8(repeating: 0xFF00)
      let group = wide(lower) | wide(upper) &<< SIMD8(repeating: 16)
      let target = UnsafeMutableRawPointer(pixels + x)
      if x &+ 4 < width {
        target.storeBytes(of: group, as: SIMD8<UInt32>.self)
      } else {
        target.storeBytes(of: group.lowHalf, as: SIMD4<UInt32>.self)
      }
    }
  }

  @inline(__always)
  private static func channel(_ base: Samples, _ difference: Samples) -> SIMD8<UInt16> {
    // Half of the sum, exact except for its last bit: the sum itself may have 17 bits.
    let last = base & difference & Samples(repeating: 1)
    let half = base &>> Samples(repeating: 1) &+ difference &>> Samples(repeating: 1) &+ last
    let value =
      (half &+ Samples(repeating: 1 << (fractionBits - 2))) &>> Samples(repeating: fractionBits - 1)
    let byte = clamp(value, from: .zero, to: Samples(repeating: 255))
    return unsafeBitCast(byte, to: SIMD8<UInt16>.self)
  }

  /// Interpolates between the rounded sums of two products and a third.
  @inline(__always)
  private func between(
    _ first: (upper: Samples, lower: Samples), _ second: (upper: Samples, lower: Samples),
    _ third: (upper: Samples, lower: Samples), _ part: Samples
  ) -> Samples {
    @inline(__always)
    func rounded(_ product: (upper: Samples, lower: Samples)) -> Samples {
      // The carry of the lower halves is the top bit of their sum, which as a signed number is -1.
      let carry = (product.lower &+ third.lower) &>> Samples(repeating: 15)
      return (product.upper &+ third.upper &- carry &+ Samples(repeating: greenHalf))
        &>> Samples(repeating: 6)
    }
    let low = rounded(first)
    return low &<< Samples(repeating: Self.fractionBits) &+ (rounded(second) &- low) &* part
  }

  /// Both halves of a product; the lower half without its last bit, as 0 to 32,767.
  @inline(__always)
  private static func wholeProduct(
    _ samples: Samples, _ factor: UnsafePointer<Int16>
  ) -> (upper: Samples, lower: Samples) {
    let lower = unsafeBitCast(samples &* Samples(repeating: factor.pointee), to: SIMD8<UInt16>.self)
    return (product(samples, factor), unsafeBitCast(lower &>> SIMD8<UInt16>(repeating: 1), to: Samples.self))
  }

  /// The upper half of a product.
  ///
  /// The factor is read from memory each time. If LLVM knows that it is constant, it widens it once and then no
  /// longer recognises a multiplication of 16 bits, for which there is an instruction.
  @inline(__always)
  private static func product(_ samples: Samples, _ factor: UnsafePointer<Int16>) -> Samples {
    let factors = Samples(repeating: factor.pointee)
    @inline(__always)
    func upper(_ lane: Int) -> Int16 {
      Int16(truncatingIfNeeded: (Int32(samples[lane]) &* Int32(factors[lane])) &>> 16)
    }
    return Samples(upper(0), upper(1), upper(2), upper(3), upper(4), upper(5), upper(6), upper(7))
  }

  /// Chroma around 0. Values outside the range of bytes are only overshoots of a filter. The range ends one step
  /// earlier, so that twice the next integer still fits into 16 bits.
  @inline(__always)
  private static func chroma(_ row: UnsafePointer<Int16>, _ x: Int) -> Samples {
    let limit = Samples(repeating: 255 << fractionBits - 1)
    let chroma = load(row, x) &- Samples(repeating: 128 << fractionBits)
    return Self.clamp(chroma, from: .zero &- limit, to: limit)
  }

  /// Widened with zeros.
  @inline(__always)
  private static func wide(_ v: SIMD8<UInt16>) -> SIMD8<UInt32> {
    SIMD8(
      UInt32(v[0]), UInt32(v[1]), UInt32(v[2]), UInt32(v[3]), UInt32(v[4]), UInt32(v[5]), UInt32(v[6]),
      UInt32(v[7]))
  }

  @inline(__always)
  private static func clamp(_ samples: Samples, from lower: Samples, to upper: Samples) -> Samples {
    let raised = samples.replacing(with: lower, where: samples .< lower)
    return raised.replacing(with: upper, where: raised .> upper)
  }

  @inline(__always)
  private static func load(_ row: UnsafePointer<Int16>, _ x: Int) -> Samples {
    UnsafeRawPointer(row + x).loadUnaligned(as: Samples.self)
  }

  @inline(__always)
  private static func store(_ samples: Samples, _ row: UnsafeMutablePointer<Int16>, _ x: Int) {
    UnsafeMutableRawPointer(row + x).storeBytes(of: samples, as: Samples.self)
  }
}
