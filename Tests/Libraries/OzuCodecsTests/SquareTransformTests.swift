import Foundation
import JPEGOracle
import OzuTesting
import Testing

@testable import OzuCodecs

/// The transforms of 3 to 6 and 8 eighths against a model in the same arithmetic, and against exact arithmetic.
@Suite("Transforms of 3 to 6 and 8 eighths")
struct SquareTransformTests {
  /// The kinds of blocks of random coefficients.
  enum Kind: CaseIterable {
    /// One coefficient, at every place in turn, of a random size or an extreme.
    case single
    /// A few coefficients of the range that the decoder clamps to.
    case sparse
    /// All coefficients of that range.
    case dense
    /// All coefficients of 16 bits, except for the smallest: the decoder has none beyond its limits.
    case wide
    /// The ends of the ranges, their neighbours and zero.
    case extreme
    /// The ends of the range that the decoder clamps to.
    case clamped

    func block(_ index: Int, side: Int, _ random: inout SeededGenerator) -> [Int16] {
      let all = 0..<side * side
      switch self {
      case .single:
        var block = all.map { _ in Int16(0) }
        block[index % (side * side)] =
          [Int16.random(in: -.max ... .max, using: &random), -.max, .max, -2048, 2047][
            index / (side * side) % 5]
        return block
      case .sparse:
        return all.map { _ in
          Int.random(in: 0..<8, using: &random) == 0 ? Int16.random(in: -2048...2047, using: &random) : 0
        }
      case .dense: return all.map { _ in Int16.random(in: -2048...2047, using: &random) }
      case .wide: return all.map { _ in Int16.random(in: -.max ... .max, using: &random) }
      case .extreme:
        let values: [Int16] = [-.max, 1 - .max, .max, .max - 1, -8192, 8191, 8192, -1, 0, 1]
        return all.map { _ in values.randomElement(using: &random)! }
      case .clamped: return all.map { _ in [Int16(-2048), 2047].randomElement(using: &random)! }
      }
    }
  }

  /// Transforms a row of blocks, in a plane as the decoder makes it, with random numbers in the columns behind the last
  /// block.
  ///
  /// - Parameters:
  ///   - steps: the quantization steps in zigzag order; 1 without.
  ///   - missing: the number of missing bits of each coefficient, for which estimates are added.
  /// - Returns: the samples of each block; `nil` if the transform wrote behind the plane.
  private static func transform(
    _ blocks: [[Int16]], side: Int, steps: [Int32]? = nil, missing: [Int]? = nil,
    _ random: inout SeededGenerator
  ) -> [[Int16]]? {
    let surplus = side > 4 ? 8 - side : side == 3 ? 1 : 0
    let stride = (blocks.count * side + surplus + 7) / 8 * 8
    let mark: Int16 = 12345
    let dequantization = Dequantization()
    let units = Dequantization()
    defer {
      dequantization.free()
      units.free()
    }
    if let steps { dequantization.set(steps, scale: side) }
    let isEstimated = missing.map { dequantization.estimate($0, steps!, scale: side) } ?? false
    var samples = (0..<side * stride).map { _ in Int16.random(in: .min ... .max, using: &random) }
    samples += [Int16](repeating: mark, count: 16)
    for (index, block) in blocks.enumerated() {
      // The axes of a square are exchanged.
      for v in 0..<side {
        for u in 0..<side {
          let (row, column) = side > 2 ? (u, v) : (v, u)
          samples[row * stride + index * side + column] = block[v * side + u]
        }
      }
    }
    samples.withUnsafeMutableBufferPointer { samples in
      func row(_ dequantization: Dequantization) -> ReducedIDCT {
        ReducedIDCT(
          samples: samples.baseAddress!, stride: stride, blockCount: blocks.count,
          dequantization: dequantization)
      }
      if isEstimated { row(dequantization).multiply(scale: side) }
      row(isEstimated ? units : dequantization).transform(scale: side)
    }
    guard samples.suffix(16).allSatisfy({ $0 == mark }) else { return nil }
    return blocks.indices.map { index in
      (0..<side * side).map { samples[$0 / side * stride + index * side + $0 % side] }
    }
  }

