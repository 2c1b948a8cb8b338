import Foundation
import OzuBase
import Testing

@Suite("Checked numbers")
struct CheckedNumbersTests {
  @Test("a clamped value is the nearest end of the range, and 0 for NaN")
  func clampsValues() {
    #expect(Int(clamping: Double.nan) == 0)
    #expect(Int(clamping: 1e19) == .max)
    #expect(Int(clamping: -Double.infinity) == .min)
    #expect(UInt8(clamping: -1e308) == 0)
    #expect(UInt8(clamping: 255.9) == 255)
    #expect(Int(clamping: -2.7) == -2)
    #expect(Int64(clamping: 0x1p63) == .max && Int64(clamping: -0x1p63) == .min)
    #expect(UInt64(clamping: 0x1p63) == 1 << 63 && UInt64(clamping: 0x1p64) == .max)
    #expect(Int(clamping: -2.5, rounded: .toNearestOrAwayFromZero) == -3)
    #expect(Int(clamping: UInt64.max) == .max)
  }

  static let numbers: [Int8] = [.min, .min + 1, -64, -17, -2, -1, 0, 1, 2, 3, 16, 63, 64, 126, .max]

  @Test("arithmetic is exact, or takes the end of the range", arguments: numbers, numbers)
  func computes(a: Int8, b: Int8) {
    let (x, y) = (Int(a), Int(b))
    #expect(a.saturatingSum(b) == Int8(clamping: x + y))
    #expect(a.saturatingDifference(b) == Int8(clamping: x - y))
    #expect(a.saturatingProduct(b) == Int8(clamping: x * y))
  }

  @Test("an element that was not parsed is none, and a slice has the indices of the whole")
  func readsElements() {
    let parts = "a=b".split(separator: "=")
    #expect(parts.element(at: 1) == "b" && parts.element(at: 2) == nil && parts.element(at: -1) == nil)
    let slice = [0, 1, 2, 3][1..<3]
    #expect(slice.element(at: 1) == 1 && slice.element(at: 0) == nil && slice.element(at: 3) == nil)
  }

  @Test("a closed range holds its bounds and what is between them, and no date that is not a number")
  func holds() {
    let range = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 10)
    #expect([0, 5, 10].allSatisfy { range.holds(Date(timeIntervalSince1970: $0)) })
    #expect(![-1, 11, .nan, .infinity, -.infinity].contains { range.holds(Date(timeIntervalSince1970: $0)) })
    #expect((0.0...1.0).holds(1) && !(0.0...1.0).holds(.nan))
  }
}
