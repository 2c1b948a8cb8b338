import Testing

@testable import OzuCodecs

@Suite("ICC profile name")
struct ICCProfileNameTests {
  private func integer(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// A profile that contains only a `desc` tag.
  private func profile(_ description: [UInt8], offset: Int = 144) -> [UInt8] {
    let header = [UInt8](repeating: 0, count: 36) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 88)
    return header + integer(1) + Array("desc".utf8) + integer(offset) + integer(description.count)
      + description
  }

  private func plain(_ name: String, count: Int) -> [UInt8] {
    Array("desc".utf8) + integer(0) + integer(count) + Array(name.utf8) + [0]
  }

  private func translated(_ names: [(language: String, name: String)]) -> [UInt8] {
    var offset = 16 + 12 * names.count
    var records: [UInt8] = []
    var texts: [UInt8] = []
    for (language, name) in names {
      let text = name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      records += Array(language.utf8) + Array("XX".utf8) + integer(text.count) + integer(offset)
      texts += text
      offset += text.count
    }
    return Array("mluc".utf8) + integer(0) + integer(names.count) + integer(12) + records + texts
  }

  @Test("is read from version 2, without spaces at its end")
  func version2() {
    #expect(ICCProfileName.find(in: profile(plain("Display P3", count: 11)).span) == "Display P3")
    #expect(ICCProfileName.find(in: profile(plain("Display P3 ", count: 12)).span) == "Display P3")
  }

  @Test("is read from version 4, in English if there is an English name")
  func version4() {
    let both = profile(translated([("de", "Anzeige Grün"), ("en", "Display Green")]))
    #expect(ICCProfileName.find(in: both.span) == "Display Green")
    let one = profile(translated([("de", "Anzeige Grün")]))
    #expect(ICCProfileName.find(in: one.span) == "Anzeige Grün")
  }

  @Test("is not found in a broken profile, wherever it ends")
  func broken() {
    let whole = profile(translated([("en", "Display P3")]))
    for count in 0..<whole.count - 20 {
      #expect(ICCProfileName.find(in: Array(whole.prefix(count)).span) == nil)
    }
    #expect(ICCProfileName.find(in: profile(plain("x", count: 1), offset: 0x7FFF_FFFF).span) == nil)
    #expect(ICCProfileName.find(in: profile(plain("", count: 0)).span) == nil)
  }

  @Test("is bounded, whatever length is declared")
  func bounded() {
    let long = String(repeating: "n", count: 5000)
    let name = ICCProfileName.find(in: profile(plain(long, count: 0x7FFF_FFFF)).span)
    #expect(name == String(repeating: "n", count: 200))
  }
}
