/// Applies the filters of PNG (third edition, §9) to rows that are written, and chooses among them.
///
/// A row waits for no result of its own here, so 16 bytes at a time go through all four filters at once. The filter whose
/// values, taken as signed, have the smallest sum of magnitudes is chosen (§12.7); "none" is the choice of a whole
/// picture.
///
/// Unsafe pointers. Why every index is in bounds: a row has `margin` bytes before it and behind it, and an output as many
/// behind it; loads and stores are of 16 bytes from places below `count`, or a pixel before them. Bytes behind the row are
/// zero in `row` and `above`, and whatever in outputs.
package final class PNGFilter {
  private static let margin = 16
  private static let candidateCount = 4

  /// The bytes of a row.
  package let count: Int
  private let pixelByteCount: Int
  private let memory: UnsafeMutableRawPointer
  /// The row to be filtered, for the caller to fill: `count` bytes.
  package private(set) var row: UnsafeMutableRawPointer
  private var above: UnsafeMutableRawPointer
  private let outputs: UnsafeMutableRawPointer

  /// Filters for rows of so many bytes; above the first row there are zeros.
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

  /// Has the row for the next one's above, so that another can be filled in.
  package func advance() { swap(&row, &above) }

  /// Calls `body` with the row behind the number of its filter: the best, or 0, none.
  package func withFiltered<Failure: Error>(
    isFiltered: Bool, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let number = isFiltered ? filter() : 0
    // The byte before a row, or an output, is in its margin; before a row it stays zero.
    let start = number == 0 ? row : output(number)
    (start - 1).storeBytes(of: UInt8(number), as: UInt8.self)
    try body(UnsafeRawBufferPointer(start: start - 1, count: count + 1))
  }

  private func output(_ number: Int) -> UnsafeMutableRawPointer {
    outputs + (number - 1) * (count + 2 * Self.margin) + Self.margin
  }

  /// Makes all four and returns the number of the best.
  private func filter() -> Int {
    typealias Bytes = SIMD16<UInt8>
    let (row, above, back) = (UnsafeRawPointer(row), UnsafeRawPointer(above), pixelByteCount)
    let (sub, up, average, paeth) = (output(1), output(2), output(3), output(4))
    var sums = SIMD4<Int>.zero
    var start = 0
    while start < count {
      // So many bytes, that sixteen bits hold the sum of a lane.
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
    // What the last sixteen bytes have behind the row does not count.
    for x in count..<(count + 15) & ~15 {
      for (index, output) in [sub, up, average, paeth].enumerated() {
        sums[index] -= Int(output.load(fromByteOffset: x, as: Int8.self).magnitude)
      }
    }
    var best = 0
    for index in 1..<4 where sums[index] < sums[best] { best = index }
    return best + 1
  }

  /// The predictor of Paeth in bytes: with `b` and `a` on one side of `c`, the distance to `c` is the greatest.
  @inline(__always)
  private static func paeth(
    _ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>, _ c: SIMD16<UInt8>
  ) -> SIMD16<UInt8> {
    let toA = distance(b, c)
    let toB = distance(a, c)
    let isBetween = (b .> c) .!= (a .> c)
    // On one side the sum, which is not less than either.
    let toC = SIMD16<UInt8>(repeating: 255).replacing(with: distance(toA, toB), where: isBetween)
    let nearest = least(least(toA, toB), toC)
    return c.replacing(with: b, where: toB .== nearest).replacing(with: a, where: toA .== nearest)
  }

  @inline(__always)
  private static func distance(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    (b &- a).replacing(with: a &- b, where: a .> b)
  }

  /// The lesser of each two. `pointwiseMin` of the standard library is a call, with a loop over the bytes.
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
