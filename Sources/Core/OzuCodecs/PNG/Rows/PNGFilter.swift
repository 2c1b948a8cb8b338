/// Applies the filters of PNG (third edition, §9) to rows that are written, and chooses the best.
///
/// No byte depends on the result of another one, so all four filters process 16 bytes at once. The filter whose values, taken
/// as signed, have the smallest sum of magnitudes is chosen (§12.7), or one filter is used for all rows. The filter "none" is
/// chosen for whole pictures only.
///
/// Unsafe pointers. Why every index is in bounds: a row has `margin` bytes before it and after it, and an output has as many
/// after it. Loads and stores take 16 bytes at places below `count`, or one pixel before them. The bytes after the row are
/// zero in `row` and `above`, and can be anything in outputs.
package final class PNGFilter {
  package enum Choice: UInt8, CaseIterable, Sendable {
    case none = 0
    case left = 1
    case above = 2
    /// The difference to the neighbour that Paeth predicts.
    case paeth = 4
    /// The filter with the smallest sum, for each row.
    case smallestSum = 255
  }

  private static let margin = 16
  private static let candidateCount = 4

  /// The bytes of a row.
  package let count: Int
  private let pixelByteCount: Int
  private let memory: UnsafeMutableRawPointer
  /// The row to be filtered: `count` bytes, which the caller fills.
  package private(set) var row: UnsafeMutableRawPointer
  private var above: UnsafeMutableRawPointer
  private let outputs: UnsafeMutableRawPointer

  /// Makes filters for rows of `rowByteCount` bytes. The row above the first one is zeros.
  package init(rowByteCount: Int, pixelByteCount: Int) {
    count = rowByteCount
    self.pixelByteCount = pixelByteCount
    let rowSize = count + 2 * Self.margin
    let byteCount = 2 * rowSize + Self.candidateCount * rowSize
    memory = .allocate(byteCount: byteCount, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    row = memory + Self.margin
    above = memory + rowSize + Self.margin
    outputs = memory + 2 * rowSize
  }

  deinit { memory.deallocate() }

  /// Makes the row the one above the next row, so that the caller can fill the next one.
  package func advance() { swap(&row, &above) }

  /// Calls `body` with the filtered row, after the number of its filter.
  package func withFiltered<Failure: Error>(
    _ choice: Choice, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let best = choice == .none ? 0 : filter()
    let number = choice == .smallestSum ? best : Int(choice.rawValue)
    // The byte before a row or an output is in its margin. The byte before a row stays zero.
    let start = number == 0 ? row : output(number)
    (start - 1).storeBytes(of: UInt8(number), as: UInt8.self)
    try body(UnsafeRawBufferPointer(start: start - 1, count: count + 1))
  }

  private func output(_ number: Int) -> UnsafeMutableRawPointer {
    outputs + (number - 1) * (count + 2 * Self.margin) + Self.margin
  }

  /// Applies all four filters and returns the number of the best.
  private func filter() -> Int {
    typealias Bytes = SIMD16<UInt8>
    let (row, above, back) = (UnsafeRawPointer(row), UnsafeRawPointer(above), pixelByteCount)
    let (sub, up, average, paeth) = (output(1), output(2), output(3), output(4))
    var sums = SIMD4<Int>.zero
    var start = 0
    while start < count {
      // At most 128 steps, so that sixteen bits can hold the sum of a lane.
      let end = min(count, start + 128 * 16)
      var (s1, s2, s3, s4) = (
        SIMD8<UInt16>.zero, SIMD8<UInt16>.zero, SIMD8<UInt16>.zero, SIMD8<UInt16>.zero
      )
      for x in stride(from: start, to: end, by: 16) {
        let value = row.loadUnaligned(fromByteOffset: x, as: Bytes.self)
        let a = row.loadUnaligned(fromByteOffset: x &- back, as: Bytes.self)
        let b = above.loadUnaligned(fromByteOffset: x, as: Bytes.self)
        let c = above.loadUnaligned(fromByteOffset: x &- back, as: Bytes.self)
        let (d1, d2) = (value &- a, value &- b)
        let d3 = value &- ((a & b) &+ ((a ^ b) &>> 1))
        let d4 = value &- Self.paeth(a, b, c)
        sub.storeBytes(of: d1, toByteOffset: x, as: Bytes.self)
        up.storeBytes(of: d2, toByteOffset: x, as: Bytes.self)
        average.storeBytes(of: d3, toByteOffset: x, as: Bytes.self)
        paeth.storeBytes(of: d4, toByteOffset: x, as: Bytes.self)
        s1 &+= Self.magnitudes(d1)
        s2 &+= Self.magnitudes(d2)
        s3 &+= Self.magnitudes(d3)
        s4 &+= Self.magnitudes(d4)
      }
      sums &+= SIMD4(Self.sum(s1), Self.sum(s2), Self.sum(s3), Self.sum(s4))
      start = end
    }
    // The last sixteen bytes may go beyond the row; those bytes are subtracted again.
    for x in count..<(count + 15) & ~15 {
      for (index, output) in [sub, up, average, paeth].enumerated() {
        sums[index] -= Int(output.load(fromByteOffset: x, as: Int8.self).magnitude)
      }
    }
    var best = 0
    for index in 1..<4 where sums[index] < sums[best] { best = index }
    return best + 1
  }

  /// The predictor of Paeth in bytes. If `a` and `b` are on the same side of `c`, the distance to `c` is the greatest.
  @inline(__always)
  private static func paeth(
    _ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>, _ c: SIMD16<UInt8>
  ) -> SIMD16<UInt8> {
    let toA = distance(b, c)
    let toB = distance(a, c)
    let isBetween = (b .> c) .!= (a .> c)
    // On the same side it is the sum of the two others, which is not less than either.
    let toC = SIMD16<UInt8>(repeating: 255).replacing(with: distance(toA, toB), where: isBetween)
    let nearest = least(least(toA, toB), toC)
    return c.replacing(with: b, where: toB .== nearest).replacing(with: a, where: toA .== nearest)
  }

  @inline(__always)
  private static func distance(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    (b &- a).replacing(with: a &- b, where: a .> b)
  }

  /// The smaller of each two bytes. `pointwiseMin` of the standard library is a function call with a loop over the bytes.
  @inline(__always)
  private static func least(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    a.replacing(with: b, where: a .> b)
  }

  /// The magnitudes of bytes taken as signed, added in pairs.
  @inline(__always)
  private static func magnitudes(_ bytes: SIMD16<UInt8>) -> SIMD8<UInt16> {
    let pairs = unsafeBitCast(least(bytes, .zero &- bytes), to: SIMD8<UInt16>.self)
    return (pairs & 0xFF) &+ (pairs &>> 8)
  }

  @inline(__always)
  private static func sum(_ lanes: SIMD8<UInt16>) -> Int { lanes.indices.reduce(0) { $0 + Int(lanes[$1]) } }
}
