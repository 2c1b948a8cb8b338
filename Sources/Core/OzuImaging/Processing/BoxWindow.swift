/// The pixels whose mean is taken: some before the pixel and some after it.
struct BoxWindow {
  let before: Int
  let after: Int

  var length: Int { before + after + 1 }

  /// Three windows that together approximate a Gaussian. An even length cannot be centred: two of the windows are
  /// shifted to opposite sides, and the third is one pixel longer.
  ///
  /// - Parameter deviation: at least 1.
  static func windows(deviation: Double) -> [BoxWindow] {
    let length = Int(deviation * 1.879_971_205_597_325_2 + 0.5)  // 3 × √(2π) ÷ 4
    let half = length / 2
    if length % 2 == 1 { return Array(repeating: BoxWindow(before: half, after: half), count: 3) }
    return [
      BoxWindow(before: half, after: half - 1), BoxWindow(before: half - 1, after: half),
      BoxWindow(before: half, after: half),
    ]
  }

  /// Takes the means along rows. Outside the picture, its border pixels are repeated.
  func alongRows(_ bitmap: BGRABitmap, pool: PixelBufferPool) -> BGRABitmap {
    length <= UInt16.longestBox
      ? alongRows(bitmap, as: UInt16.self, pool) : alongRows(bitmap, as: UInt32.self, pool)
  }

  /// Takes the means along columns.
  func alongColumns(_ bitmap: BGRABitmap, pool: PixelBufferPool) -> BGRABitmap {
    length <= UInt16.longestBox
      ? alongColumns(bitmap, as: UInt16.self, pool) : alongColumns(bitmap, as: UInt32.self, pool)
  }

  /// Handles two rows side by side, which fill a register. Their border pixels are repeated as far as the window
  /// extends outside.
  private func alongRows<Sum: BoxSum>(
    _ bitmap: BGRABitmap, as: Sum.Type, _ pool: PixelBufferPool
  ) -> BGRABitmap {
    let mean = BoxMean<Sum>(length)
    let size = bitmap.size
    let last = size.width - 1
    var line = [SIMD8<UInt8>](repeating: .zero, count: size.width + length)
    let result = bitmap.withPixels { pixels, rows in
      Bitmap(size: size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool) {
        bytes, bytesPerRow in
        line.withUnsafeMutableBufferPointer { line in
          for y in stride(from: 0, to: size.height, by: 2) {
            let below = min(y + 1, size.height - 1)
            let upper = pixels.extracting(rows[y])
            let lower = pixels.extracting(rows[below])
            let inside = min(before, line.count)..<min(before + size.width, line.count)
            for index in 0..<inside.lowerBound { line[index] = SIMD8(upper[0], lower[0]) }
            // From 0 to `size.width`, which is the count of both rows.
            for index in inside {
              line[index] = SIMD8(upper[unchecked: index &- before], lower[unchecked: index &- before])
            }
            for index in inside.upperBound..<line.count { line[index] = SIMD8(upper[last], lower[last]) }
            // Rows of `size.width` pixels, as every `BGRABitmap` has. The upper row is written last, because both
            // may be the same.
            mean.slide(
              line.baseAddress!, length: length, count: size.width,
              to: bytes.baseAddress! + y * bytesPerRow, bytes.baseAddress! + below * bytesPerRow)
          }
        }
      }
    }
    return BGRABitmap(result, pool: pool)
  }

  /// Handles all columns side by side, with one sum for each that moves down row by row, so that memory is read in
  /// order.
  private func alongColumns<Sum: BoxSum>(
    _ bitmap: BGRABitmap, as: Sum.Type, _ pool: PixelBufferPool
  ) -> BGRABitmap {
    let mean = BoxMean<Sum>(length)
    let last = bitmap.size.height - 1
    // Rows have whole groups of four pixels, so pairs may extend beyond the last pixel.
    let pairCount = (bitmap.size.width + 1) / 2
    var sums = [SIMD8<Sum>](repeating: .zero, count: pairCount)
    let sourceBytesPerRow = bitmap.bitmap.bytesPerRow
    let result = bitmap.bitmap.withUnsafeBytes { source in
      func row(_ y: Int) -> UnsafeRawPointer {
        source.baseAddress! + min(max(y, 0), last) * sourceBytesPerRow
      }
      return Bitmap(
        size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool
      ) { target, bytesPerRow in
        sums.withUnsafeMutableBufferPointer { sums in
          let sums = sums.baseAddress!
          for y in -before...after { BoxMean<Sum>.add(row(y), to: sums, count: pairCount) }
          for y in 0...last {
            mean.step(
              sums, entering: row(y + after + 1), leaving: row(y - before), count: pairCount,
              to: target.baseAddress! + y * bytesPerRow)
          }
        }
      }
    }
    return BGRABitmap(result, pool: pool)
  }
}

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
