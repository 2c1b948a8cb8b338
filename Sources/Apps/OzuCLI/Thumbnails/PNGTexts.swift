import Foundation

/// Texts that a PNG carries (`tEXt`): a key and a value each.
enum PNGTexts {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The signature, and the chunk that must be the first (IHDR).
  private static let headByteCount = 33

  /// A PNG with texts after its first chunk.
  ///
  /// - Parameter texts: in Latin-1, as the format requires; other characters become `?`. Keys have 79 characters at most.
  /// - Precondition: `png` is a PNG.
  static func adding(_ texts: [(key: String, value: String)], to png: Data) -> Data {
    precondition(png.starts(with: signature) && png.count >= headByteCount, "texts are added to a PNG")
    var result = Data(png.prefix(headByteCount))
    for text in texts {
      result.append(chunk("tEXt", latin(text.key) + [0] + latin(text.value)))
    }
    return result + png.dropFirst(headByteCount)
  }

  /// The texts of a PNG that are before its pixels. A truncated file has those before its end, a file of another format none.
  static func texts(of png: Data) -> [String: String] {
    let bytes = [UInt8](png)
    guard bytes.starts(with: signature) else { return [:] }
    var texts: [String: String] = [:]
    var position = signature.count
    while position + 8 <= bytes.count {
      let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let kind = bytes[position + 4..<position + 8]
      let end = position + 8 + length
      guard end + 4 <= bytes.count, !kind.elementsEqual("IDAT".utf8) else { break }
      let content = bytes[position + 8..<end]
      if kind.elementsEqual("tEXt".utf8), let zero = content.firstIndex(of: 0) {
        texts[text(content[..<zero])] = text(content[(zero + 1)...])
      }
      position = end + 4
    }
    return texts
  }

  private static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { $0.value > 0 && $0.value < 256 ? UInt8($0.value) : UInt8(ascii: "?") }
  }

  private static func text(_ latin: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(latin.map { Unicode.Scalar($0) }))
  }

  private static func chunk(_ kind: String, _ content: [UInt8]) -> Data {
    let body = Array(kind.utf8) + content
    return Data(bigEndian(UInt32(content.count)) + body + bigEndian(checksum(body)))
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
  }

  /// The CRC of a chunk (PNG, annex D).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = sum & 1 == 1
        sum >>= 1
        if isOdd { sum ^= 0xEDB8_8320 }
      }
    }
    return ~sum
  }
}