  @Test("gives the samples of the model bit for bit", arguments: [3, 4, 5, 6, 8], Kind.allCases)
  func model(side: Int, kind: Kind) throws {
    var random = SeededGenerator(seed: UInt64(side))
    var index = 0
    for round in 0..<72 {
      let blocks = (0..<1 + round % 9).map { _ in
        index += 1
        return kind.block(index - 1, side: side, &random)
      }
      let found = try #require(Self.transform(blocks, side: side, &random), "wrote behind the plane")
      for (block, samples) in zip(blocks, found) {
        let expected = SquareModel.samples(block, side: side)
        #expect(samples == expected, "\(block)")
        #expect(samples.allSatisfy { 0...255 * 64 ~= $0 })
      }
    }
    // Enough for a single coefficient of five sizes at each place.
    #expect(index >= 5 * side * side)
  }

  @Test("multiplies by the steps, without overflow", arguments: [3, 4, 5, 6, 8], Kind.allCases)
  func dequantization(side: Int, kind: Kind) throws {
    var random = SeededGenerator(seed: UInt64(side) << 16)
    for round in 0..<18 {
      let steps = (0..<64).map { _ in Int32.random(in: 1...(round % 2 == 0 ? 255 : 20), using: &random) }
      let blocks = (0..<1 + round % 9).map { kind.block(round * 9 + $0, side: side, &random) }
      let found = try #require(Self.transform(blocks, side: side, steps: steps, &random))
      for (block, samples) in zip(blocks, found) {
        var products = block
        for (index, position) in ReducedComponent.zigzag.enumerated().dropFirst() {
          let (v, u) = (position / 8, position % 8)
          guard v < side, u < side else { continue }
          let step = Int(steps[index])
          // The smallest number whose product is 2048 or more.
          let limit = (2047 + step) / step
          products[v * side + u] = Int16(max(-limit, min(limit, Int(block[v * side + u]))) * step)
        }
        #expect(samples == SquareModel.samples(products, side: side), "\(block) in steps of \(steps)")
      }
    }
  }

