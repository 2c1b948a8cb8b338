/// Two pixels of four 16-bit components, interleaved: each 32-bit lane holds one component of both, the first
/// pixel's in the low half.
///
/// The two are neighbours in a row for the horizontal pass, and neighbours in a column for the vertical pass. In
/// this form, multiplying a word by a pair of weights and adding the products in pairs is one instruction on any
/// x86-64 (`pmaddwd`) and two on ARM, without shuffling. Components are 0...255 with `fractionBits` fractional
/// bits. Filters that ring can exceed both ends: the range from -512 to 512 is enough for all kernels.
typealias PixelWord = SIMD4<Int32>

extension PixelWord {
  /// The fractional bits of a component.
  static var fractionBits: Int32 { 6 }

  /// The word of two pixels whose components are in the lower 16 bits.
  @inline(__always)
  init(_ first: SIMD4<Int32>, _ second: SIMD4<Int32>) {
    self = (first & SIMD4(repeating: 0xFFFF)) | (second &<< SIMD4(repeating: 16))
  }

  /// Adds the products of both pixels and their weights to a sum.
  @inline(__always)
  func multiplied(by weights: Int32, addedTo sum: SIMD4<Int32>) -> SIMD4<Int32> {
    multiplied(byWide: PixelWord(repeating: weights).wide, addedTo: sum)
  }

  /// The same with a widened pair of weights in each two lanes.
  @inline(__always)
  func multiplied(byWide pairs: SIMD8<Int32>, addedTo sum: SIMD4<Int32>) -> SIMD4<Int32> {
    let products = wide &* pairs
    return sum &+ (products.evenHalf &+ products.oddHalf)
  }

  /// The numbers of 16 bits in numbers of 32 bits.
  @inline(__always)
  var wide: SIMD8<Int32> {
    let v = unsafeBitCast(self, to: SIMD8<Int16>.self)
    return SIMD8(
      Int32(v[0]), Int32(v[1]), Int32(v[2]), Int32(v[3]), Int32(v[4]), Int32(v[5]), Int32(v[6]), Int32(v[7]))
  }

  /// The initial sum of a pass that ends in words; it rounds the result.
  static var roundingToWord: SIMD4<Int32> { SIMD4<Int32>(repeating: 1 << 13) }

  /// A sum of products as components with fractional bits.
  @inline(__always)
  static func component(_ sum: SIMD4<Int32>) -> SIMD4<Int32> {
    sum &>> SIMD4(repeating: 14)
  }

  /// The initial sum of a pass that ends in bytes; it rounds the result.
  static var roundingToByte: SIMD4<Int32> { SIMD4<Int32>(repeating: 1 << (13 + fractionBits)) }

  /// A sum of products as a pixel of four bytes: limited to 0...255, colours limited to alpha, and opaque if
  /// `opacity` is `0xFF00_0000` instead of 0.
  @inline(__always)
  static func bytes(_ sum: SIMD4<Int32>, opacity: UInt32) -> UInt32 {
    let value = sum &>> SIMD4(repeating: 14 + fractionBits)
    let alpha = opacity == 0 ? Swift.max(0, Swift.min(value.w, 255)) : 255
    let clamped = pointwiseMax(pointwiseMin(value, SIMD4(repeating: alpha)), .zero)
    return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: clamped), to: UInt32.self) | opacity
  }
}

extension PixelWord {
  /// Four words below each other.
  struct Square {
    var a, b, c, d: PixelWord

    /// The columns as words.
    @inline(__always)
    var transposed: Square {
      let left = (PixelWord(a[0], b[0], a[1], b[1]), PixelWord(c[0], d[0], c[1], d[1]))
      let right = (PixelWord(a[2], b[2], a[3], b[3]), PixelWord(c[2], d[2], c[3], d[3]))
      return Square(
        a: PixelWord(lowHalf: left.0.lowHalf, highHalf: left.1.lowHalf),
        b: PixelWord(lowHalf: left.0.highHalf, highHalf: left.1.highHalf),
        c: PixelWord(lowHalf: right.0.lowHalf, highHalf: right.1.lowHalf),
        d: PixelWord(lowHalf: right.0.highHalf, highHalf: right.1.highHalf))
    }

    /// Writes four words side by side.
    @inline(__always)
    func store(to words: UnsafeMutablePointer<PixelWord>) {
      words[0] = a
      words[1] = b
      words[2] = c
      words[3] = d
    }
  }
}
