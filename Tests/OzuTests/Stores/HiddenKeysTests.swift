import OzuTesting
import Testing

@testable import Ozu

@Suite("Hidden keys")
struct HiddenKeysTests {
  private static func key(_ number: Int) -> ImageStoreKey {
    ImageStoreKey(
      number % 2 == 0 ? .original : .rendition, CacheKey(hashing: "\(number / 2)".utf8),
      label: "picture \(number)"
    )
  }

  @Test("stay hidden until they are removed, compared with a set", arguments: 1...6)
  func model(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var hidden = HiddenKeys(exactLimit: 16)
    var model: Set<Int> = []
    let keys = (0..<60).map(Self.key)
    for _ in 0..<2000 {
      let number = Int.random(in: 0..<60, using: &random)
      if Int.random(in: 0..<3, using: &random) < 2 {
        hidden.insert(keys[number])
        model.insert(number)
      } else {
        hidden.remove(keys[number])
        model.remove(number)
      }
      #expect(hidden.exact.count <= 16)
      #expect(model.allSatisfy { hidden.contains(keys[$0]) })
    }
  }

  @Test("are removed one by one while they are few")
  func few() {
    var hidden = HiddenKeys(exactLimit: 100)
    for number in 0..<100 { hidden.insert(Self.key(number)) }
    for number in 0..<50 { hidden.remove(Self.key(number)) }
    #expect((0..<50).allSatisfy { !hidden.contains(Self.key($0)) })
    #expect((50..<100).allSatisfy { hidden.contains(Self.key($0)) })
    #expect(hidden.exact.allSatisfy { $0.label == nil })
  }

  @Test("hide few other keys, and take no more memory, if they are many")
  func many() {
    var hidden = HiddenKeys()
    for number in 0..<40_000 { hidden.insert(Self.key(number)) }
    #expect(hidden.exact.count == hidden.exactLimit)
    #expect((0..<40_000).allSatisfy { hidden.contains(Self.key($0)) })
    let others = (40_000..<50_000).count { hidden.contains(Self.key($0)) }
    #expect(others < 40)
  }
}
