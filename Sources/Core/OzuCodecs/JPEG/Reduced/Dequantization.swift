/// The quantization steps in the order in which `ReducedIDCT` reads the coefficients of squares above 1.
///
/// Scans write coefficients as they are, and their products are made here, eight at a time. Means are products before, and so
/// are all coefficients of squares of 2 in sequential files.
///
/// A product of 16 bits could overflow. So a coefficient is limited first: to 2048 divided by the step, rounded up. Coefficients
/// of 8 × 8 bytes are below that.
struct Dequantization {
  typealias Vector = SIMD8<Int16>

  /// For each vector of a square eight steps; behind all steps eight limits of coefficients for each; behind these, eight
  /// amounts that are added for missing bits.
  private let vectors: UnsafeMutablePointer<Vector>

  /// Begins with steps of 1.
  init() {
    vectors = .allocate(capacity: 24)
    vectors.initialize(repeating: Vector(repeating: 1), count: 8)
    (vectors + 8).initialize(repeating: Vector(repeating: .max), count: 8)
    (vectors + 16).initialize(repeating: .zero, count: 8)
  }

  func free() { vectors.deallocate() }

  /// Sets the steps of a square of `scale`, except for its mean, which is a product in every file.
  ///
  /// - Parameter steps: 64 steps of 1 to 255 in zigzag order.
  func set(_ steps: UnsafePointer<Int32>, scale: Int) {
    forEachLane(scale: scale) { index, vector, lane in
      vectors[vector][lane] = Int16(steps[index])
      vectors[vector + 8][lane] = Int16((2047 + steps[index]) / steps[index])
    }
  }

  /// Sets the amounts that are added for bits which a progressive file has in scans that were not read.
  ///
  /// Small values are more frequent than large ones, so 3/8 of the range of the missing bits is added. That improves the
  /// picture by about half a decibel over adding nothing.
  ///
  /// - Parameters:
  ///   - bits: the number of missing bits of each coefficient in zigzag order, at most 13.
  ///   - steps: 64 steps of 1 to 255 in zigzag order.
  /// - Returns: whether there are any.
  func estimate(_ bits: [Int], _ steps: UnsafePointer<Int32>, scale: Int) -> Bool {
    var isAny = false
    forEachLane(scale: scale) { index, vector, lane in
      let amount = (((1 << Int32(bits[index])) - 1) * steps[index] * 3) >> 3
      vectors[vector + 16][lane] = Int16(min(amount, 2047))
      if amount > 0 { isAny = true }
    }
    return isAny
  }

  /// Calls the closure for each lane with a coefficient that is kept, except for the mean.
  private func forEachLane(scale: Int, _ set: (_ index: Int, _ vector: Int, _ lane: Int) -> Void) {
    for (index, position) in ReducedComponent.zigzag.enumerated().dropFirst() {
      // Squares above 2 have their axes exchanged, so their vectors are columns.
      let (row, column) = (position / 8, position % 8)
      guard row < scale, column < scale else { continue }
      let (lane, vector) = scale > 2 ? (row, column) : (column, row)
      // A vector has two squares of 3 or 4, and four of 2.
      let width = scale > 4 ? 8 : scale > 2 ? 4 : 2
      for lane in stride(from: lane, to: 8, by: width) { set(index, vector, lane) }
    }
  }

  /// The products of a vector of a square.
  @inline(__always)
  func products(_ coefficients: Vector, vector: Int) -> Vector {
    let limit = vectors[vector &+ 8]
    let below = coefficients.replacing(with: limit, where: coefficients .> limit)
    let negative = .zero &- limit
    return below.replacing(with: negative, where: below .< negative) &* vectors[vector]
  }

  /// The products of a vector of a square, with the estimate for missing bits of each that is not zero. They are limited to
  /// twice the range of valid files.
  @inline(__always)
  func estimates(_ coefficients: Vector, vector: Int) -> Vector {
    let products = products(coefficients, vector: vector)
    let missing = vectors[vector &+ 16]
    let above = Vector.zero.replacing(with: missing, where: products .> .zero)
    let below = Vector.zero.replacing(with: missing, where: products .< .zero)
    let sum = products &+ above &- below
    let high = Vector(repeating: 2047), low = Vector(repeating: -2048)
    let limited = sum.replacing(with: high, where: sum .> high)
    return limited.replacing(with: low, where: limited .< low)
  }
}
