/// Converts luma and chroma to pixels, and rounds the contribution of chroma as a full decode does.
///
/// A full decode has integer chroma and computes integer colour differences from it, pixel by pixel (ITU-T T.871
/// §7). In an even area, all pixels are rounded in the same direction, by up to half a level, and averaging does
/// not remove that: a thumbnail with exact differences would have areas of a slightly different colour than the
/// picture. So the differences are computed for integer chroma, rounded, and interpolated for the values between,
/// which come from resampling. In detailed areas both methods give equal results.
///
/// The arithmetic has 16 bits throughout. A factor is split into a whole number and a rest between -1 and 0, so that
/// the contribution falls by at most one from an integer to the next, in a way that a comparison finds: the product
/// of the rest and an integer, modulo 1, is the lower half of a multiplication; if it is less than the rest, the
/// next integer gives one less. So every pixel needs one product for each kind of chroma, not one for each corner.
///
/// It processes eight pixels at a time. Products are the halves of 32 bits, in the form of a single instruction.
/// A row has two loops: one that ends with pairs of components, and one that interleaves them, because the compiler
/// interleaves vectors lane by lane unless they come from memory.
/// Limits are written with comparisons, because those of the standard library for vectors compile to calls, and then
/// the compiler does not find the instructions.
///
/// Unsafe pointers. Why every index is in bounds: rows of samples have whole groups of eight (`PlaneRun.padded`),
/// rows of bitmaps have whole groups of four (16 bytes), and no group after these is written.
struct RoundedConversion {
  private typealias Samples = SIMD8<Int16>

  private static var fractionBits: Int16 { Int16(SamplePlane.fractionBits) }
  private static var fraction: Samples { Samples(repeating: 1 << fractionBits - 1) }
  private static var integer: Samples { Samples(repeating: -1 << fractionBits) }

  /// The part of a factor between -1 and 0.
  private struct Factor {
    /// With 15 fractional bits.
    var upper: Samples
    /// With 16 fractional bits, modulo 1.
    var lower: Samples
    /// Its absolute value with 16 fractional bits, minus 2^15 as fractions are.
    var threshold: Samples

    init(_ value: Double) {
      let steps = Int(value * Double(1 << 15))
      precondition(-1 << 15 < steps && steps <= 0, "the rest of a factor is between -1 and 0")
      upper = Samples(repeating: Int16(steps))
      lower = Samples(repeating: Int16(truncatingIfNeeded: 2 * steps))
      threshold = Samples(repeating: Int16(-2 * steps - 1 << 15))
    }
  }

  /// In memory and read from there each time: if LLVM knows that factors are constant, it widens them once and then
  /// no longer recognises a multiplication of 16 bits, for which there is an instruction.
  private struct Factors {
    /// Less by 2 than the factors.
    var blue: Factor
    var red: Factor
    var greenOfBlue: Factor
    var greenOfRed: Factor
    /// The numbers that are added before rounding down: with 6 fractional bits, and as the difference from a half
    /// with 16.
    var half: Samples
    var halfOffset: Samples
    /// The same for green, but the first less by 31.
    var greenHalf: Samples
    var greenHalfOffset: Samples
    /// A contribution is kept as its difference from this number: from luma as an unsigned number with an offset
    /// of 2^15, it is subtracted with saturation, and the result is rounded and not negative.
    var base = Samples(repeating: 32767 - 1 << (fractionBits - 1) + 1)
  }

  private let factors: Factors

  /// The conversion for 8-bit samples in the full range; `nil` for others, whose luma is not an integer in the
  /// picture.
  init?(_ encoding: YCbCrEncoding) {
    guard encoding.isFullRange, encoding.bits == 8 else { return nil }
    func fixed(_ value: Double, bits: Int) -> Double {
      let steps = Double(1 << (encoding.factorBits ?? bits))
      return (value * steps).rounded() / steps
    }
    let kr = encoding.matrix.red
    let kb = encoding.matrix.blue
    // Coarse factors give sums that are equally near to two integers; libyuv takes the lower one.
    let isCoarse = encoding.factorBits != nil
    factors = Factors(
      blue: Factor(fixed(2 * (1 - kb), bits: 14) - 2),
      red: Factor(fixed(2 * (1 - kr), bits: 14) - 2),
      greenOfBlue: Factor(fixed(-2 * kb * (1 - kb) / (1 - kr - kb), bits: 15)),
      greenOfRed: Factor(fixed(-2 * kr * (1 - kr) / (1 - kr - kb), bits: 15)),
      half: Samples(repeating: isCoarse ? 30 : 32),
      halfOffset: Samples(repeating: isCoarse ? -2 << 10 : 0),
      greenHalf: Samples(repeating: isCoarse ? 0 : 1),
      greenHalfOffset: Samples(repeating: isCoarse ? -1 << 10 : 0))
  }

  /// Makes a row of opaque pixels.
  ///
  /// - Parameters:
  ///   - luma: a row of samples; the rows of chroma have the same length and are overwritten.
  ///   - width: the number of pixels; they are written in whole groups of four.
  func convert(
    luma: UnsafePointer<Int16>, blue: UnsafeMutablePointer<Int16>, red: UnsafeMutablePointer<Int16>,
    to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    withUnsafePointer(to: factors) { Self.makeComponents($0, luma, blue, red, width: width) }
    Self.weave(blue, red, to: pixels, width: width)
  }

