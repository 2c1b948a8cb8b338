import Testing

@testable import OzuCodecs

@Suite("Premultiplication")
struct PremultiplicationTests {
  /// Every pair of colour and alpha, the colours in all three channels.
  private static let all: [UInt8] = {
    var pixels: [UInt8] = []
    for alpha in UInt8.min...UInt8.max {
      for color in UInt8.min...UInt8.max { pixels += [color, 255 - color, color ^ 0x55, alpha] }
    }
    return pixels
  }()

  private func applied(_ pixels: [UInt8]) -> [UInt8] {
    var row = pixels
    row.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { Premultiplication.apply(to: start, width: pixels.count / 4) }
    }
    return row
  }

  private func undone(_ pixels: [UInt8]) -> [UInt8] {
    var row = [UInt8](repeating: 1, count: pixels.count)
    pixels.withUnsafeBytes { from in
      row.withUnsafeMutableBytes { to in
        if let source = from.baseAddress, let target = to.baseAddress {
          Premultiplication.undo(source, to: target, width: pixels.count / 4)
        }
      }
    }
    return row
  }

  @Test("is the rounded product, for every colour and alpha")
  func exact() {
    let expected = Self.all.enumerated().map { index, value -> UInt8 in
      let alpha = Int(Self.all[index | 3])
      return index % 4 == 3 ? value : UInt8((Int(value) * alpha + 127) / 255)
    }
    #expect(applied(Self.all) == expected)
  }

  @Test("undone and done again gives the same pixels")
  func roundTrip() {
    let once = applied(Self.all)
    #expect(applied(undone(once)) == once)
  }

  @Test("undone leaves no colour in transparent pixels")
  func transparent() {
    #expect(undone([9, 8, 7, 0]) == [0, 0, 0, 0])
  }

  /// Colours and alphas of 16 bits: all near the ends, and some between.
  private static let wide: [UInt16] = {
    let values =
      Array(0...9) + stride(from: 100, to: 65_500, by: 997).map { UInt16($0) } + Array(65_526...65_535)
    return values.flatMap { alpha in
      values.flatMap { color in [color, 65_535 - color, color ^ 0x5555, alpha] }
    }
  }()

  private func changed(_ values: [UInt16], _ change: (UnsafeMutableRawPointer, Int) -> Void) -> [UInt16] {
    var row = values
    row.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { change(start, values.count / 4) }
    }
    return row
  }

  @Test("in 16 bits is the rounded product")
  func exactWide() {
    let expected = Self.wide.enumerated().map { index, value -> UInt16 in
      index % 4 == 3 ? value : UInt16((Int(value) * Int(Self.wide[index | 3]) + 32_767) / 65_535)
    }
    #expect(changed(Self.wide) { Premultiplication.applyWide(to: $0, width: $1) } == expected)
  }

  @Test("undone in 16 bits is the nearest quotient, and within range for colours above their alpha")
  func undoneWide() {
    let expected = Self.wide.enumerated().map { index, value -> UInt16 in
      let alpha = Int(Self.wide[index | 3])
      guard index % 4 < 3 else { return value }
      return alpha == 0 ? 0 : UInt16(min(65_535, (Int(value) * 65_535 + alpha / 2) / alpha))
    }
    #expect(changed(Self.wide) { Premultiplication.undoWide($0, to: $0, width: $1) } == expected)
  }
}
