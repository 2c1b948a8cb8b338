import Testing

@testable import OzuCodecs

@Suite("PNG filters, at the ends of rows")
struct PNGUnfilterTests {
  /// Rows with their margins, and canaries behind the margins.
  private struct Rows {
    static let canary = [UInt8](repeating: 0xA5, count: 64)
    let count: Int
    /// The bytes in the margins.
    let marginValue: UInt8

    func row(_ seed: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: ($0 * 37 + seed * 101) ^ ($0 >> 1)) }
        + [UInt8](repeating: marginValue, count: PNGUnfilter.margin) + Self.canary
    }

    /// The bytes of a row; `nil` when something behind its margin changed.
    func content(_ row: [UInt8]) -> [UInt8]? {
      Array(row.suffix(Self.canary.count)) == Self.canary ? Array(row.prefix(count)) : nil
    }
  }

  /// One filter, or two rows of Paeth's at once.
  private func results(_ rows: Rows, _ pixelByteCount: Int, filter: UInt8?) -> [[UInt8]?] {
    let unfilter = PNGUnfilter(count: rows.count, pixelByteCount: pixelByteCount)
    let (raw, secondRaw, above) = (rows.row(1), rows.row(2), rows.row(3))
    var (row, secondRow) = (rows.row(4), rows.row(5))
    if let filter {
      #expect(unfilter.apply(filter, raw, above: above, to: &row))
      return [rows.content(row)]
    }
    unfilter.applyPaeth(raw, secondRaw, above: above, to: &row, &secondRow)
    return [rows.content(row), rows.content(secondRow)]
  }

  @Test("the margin holds the bytes that are read and written behind the last pixel")
  func margin() {
    // Eight bytes are read from the last byte of a row on at most; a pair of rows reads and writes four behind it.
    #expect(PNGUnfilter.margin >= 7)
  }

  @Test("write nothing behind the margin, and do not depend on its bytes", arguments: 1...4, 1...11)
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
}
