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

  @Test("undone leaves no colour where nothing is seen")
  func transparent() {
    #expect(undone([9, 8, 7, 0]) == [0, 0, 0, 0])
  }
}