  @Test("adds estimates for missing bits to coefficients that are not zero", arguments: [2, 3, 4, 5, 6, 8])
  func estimates(side: Int) throws {
    var random = SeededGenerator(seed: UInt64(side) << 32)
    for round in 0..<40 {
      let steps = (0..<64).map { _ in Int32.random(in: 1...(round % 2 == 0 ? 255 : 20), using: &random) }
      let missing = (0..<64).map { _ in Int.random(in: 0...(round % 4 == 0 ? 13 : 3), using: &random) }
      let largest = round % 3 == 0 ? Int16.max : 40
      let blocks = (0..<1 + round % 9).map { _ in
        (0..<side * side).map { place in
          if place == 0 { return Int16.random(in: -2048...2047, using: &random) }
          return Bool.random(using: &random) ? 0 : Int16.random(in: -largest...largest, using: &random)
        }
      }
      let found = try #require(
        Self.transform(blocks, side: side, steps: steps, missing: missing, &random), "wrote behind the plane")
      for (block, samples) in zip(blocks, found) {
        var whole = block
        for (index, position) in ReducedComponent.zigzag.enumerated().dropFirst() {
          let (v, u) = (position / 8, position % 8)
          guard v < side, u < side else { continue }
          let known = Int(block[v * side + u]) * Int(steps[index])
          let amount = ((1 << missing[index]) - 1) * Int(steps[index]) * 3 / 8
          whole[v * side + u] = Int16(max(-2048, min(2047, known + known.signum() * amount)))
        }
        #expect(samples == Self.model(whole, side: side), "\(block) in steps of \(steps) without \(missing)")
      }
    }
  }

  /// The samples of a square of any size.
  private static func model(_ square: [Int16], side: Int) -> [Int16] {
    guard side == 2 else { return SquareModel.samples(square, side: side) }
    let (a, b, c, d) = (Int(square[0]), Int(square[1]), Int(square[2]), Int(square[3]))
    return [a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d].map {
      Int16(max(-1024, min(1016, $0)) + 1024) << 3
    }
  }

  /// Bytes of which pictures are made, less 128: noise, edges, and the signs that give the largest sums.
  private static func bytes(_ index: Int, side: Int, _ random: inout SeededGenerator) -> [Double] {
    var bytes: [Double] = []
    let slope = (Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random))
    let sample = (Int.random(in: 0..<side, using: &random), Int.random(in: 0..<side, using: &random))
    for row in 0..<8 {
      for column in 0..<8 {
        var isLight = Bool.random(using: &random)
        if index % 4 == 2 {
          let distance: Double = slope.0 * (Double(column) - 3.5) + slope.1 * (Double(row) - 3.5)
          isLight = distance > 0.3
        }
        if index % 4 == 3 {
          let product: Double = weight(sample.0, column, side) * weight(sample.1, row, side)
          isLight = product > 0
        }
        let noise = Double(Int.random(in: -128...127, using: &random))
        bytes.append(index % 4 == 0 ? noise : isLight ? 127 : -128)
      }
    }
    return bytes
  }

  /// The weight of coefficient `k` in sample `i` of `n`, of a line whose mean has the weight 1.
  private static func cosine(_ i: Int, _ k: Int, _ n: Int) -> Double {
    let angle = Double((2 * i + 1) * k) * Double.pi / Double(2 * n)
    return k == 0 ? 1 : 2.0.squareRoot() * cos(angle)
  }

  /// How much sample `j` of a line of 8 adds to sample `i` of a line of `side`, except for a factor.
  private static func weight(_ i: Int, _ j: Int, _ side: Int) -> Double {
    var sum = 0.0
    for k in 0..<side { sum += cosine(i, k, side) * cosine(j, k, 8) }
    return sum
  }

  /// The coefficients of bytes: the transform of ITU-T T.81 §A.3.3, quantized.
  private static func coefficients(_ bytes: [Double], side: Int, step: Double) -> [Int16] {
    var block: [Int16] = []
    for v in 0..<side {
      for u in 0..<side {
        var sum = 0.0
        for place in 0..<64 { sum += bytes[place] * cosine(place / 8, v, 8) * cosine(place % 8, u, 8) }
        let quantized: Double = (sum / 8 / step).rounded() * step
        block.append(Int16(max(-2048, min(2047, quantized))))
      }
    }
    return block
  }

  /// The samples in 64ths, row by row.
  private static func exact(_ block: [Int16], side: Int) -> [Double] {
    var samples: [Double] = []
    for y in 0..<side {
      for x in 0..<side {
        var sum = 0.0
        for place in 0..<side * side {
          sum += Double(block[place]) * cosine(y, place / side, side) * cosine(x, place % side, side)
        }
        samples.append(max(0, min(255, sum / 8 + 128)) * 64)
      }
    }
    return samples
  }

  @Test(
    "is close to exact arithmetic for the coefficients of pictures", arguments: [3, 4, 5, 6, 8],
    [1.0, 2, 7, 24, 61, 99])
  func closeness(side: Int, step: Double) throws {
    var random = SeededGenerator(seed: UInt64(side) << 8 + UInt64(step))
    var largest = 0.0
    for index in 0..<120 {
      let block = Self.coefficients(Self.bytes(index, side: side, &random), side: side, step: step)
      let samples = try #require(Self.transform([block], side: side, &random)?.first)
      for (found, expected) in zip(samples, Self.exact(block, side: side)) {
        largest = max(largest, abs(Double(found) - expected))
      }
    }
    #expect(largest <= PlaneOracle.tolerance(scale: side))
    // Else nothing was transformed.
    #expect(largest > 0)
  }
}