  /// Replaces one kind of chroma by the components blue and green, and the other by red and alpha.
  @inline(never)
  private static func makeComponents(
    _ factors: UnsafePointer<Factors>, _ luma: UnsafePointer<Int16>, _ blue: UnsafeMutablePointer<Int16>,
    _ red: UnsafeMutablePointer<Int16>, width: Int
  ) {
    for x in stride(from: 0, to: width, by: 8) {
      let b = Chroma(load(blue, x))
      let r = Chroma(load(red, x))
      let greenRest =
        b.whole &* factors.pointee.greenOfBlue.lower &+ r.whole &* factors.pointee.greenOfRed.lower
        &+ factors.pointee.greenHalfOffset
      // The sum of the upper halves is up to 2 too low. The fraction is known, so the integer is too.
      let sum =
        upperProduct(b.doubleWhole, factors.pointee.greenOfBlue.upper)
        &+ upperProduct(r.doubleWhole, factors.pointee.greenOfRed.upper)
      let corner =
        (sum &- greenRest &>> Samples(repeating: 16 - fractionBits) &+ factors.pointee.greenHalf) & integer
      // How much less it is at the other end of the upper, lower and left side of the square.
      let ofBlue = factors.pointee.greenOfBlue.threshold
      let upper = choose(b.part, where: greenRest, isLess: ofBlue)
      let lower = choose(b.part, where: greenRest &+ factors.pointee.greenOfRed.lower, isLess: ofBlue)
      let left = choose(r.part, where: greenRest, isLess: factors.pointee.greenOfRed.threshold)
      let turn = (upper &- lower) &* r.part &+ Samples(repeating: 1 << (fractionBits - 1))
      let base = factors.pointee.base
      let green = base &- corner &+ upper &+ left &- turn &>> Samples(repeating: fractionBits)

      let blueRest = b.whole &* factors.pointee.blue.lower &+ factors.pointee.halfOffset
      let blueCorner =
        (upperProduct(b.doubleWhole, factors.pointee.blue.upper) &+ factors.pointee.half) & integer
      let blueStep = choose(b.part, where: blueRest, isLess: factors.pointee.blue.threshold)

      let redRest = r.whole &* factors.pointee.red.lower &+ factors.pointee.halfOffset
      let redCorner =
        (upperProduct(r.doubleWhole, factors.pointee.red.upper) &+ factors.pointee.half) & integer
      let redStep = choose(r.part, where: redRest, isLess: factors.pointee.red.threshold)

      let luma = load(luma, x) ^ Samples(repeating: .min)
      let blueAndGreen =
        component(luma, base &- b.double &- blueCorner &+ blueStep)
        | component(luma, green) &<< Samples(repeating: 8)
      store(blueAndGreen, blue, x)
      store(
        component(luma, base &- r.double &- redCorner &+ redStep) | Samples(repeating: -0x100), red, x)
    }
  }

  /// Chroma around 0.
  private struct Chroma {
    /// With fractional bits, doubled.
    let double: Samples
    /// The integer below.
    let whole: Samples
    /// The integer below with 7 fractional bits.
    let doubleWhole: Samples
    /// The fractional bits.
    let part: Samples

    /// Values outside the range of bytes are only overshoots of a filter. The range ends one step earlier, so that
    /// twice the next integer still fits into 16 bits.
    @inline(__always)
    init(_ samples: Samples) {
      let limit = Samples(repeating: 255 << fractionBits - 1)
      let raised = samples &- Samples(repeating: 128 << fractionBits)
      let chroma = RoundedConversion.clamp(raised, from: .zero &- limit, to: limit)
      double = chroma &+ chroma
      whole = chroma &>> Samples(repeating: fractionBits)
      part = chroma & RoundedConversion.fraction
      doubleWhole = double & (RoundedConversion.integer &<< Samples(repeating: 1))
    }
  }

  /// A component of pixels, 0 to 255.
  @inline(__always)
  private static func component(_ luma: Samples, _ contribution: Samples) -> Samples {
    let luma = unsafeBitCast(luma, to: SIMD8<UInt16>.self)
    let contribution = unsafeBitCast(contribution, to: SIMD8<UInt16>.self)
    // A subtraction that ends at 0: in this form, it is one instruction.
    let sum = luma.replacing(with: contribution, where: luma .< contribution) &- contribution
    let value = unsafeBitCast(sum &>> SIMD8(repeating: UInt16(fractionBits)), to: Samples.self)
    let white = Samples(repeating: 255)
    return value.replacing(with: white, where: value .> white)
  }

  /// Writes pixels of two numbers of 16 bits.
  @inline(never)
  private static func weave(
    _ lower: UnsafePointer<Int16>, _ upper: UnsafePointer<Int16>, to pixels: UnsafeMutablePointer<UInt32>,
    width: Int
  ) {
    for x in stride(from: 0, to: width, by: 8) {
      let l = load(lower, x)
      let u = load(upper, x)
      let target = UnsafeMutableRawPointer(pixels + x)
      target.storeBytes(of: Samples(l[0], u[0], l[1], u[1], l[2], u[2], l[3], u[3]), as: Samples.self)
      if x &+ 4 < width {
        target.storeBytes(
          of: Samples(l[4], u[4], l[5], u[5], l[6], u[6], l[7], u[7]), toByteOffset: 16, as: Samples.self)
      }
    }
  }

  /// `value` in the lanes where one number is less than another, and 0 elsewhere.
  @inline(__always)
  private static func choose(_ value: Samples, where first: Samples, isLess second: Samples) -> Samples {
    Samples.zero.replacing(with: value, where: first .< second)
  }

  /// The upper half of a product.
  @inline(__always)
  private static func upperProduct(_ samples: Samples, _ factors: Samples) -> Samples {
    @inline(__always)
    func upper(_ lane: Int) -> Int16 {
      Int16(truncatingIfNeeded: (Int32(samples[lane]) &* Int32(factors[lane])) &>> 16)
    }
    return Samples(upper(0), upper(1), upper(2), upper(3), upper(4), upper(5), upper(6), upper(7))
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
