/// The integers in which the pixels of a box are summed, two pixels side by side.
///
/// A protocol, because vector conversions are inlined only if their types are written out.
protocol BoxSum: FixedWidthInteger, UnsignedInteger, SIMDScalar, Codable {
  /// The longest box whose sum fits, rounding included.
  static var longestBox: Int { get }
  /// How many bits a product is shifted by, for boxes of a length.
  static func shift(length: Int) -> Int
  /// Bytes as wider integers, for adding.
  static func widened(_ bytes: SIMD8<UInt8>) -> SIMD8<Self>
  /// The product of numbers and a reciprocal, shifted.
  static func product(_ sum: SIMD8<Self>, _ reciprocal: UnsafePointer<Self>, shift: Self) -> SIMD8<UInt8>
}

/// Computes means from sums by multiplying with the reciprocal, rounded to nearest. For more than 127 pixels the
/// result can be one off if two values are nearly equally near.
///
/// Loops are separate functions: in a long function the optimiser does not inline vector conversions.
///
/// Unsafe pointers. Why every index is in bounds: the only caller, `BoxWindow`, passes `count + length` pairs in a
/// line, `count` sums, and rows of `count` pixels or pairs.
struct BoxMean<Sum: BoxSum> {
  private let half: Sum
  private let reciprocal: Sum
  private let shift: Sum

  /// The mean of `length` pixels, at least two.
  init(_ length: Int) {
    precondition(2...Sum.longestBox ~= length, "a box that fits")
    let bits = Sum.shift(length: length)
    half = Sum(length / 2)
    reciprocal = Sum(((1 << bits) + length - 1) / length)
    shift = Sum(bits)
  }

  /// The means of sums. For tests; the loops have their own code.
  func callAsFunction(_ sum: SIMD8<Sum>) -> SIMD8<UInt8> {
    withUnsafePointer(to: reciprocal) { Sum.product(sum &+ SIMD8(repeating: half), $0, shift: shift) }
  }

  /// Writes, for each position, the mean of the `length` pairs that begin there.
  @inline(never)
  func slide(
    _ line: UnsafePointer<SIMD8<UInt8>>, length: Int, count: Int, to upper: UnsafeMutableRawPointer,
    _ lower: UnsafeMutableRawPointer
  ) {
    withUnsafePointer(to: reciprocal) { reciprocal in
      var sum = SIMD8<Sum>(repeating: half)
      for index in 0..<length { sum &+= Sum.widened(line[index]) }
      for x in 0..<count {
        let pixels = Sum.product(sum, reciprocal, shift: shift).pixels
        lower.storeBytes(of: pixels.1, toByteOffset: 4 &* x, as: Pixel.self)
        upper.storeBytes(of: pixels.0, toByteOffset: 4 &* x, as: Pixel.self)
        sum = sum &+ Sum.widened(line[x &+ length]) &- Sum.widened(line[x])
      }
    }
  }

  /// Adds a row of pairs to sums.
  @inline(never)
  static func add(_ row: UnsafeRawPointer, to sums: UnsafeMutablePointer<SIMD8<Sum>>, count: Int) {
    for pair in 0..<count {
      sums[pair] &+= Sum.widened(row.loadUnaligned(fromByteOffset: 8 &* pair, as: SIMD8<UInt8>.self))
    }
  }

  /// Writes the means of the sums, and moves the sums on by one row.
  @inline(never)
  func step(
    _ sums: UnsafeMutablePointer<SIMD8<Sum>>, entering: UnsafeRawPointer, leaving: UnsafeRawPointer,
    count: Int, to target: UnsafeMutableRawPointer
  ) {
    let half = SIMD8<Sum>(repeating: half)
    withUnsafePointer(to: reciprocal) { reciprocal in
      for pair in 0..<count {
        let sum = sums[pair]
        target.storeBytes(
          of: Sum.product(sum &+ half, reciprocal, shift: shift), toByteOffset: 8 &* pair,
          as: SIMD8<UInt8>.self)
        let new = Sum.widened(entering.loadUnaligned(fromByteOffset: 8 &* pair, as: SIMD8<UInt8>.self))
        let old = Sum.widened(leaving.loadUnaligned(fromByteOffset: 8 &* pair, as: SIMD8<UInt8>.self))
        sums[pair] = sum &+ new &- old
      }
    }
  }
}

extension UInt16: BoxSum {
  static var longestBox: Int { 256 }

  /// The shift that leaves the reciprocal 16 bits.
  static func shift(length: Int) -> Int {
    16 + Int.bitWidth - 1 - (length - 1).leadingZeroBitCount
  }

  @inline(__always)
  static func widened(_ bytes: SIMD8<UInt8>) -> SIMD8<UInt16> { SIMD8<UInt16>(truncatingIfNeeded: bytes) }

  /// The upper half of a product, in the form of a single instruction, and then the rest of the shift.
  ///
  /// The reciprocal is read from memory each time. If LLVM knows that it is constant, it widens it once and then no
  /// longer recognises a multiplication of 16 bits.
  @inline(__always)
  static func product(
    _ sum: SIMD8<UInt16>, _ reciprocal: UnsafePointer<UInt16>, shift: UInt16
  ) -> SIMD8<UInt8> {
    let factors = SIMD8<UInt32>(truncatingIfNeeded: SIMD8<UInt16>(repeating: reciprocal.pointee))
    let product = SIMD8<UInt32>(truncatingIfNeeded: sum) &* factors
    let upper = SIMD8<UInt16>(truncatingIfNeeded: product &>> SIMD8(repeating: 16))
    return SIMD8<UInt8>(truncatingIfNeeded: upper &>> SIMD8(repeating: shift &- 16))
  }
}

extension UInt32: BoxSum {
  static var longestBox: Int { 1 << 14 }

  /// 255 times a number with 24 fractional bits fits, rounding included.
  static func shift(length: Int) -> Int { 24 }

  @inline(__always)
  static func widened(_ bytes: SIMD8<UInt8>) -> SIMD8<UInt32> { SIMD8<UInt32>(truncatingIfNeeded: bytes) }

  @inline(__always)
  static func product(
    _ sum: SIMD8<UInt32>, _ reciprocal: UnsafePointer<UInt32>, shift: UInt32
  ) -> SIMD8<UInt8> {
    SIMD8<UInt8>(
      truncatingIfNeeded: (sum &* SIMD8(repeating: reciprocal.pointee)) &>> SIMD8(repeating: shift))
  }
}
