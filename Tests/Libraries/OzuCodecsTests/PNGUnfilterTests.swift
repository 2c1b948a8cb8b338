import OzuTesting
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

  /// Applies one filter, or Paeth's to two deep rows at once.
  private func results(_ rows: Rows, _ pixelByteCount: Int, filter: UInt8?) -> [[UInt8]?] {
    let unfilter = PNGUnfilter(count: rows.count, pixelByteCount: pixelByteCount)
    let (raw, secondRaw, above) = (rows.row(1), rows.row(2), rows.row(3))
    var (row, secondRow) = (rows.row(4), rows.row(5))
    if let filter {
      #expect(unfilter.apply(filter, raw, above: above, to: &row))
      return [rows.content(row)]
    }
    unfilter.applyTwo([4, 4], raw, secondRaw, above: above, to: &row, &secondRow)
    return [rows.content(row), rows.content(secondRow)]
  }

  @Test("the margin is large enough for the bytes that are read and written after the last pixel")
  func margin() {
    // At most eight bytes are read from the last byte of a row on; a group of rows reads and writes four after it.
    // Rows of six and eight bytes for each pixel write eight after it.
    #expect(PNGUnfilter.margin >= 8)
  }

  @Test(
    "write nothing after the margin, and do not depend on its bytes", arguments: [1, 2, 3, 4, 6, 8], 1...11)
  func ends(pixelByteCount: Int, width: Int) throws {
    let filters: [UInt8?] = (0...4).map { $0 } + (pixelByteCount > 4 ? [nil] : [])
    for filter in filters {
      let first = results(Rows(count: width * pixelByteCount, marginValue: 0), pixelByteCount, filter: filter)
      let second = results(
        Rows(count: width * pixelByteCount, marginValue: 0xFF), pixelByteCount, filter: filter)
      #expect(!first.contains(nil))
      #expect(first == second)
    }
  }

  /// Applies filters to up to eight rows at once, or one after the other. The row above is in the last place.
  private func group(
    _ rows: Rows, _ pixelByteCount: Int, _ filters: SIMD8<UInt8>, _ number: Int, atOnce: Bool
  ) -> [[UInt8]?] {
    let unfilter = PNGUnfilter(count: rows.count, pixelByteCount: pixelByteCount)
    let raws = (1...number).map { rows.row($0) }
    var made = (10...17).map { rows.row($0) }
    guard atOnce else {
      let above = made[7]
      for index in 0..<number {
        let upper = index == 0 ? above : made[index - 1]
        #expect(unfilter.apply(filters[index], raws[index], above: upper, to: &made[index]))
      }
      return made.prefix(number).map(rows.content)
    }
    #expect(unfilter.canMakeGroup(filters))
    let stride = made[0].count
    let stored = raws.flatMap { $0 }
    var results = made.flatMap { $0 }
    stored.withUnsafeBufferPointer { stored in
      results.withUnsafeMutableBufferPointer { results in
        // None is empty, because rows have margins.
        let (from, to) = (stored.baseAddress!, results.baseAddress!)
        unfilter.applyGroup(
          filters, number, .init(start: from, stride: stride), above: to + 7 * stride,
          to: .init(start: to, stride: stride))
      }
    }
    let contents = (0..<8).map { rows.content(Array(results[$0 * stride..<($0 + 1) * stride])) }
    #expect(!contents.contains(nil))
    return Array(contents.prefix(number))
  }

  @Test(
    "make of eight rows at once what they are one by one, whatever their filters", arguments: 3...4, 1...11)
  func eightRows(pixelByteCount: Int, width: Int) {
    let count = width * pixelByteCount
    let unfilter = PNGUnfilter(count: count, pixelByteCount: pixelByteCount)
    var random = SeededGenerator(seed: UInt64(100 * width + pixelByteCount))
    for round in 0..<200 {
      let number = round % 8 + 1
      var filters = SIMD8<UInt8>.zero
      for index in 0..<number { filters[index] = round < 16 ? 4 : UInt8.random(in: 0...4, using: &random) }
      guard unfilter.canMakeGroup(filters) else { continue }
      for value: UInt8 in [0, 0xFF] {
        let rows = Rows(count: count, marginValue: value)
        #expect(
          group(rows, pixelByteCount, filters, number, atOnce: true)
            == group(rows, pixelByteCount, filters, number, atOnce: false), "\(filters), \(number) rows")
      }
    }
  }

  @Test("predict as the standard says, for all three neighbours")
  func paeth() {
    for left in 0...255 {
      for up in stride(from: left % 3, through: 255, by: 3) {
        for corner in stride(from: 0, through: 255, by: 1) where (left + up + corner) % 5 == 0 {
          let distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
          let nearest =
            distances[0] <= distances[1] && distances[0] <= distances[2]
            ? left : distances[1] <= distances[2] ? up : corner
          let found = PNGUnfilter.paeth(
            SIMD16(repeating: UInt8(left)), SIMD16(repeating: UInt8(up)), SIMD16(repeating: UInt8(corner)))
          if found[5] != UInt8(nearest) { Issue.record("\(left), \(up), \(corner)") }
        }
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
          unfilter.applyTwo([first, second], raw, secondRaw, above: above, to: &row, &secondRow)
          let made = [rows.content(row), rows.content(secondRow)]
          var (single, under) = (rows.row(6), rows.row(7))
          #expect(unfilter.apply(first, raw, above: above, to: &single))
          #expect(unfilter.apply(second, secondRaw, above: single, to: &under))
          #expect(!made.contains(nil) && made == [rows.content(single), rows.content(under)])
        }
      }
    }
  }

  @Test("leave rows with a filter that does not exist, or none that waits, to the other ways")
  func noGroup() {
    let unfilter = PNGUnfilter(count: 30, pixelByteCount: 3)
    #expect(unfilter.canMakeGroup([0, 1, 2, 3, 0, 0, 0, 0]))
    #expect(
      !unfilter.canMakeGroup([4, 4, 4, 5, 4, 4, 4, 4]) && !unfilter.canMakeGroup([2, 2, 2, 1, 0, 1, 1, 0]))
    let all = SIMD8<UInt8>(repeating: 4)
    #expect(!PNGUnfilter(count: 30, pixelByteCount: 2).canMakeGroup(all))
    #expect(!PNGUnfilter(count: 30, pixelByteCount: 6).canMakeGroup(all))
  }
}
