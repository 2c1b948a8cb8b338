import OzuTesting
import Testing

@testable import OzuCodecs

@Suite("Places of zero coefficients")
struct ZeroPlacesTests {
  @Test("are those of the bits of a word, and then none")
  func places() {
    var random = SeededGenerator(seed: 64)
    let list = ZeroPlaces()
    defer { list.free() }
    for round in 0..<2000 {
      let first = Int.random(in: 1...63, using: &random)
      let last = Int.random(in: first...63, using: &random)
      var word = Refinement.set(first...last)
      // Few bits, many bits, and all.
      for _ in 0..<round % 4 {
        let bits = UInt64.random(in: 0 ... .max, using: &random)
        word &= round % 8 < 4 ? bits : ~(bits & UInt64.random(in: 0 ... .max, using: &random))
      }
      list.set(word, first: first >> 3, last: last >> 3)
      let places = (0..<64).filter { word >> UInt64($0) & 1 == 1 }
      for (index, place) in places.enumerated() { #expect(list[index] == place) }
      for behind in 0..<16 { #expect(list[places.count + behind] == Int(ZeroPlaces.none)) }
    }
  }
}
