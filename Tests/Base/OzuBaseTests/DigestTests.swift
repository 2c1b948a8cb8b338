import Foundation
import OzuBase
import Testing

@Suite("Digests, and bytes as hexadecimal digits")
struct DigestTests {
  private static func digest(_ kind: String, _ message: some Sequence<UInt8>) -> String {
    switch kind {
    case "MD5": MD5.hexadecimal(message)
    case "SHA-1": SHA1.digest(of: message).hexadecimal
    case "SHA-256": SHA256.hexDigest(of: message)
    default: SHA512.digest(of: message).hexadecimal
    }
  }

  @Test(
    "the standards' examples",
    arguments: [
      ("MD5", "", "d41d8cd98f00b204e9800998ecf8427e"),
      ("MD5", "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      ("SHA-1", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      ("SHA-1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      ("SHA-256", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("SHA-256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "SHA-256", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "SHA-256", String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
      (
        "SHA-512", "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ] as [(String, String, String)])
  func examples(_ kind: String, _ text: String, _ digest: String) {
    #expect(Self.digest(kind, text.utf8) == digest)
  }

  /// The digests of all lengths one after the other, and their MD5 by Python's hashlib.
  @Test(
    "messages that end anywhere in a block, whether they lie in one piece or not",
    arguments: [
      ("MD5", "7bf4f61a6409c9fa79b0cc77839a6a60"), ("SHA-1", "0eae50d32f5d2f13145f6da00fcc1836"),
      ("SHA-256", "b8e411edec72c8a2ca398ea66020819f"), ("SHA-512", "7f3e436827efe4db9231cc80770880de"),
    ] as [(String, String)])
  func lengths(_ kind: String, _ expected: String) {
    var (arrays, slices, pieces): (String, String, String) = ("", "", "")
    for count in 0..<260 {
      let message: [UInt8] = (0..<count).map { UInt8(truncatingIfNeeded: count &* 7 &+ $0 &* 31) }
      arrays += Self.digest(kind, message)
      slices += Self.digest(kind, Data([1, 2, 3] + message).dropFirst(3))
      pieces += Self.digest(kind, AnySequence(message))
    }
    #expect(MD5.hexadecimal(arrays.utf8) == expected)
    #expect(slices == arrays && pieces == arrays)
  }

  /// RFC 4231, test cases 1, 2 and 6: the last with a key that is longer than a block.
  @Test(
    "codes of messages",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ] as [([UInt8], String, String)])
  func codes(_ key: [UInt8], _ message: String, _ code: String) {
    #expect(SHA256.authenticationCode(of: message.utf8, key: key).hexadecimal == code)
  }

  @Test("bytes are two digits each, and come back from them; other texts are no bytes")
  func hexadecimal() {
    let all: [UInt8] = Array(0...255)
    #expect(all.hexadecimal.hasPrefix("000102") && all.hexadecimal.hasSuffix("fdfeff"))
    #expect([0x09, 0xA0, 0xFF].hexadecimal == "09a0ff" && [UInt8]().hexadecimal.isEmpty)
    #expect([UInt8](hexadecimal: all.hexadecimal) == all)
    #expect([UInt8](hexadecimal: all.hexadecimal.uppercased()) == all)
    for text in ["0", "0g", "+1", " 1", "１２", "0x"] { #expect([UInt8](hexadecimal: text) == nil, "\(text)") }
  }
}
