import Testing

@testable import OzuCaching

/// Published answers of the reference code for the key 00 01 ... 0f and the message 00 01 ... (length - 1).
private let sipHashVectors: [(length: Int, answer: String)] = [
  (0, "a3817f04ba25a8e66df67214c7550293"),
  (1, "da87c1d86b99af44347659119b22fc45"),
  (2, "8177228da4a45dc7fca38bdef60affe4"),
  (60, "e3040c00eb28f15366ca73cbd872e740"),
  (61, "7697009a6a831dfecca91c5993670f7a"),
  (62, "5853542321f567a005d547a4f04759bd"),
  (63, "5150d1772f50834a503e069a973fbd7c"),
]

@Suite("Cache keys")
struct CacheKeyTests {
  private static func hex(_ halves: (first: UInt64, second: UInt64)) -> String {
    CacheKey(high: halves.first.byteSwapped, low: halves.second.byteSwapped).description
  }

  @Test("SipHash-2-4-128 gives the published answers", arguments: sipHashVectors)
  func publishedAnswers(length: Int, answer: String) {
    let message = (0..<length).map { UInt8($0) }
    var whole = SipHash128(key0: 0x0706_0504_0302_0100, key1: 0x0f0e_0d0c_0b0a_0908)
    message.withUnsafeBytes { whole.update($0) }
    #expect(Self.hex(whole.finish()) == answer)
  }

  @Test("the hash does not depend on how the bytes are cut", arguments: [1, 3, 7, 8, 9, 31])
  func pieces(size: Int) {
    let message = (0..<97).map { UInt8($0) }
    var whole = SipHash128(key0: 1, key1: 2)
    message.withUnsafeBytes { whole.update($0) }
    var pieces = SipHash128(key0: 1, key1: 2)
    for start in stride(from: 0, to: message.count, by: size) {
      message[start..<min(start + size, message.count)].withUnsafeBytes { pieces.update($0) }
    }
    #expect(Self.hex(whole.finish()) == Self.hex(pieces.finish()))
  }

  @Test(
    "a key is the same for ever",
    arguments: [
      ("", "3ee4bb2fd730a1d3117502b4b1ede03c"),
      ("https://example.org/cat.jpg", "6c64cba994c9a27e55081d160264819e"),
    ])
  func stable(text: String, answer: String) {
    #expect(CacheKey(text).description == answer)
  }

  @Test("text, array, buffer and lazy bytes agree")
  func sources() {
    let text = "https://example.org/ünïcode/cat.jpg?size=large"
    let key = CacheKey(text)
    #expect(CacheKey(hashing: Array(text.utf8)) == key)
    #expect(CacheKey(hashing: text.utf8.lazy.map { $0 }) == key)
    #expect(Array(text.utf8).withUnsafeBytes { CacheKey(hashing: $0) } == key)
  }

  @Test("hexadecimal text and back")
  func hexadecimal() {
    let key = CacheKey(high: 0x0123_4567_89ab_cdef, low: 7)
    #expect(key.description == "0123456789abcdef0000000000000007")
    #expect(CacheKey(hexadecimal: key.description) == key)
    #expect(CacheKey(hexadecimal: key.description.uppercased()) == key)
  }

  @Test(
    "other texts are no keys",
    arguments: [
      "", "0", "0123456789abcdef000000000000000", "+123456789abcdef0000000000000007",
      "0123456789abcdef00000000000000070", "0123456789abcdeg0000000000000007",
    ])
  func noKeys(text: String) {
    #expect(CacheKey(hexadecimal: text) == nil)
  }

  @Test("different sequences of parts have different keys")
  func derivation() {
    let key = CacheKey("k")
    var variants = [
      key, key.derived(), key.derived(""), key.derived("", ""), key.derived("ab", "c"),
      key.derived("a", "bc"),
      key.derived("abc"), key.derived("a").derived("bc"), CacheKey("abc"), CacheKey("j").derived("abc"),
    ]
    let appends: [(inout CacheKey.Builder) -> Void] = [
      { _ in }, { $0.append("1") }, { $0.append(1) }, { $0.append(-1) }, { $0.append(UInt64.max) },
      { $0.append(1.0) }, { $0.append(true) }, { $0.append(false) }, { $0.append(0.0) },
      { $0.append(-0.0) }, { b in [UInt8(ascii: "1")].withUnsafeBytes { b.append($0) } },
    ]
    for append in appends {
      var builder = CacheKey.Builder()
      append(&builder)
      variants.append(builder.key)
    }
    #expect(Set(variants).count == variants.count)
  }

  @Test("a number is its value, not its width; a builder goes on after giving a key")
  func numbers() {
    var narrow = CacheKey.Builder()
    narrow.append(Int8(-5))
    _ = narrow.key
    narrow.append("x")
    var wide = CacheKey.Builder()
    wide.append(Int64(-5))
    wide.append("x")
    #expect(narrow.key == wide.key)
  }
}
