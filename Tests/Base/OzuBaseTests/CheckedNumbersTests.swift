import Foundation
import OzuBase
import Testing

@Suite("Checked numbers")
struct CheckedNumbersTests {
  static let awkward: [Double] = [
    .nan, .signalingNaN, .infinity, -.infinity, 0x1p63, -0x1p64, 1e19, 1e308, -1e308,
    .greatestFiniteMagnitude,
  ]

  @Test("a floating-point value that is not an integer of the type throws", arguments: awkward)
  func throwsForValues(value: Double) {
    #expect(throws: OutOfRange.self) { try Int(checked: value) }
    #expect(throws: OutOfRange.self) { try Int(checked: value, rounded: .up) }
    #expect(throws: OutOfRange.self) { try UInt8(checked: value, rounded: .down) }
  }

  @Test("a floating-point value is converted exactly, or rounded as asked")
  func convertsValues() throws {
    #expect(try Int(checked: -3) == -3)
    #expect(try Int(checked: -0x1p63) == .min)
    #expect(try UInt64(checked: 0x1p63) == 1 << 63)
    #expect(throws: OutOfRange.value(2.5)) { try Int(checked: 2.5) }
    #expect(try Int(checked: 2.5, rounded: .down) == 2)
    #expect(try UInt8(checked: 255.4, rounded: .toNearestOrAwayFromZero) == 255)
    #expect(throws: OutOfRange.value(255.5)) { try UInt8(checked: 255.5, rounded: .toNearestOrAwayFromZero) }
    #expect(throws: OutOfRange.value(-0.5)) { try UInt8(checked: -0.5, rounded: .down) }
  }

  @Test("a clamped value is the nearest end of the range, and 0 for NaN")
  func clampsValues() {
    #expect(Int(clamping: Double.nan) == 0)
    #expect(Int(clamping: 1e19) == .max)
    #expect(Int(clamping: -Double.infinity) == .min)
    #expect(UInt8(clamping: -1e308) == 0)
    #expect(UInt8(clamping: 255.9) == 255)
    #expect(Int(clamping: -2.7) == -2)
    #expect(Int(clamping: -2.5, rounded: .toNearestOrAwayFromZero) == -3)
    #expect(Int(clamping: UInt64.max) == .max)
  }

  @Test("an integer of another width is the same number, or throws")
  func convertsIntegers() throws {
    #expect(try UInt8(checked: 255) == 255)
    #expect(try Int(checked: UInt64(1) << 62) == 1 << 62)
    #expect(throws: OutOfRange.integer(256, isNegative: false)) { try UInt8(checked: 256) }
    #expect(throws: OutOfRange.integer(UInt64.max, isNegative: true)) { try UInt32(checked: -1) }
    #expect(throws: OutOfRange.integer(UInt64.max, isNegative: false)) { try Int(checked: UInt64.max) }
    #expect("\(OutOfRange.integer(UInt64.max, isNegative: true))" == "the number -1 is out of range")
  }

  static let numbers: [Int8] = [.min, .min + 1, -64, -17, -2, -1, 0, 1, 2, 3, 16, 63, 64, 126, .max]

  @Test("arithmetic is exact or throws, as in a wider type", arguments: numbers, numbers)
  func computes(a: Int8, b: Int8) {
    func expect(
      _ exact: Int, _ checked: () throws(OutOfRange) -> Int8, _ error: OutOfRange, saturating: Int8?
    ) {
      if let saturating { #expect(saturating == Int8(clamping: exact)) }
      let result = Result { () throws(OutOfRange) in try checked() }
      #expect(result == (Int8(exactly: exact).map { .success($0) } ?? .failure(error)))
    }
    let (x, y) = (Int(a), Int(b))
    expect(x + y, { () throws(OutOfRange) in try a.checkedSum(b) }, .sum, saturating: a.saturatingSum(b))
    expect(
      x - y, { () throws(OutOfRange) in try a.checkedDifference(b) }, .difference,
      saturating: a.saturatingDifference(b))
    expect(
      x * y, { () throws(OutOfRange) in try a.checkedProduct(b) }, .product,
      saturating: a.saturatingProduct(b))
    if (0..<8).contains(b) {
      expect(x << y, { () throws(OutOfRange) in try a.checkedShift(left: y) }, .shift, saturating: nil)
    } else {
      #expect(throws: OutOfRange.shift) { try a.checkedShift(left: y) }
    }
  }

  @Test("an element that was not parsed throws")
  func readsElements() throws {
    let parts = "=".split(separator: "=")
    #expect(throws: OutOfRange.element(0, count: 0)) { try parts.checkedFirst }
    #expect(throws: OutOfRange.element(0, count: 0)) { try parts.checkedLast }
    #expect(throws: OutOfRange.element(0, count: 0)) { try parts[checked: 0] }
    #expect(parts.element(at: 0) == nil)
    #expect(parts.element(at: -1) == nil)
    #expect(try "a=b".split(separator: "=")[checked: 1] == "b")
    #expect(try "a=b".split(separator: "=").checkedLast == "b")
  }

  @Test("a closed range holds its bounds and what is between them, and no date that is not a number")
  func holds() {
    let range = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 10)
    #expect([0, 5, 10].allSatisfy { range.holds(Date(timeIntervalSince1970: $0)) })
    #expect(![-1, 11, .nan, .infinity, -.infinity].contains { range.holds(Date(timeIntervalSince1970: $0)) })
    #expect((0.0...1.0).holds(1) && !(0.0...1.0).holds(.nan))
  }

  @Test("a slice has the indices of the whole")
  func readsSlices() throws {
    let slice = [0, 1, 2, 3, 4, 5][2..<5]
    #expect(try slice[checked: 2] == 2)
    #expect(throws: OutOfRange.element(1, count: 3)) { try slice[checked: 1] }
    #expect(throws: OutOfRange.element(5, count: 3)) { try slice[checked: 5] }
    #expect(try slice[checked: 3..<5] == [3, 4])
    #expect(throws: OutOfRange.element(6, count: 3)) { try slice[checked: 3..<6] }
    #expect(throws: OutOfRange.element(1, count: 3)) { try slice[checked: 1..<3] }
    #expect(try Range(checked: 3, 3) == 3..<3)
    #expect(throws: OutOfRange.range(3, 2)) { try Range(checked: 3, 2) }
  }
}
