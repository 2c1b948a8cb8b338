import Testing

@testable import OzuCodecs

@Suite("PNG filters at the ends of rows")
struct PNGUnfilterTests {
  /// Rows with their margins, and canaries after the margins.
  private struct Rows {
    static let canary = [UInt8](repeating: 0xA5, count: 64)
    let count: Int
    /// The bytes in the margins.
    let marginValue: UInt8

    func row(_ seed: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: ($0 * 37 + seed * 101) ^ ($0 >> 1)) }
        + [UInt8](repeating: marginValue, count: PNGUnfilter.margin) + Self.canary
    }

    /// The bytes of a row; `nil` if something after its margin has changed.
    func content(_ row: [UInt8]) -> [UInt8]? {
      Array(row.suffix(Self.canary.count)) == Self.canary ? Array(row.prefix(count)) : nil
    }
  }

  /// Applies one filter, or Paeth's to two rows at once.
  private func results(_ rows: Rows, _ pixelByteCount: Int, filter: UInt8?) -> [[UInt8]?] {
    let unfilter = PNGUnfilter(count: rows.count, pixelByteCount: pixelByteCount)
    let (raw, secondRaw, above) = (rows.row(1), rows.row(2), rows.row(3))
    var (row, secondRow) = (rows.row(4), rows.row(5))
    if let filter {
      #expect(unfilter.apply(filter, raw, above: above, to: &row))
      return [rows.content(row)]
    }
    unfilter.applyPair([4, 4], raw, secondRaw, above: above, to: &row, &secondRow)
    return [rows.content(row), rows.content(secondRow)]
  }

  @Test("the margin is large enough for the bytes that are read and written after the last pixel")
  func margin() {
    // At most eight bytes are read from the last byte of a row on; a pair of rows reads and writes four after it.
    // Rows of six and eight bytes for each pixel write eight after it.
    #expect(PNGUnfilter.margin >= 8)
  }

  @Test(
    "write nothing after the margin, and do not depend on its bytes", arguments: [1, 2, 3, 4, 6, 8], 1...11)
  func ends(pixelByteCount: Int, width: Int) throws {
    let filters: [UInt8?] = (0...4).map { $0 } + (pixelByteCount >= 3 ? [nil] : [])
    for filter in filters {
      let first = results(Rows(count: width * pixelByteCount, marginValue: 0), pixelByteCount, filter: filter)
      let second = results(
        Rows(count: width * pixelByteCount, marginValue: 0xFF), pixelByteCount, filter: filter)
      #expect(!first.contains(nil))
      #expect(first == second)
    }
  }

  /// Applies filters to four rows at once, or one after the other.
  private func four(
    _ rows: Rows, _ pixelByteCount: Int, _ filters: SIMD4<UInt8>, atOnce: Bool
  ) -> [[UInt8]?] {
    let unfilter = PNGUnfilter(count: rows.count, pixelByteCount: pixelByteCount)
    let raws = (1...4).map { rows.row($0) }
    let above = rows.row(5)
    var made = (6...9).map { rows.row($0) }
    guard atOnce else {
      for index in 0..<4 {
        let upper = index == 0 ? above : made[index - 1]
        #expect(unfilter.apply(filters[index], raws[index], above: upper, to: &made[index]))
      }
      return made.map(rows.content)
    }
    #expect(unfilter.canMakeFour(filters))
    let stride = made[0].count
    let stored = raws.flatMap { $0 }
    var results = made.flatMap { $0 }
    stored.withUnsafeBufferPointer { stored in
      results.withUnsafeMutableBufferPointer { results in
        // Four rows each, and none is empty, because they have margins.
        let (from, to) = (stored.baseAddress!, results.baseAddress!)
        unfilter.applyFour(
          filters, (from, from + stride, from + 2 * stride, from + 3 * stride), above: above,
          to: (to, to + stride, to + 2 * stride, to + 3 * stride))
      }
    }
    return (0..<4).map { rows.content(Array(results[$0 * stride..<($0 + 1) * stride])) }
  }

  @Test("make the same of four rows at once as one by one, with any filters", arguments: 3...4, 1...9)
  func fourRows(pixelByteCount: Int, width: Int) {
    let count = width * pixelByteCount
    for number in 0..<625 {
      let filters = SIMD4<UInt8>(
        UInt8(number % 5), UInt8(number / 5 % 5), UInt8(number / 25 % 5), UInt8(number / 125))
      let unfilter = PNGUnfilter(count: count, pixelByteCount: pixelByteCount)
      guard unfilter.canMakeFour(filters) else { continue }
      for value: UInt8 in [0, 0xFF] {
        let rows = Rows(count: count, marginValue: value)
        let made = four(rows, pixelByteCount, filters, atOnce: true)
        #expect(!made.contains(nil))
        #expect(made == four(rows, pixelByteCount, filters, atOnce: false), "\(filters)")
      }
    }
  }

  @Test("make the same of two rows of 16 bits at once as one by one", arguments: [6, 8], 1...9)
  func twoDeepRows(pixelByteCount: Int, width: Int) {
    let unfilter = PNGUnfilter(count: width * pixelByteCount, pixelByteCount: pixelByteCount)
    for first in UInt8(0)...5 {
      for second in UInt8(0)...5 {
        let isSlow = [1, 3, 4].contains(first) && [1, 3, 4].contains(second)
        #expect(unfilter.canPair(first, second) == isSlow)
        guard isSlow else { continue }
        for value: UInt8 in [0, 0xFF] {
          let rows = Rows(count: width * pixelByteCount, marginValue: value)
          let (raw, secondRaw, above) = (rows.row(1), rows.row(2), rows.row(3))
          var (row, secondRow) = (rows.row(4), rows.row(5))
          unfilter.applyPair([first, second], raw, secondRaw, above: above, to: &row, &secondRow)
          let made = [rows.content(row), rows.content(secondRow)]
          var (single, under) = (rows.row(6), rows.row(7))
          #expect(unfilter.apply(first, raw, above: above, to: &single))
          #expect(unfilter.apply(second, secondRaw, above: single, to: &under))
          #expect(!made.contains(nil) && made == [rows.content(single), rows.content(under)])
        }
      }
    }
  }

  @Test("are not applied to four rows at once for an unknown filter, few Paeth rows, or other pixels")
  func notFour() {
    let unfilter = PNGUnfilter(count: 30, pixelByteCount: 3)
    #expect(!unfilter.canMakeFour([4, 4, 4, 5]) && !unfilter.canMakeFour([2, 2, 2, 4]))
    #expect(!PNGUnfilter(count: 30, pixelByteCount: 2).canMakeFour([4, 4, 4, 4]))
    #expect(!PNGUnfilter(count: 30, pixelByteCount: 6).canMakeFour([4, 4, 4, 4]))
  }
}
