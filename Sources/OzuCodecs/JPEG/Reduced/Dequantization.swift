/// The quantization steps in the order in which `ReducedIDCT` reads the coefficients of squares above 2.
///
/// The loop over the bits of a sequential file writes coefficients as they are: their products are made here, eight at a time.
/// The scans of a progressive file write products, so there all steps are 1.
///
/// A product of 16 bits could overflow. So a coefficient is limited first: to 2048 divided by the step, rounded up. Coefficients
/// of 8 × 8 bytes are below that.
struct Dequantization {
  typealias Vector = SIMD8<Int16>

  /// For each vector of a square eight steps, and eight limits of coefficients behind all steps.
  private let vectors: UnsafeMutablePointer<Vector>

  /// Begins with steps of 1.
  init() {
    vectors = .allocate(capacity: 16)
    vectors.initialize(repeating: Vector(repeating: 1), count: 8)
    (vectors + 8).initialize(repeating: Vector(repeating: .max), count: 8)
  }

  func free() { vectors.deallocate() }

  /// Sets the steps of a square of `scale`, except for its mean, which is a product in every file.
  ///
  /// - Parameter steps: 64 steps of 1 to 255 in zigzag order.
  func set(_ steps: UnsafePointer<Int32>, scale: Int) {
    for (index, position) in ReducedComponent.zigzag.enumerated().dropFirst() {
      // The axes of a square are exchanged, and its vectors are columns.
      let (lane, vector) = (position / 8, position % 8)
      guard lane < scale, vector < scale else { continue }
      let limit = Int16((2047 + steps[index]) / steps[index])
      // A vector has two squares of 3 or 4.
      for lane in scale > 4 ? [lane] : [lane, lane + 4] {
        vectors[vector][lane] = Int16(steps[index])
        vectors[vector + 8][lane] = limit
      }
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
}
