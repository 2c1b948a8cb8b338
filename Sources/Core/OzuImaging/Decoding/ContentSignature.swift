/// A rule by which the first bytes of a file are recognised.
struct ContentSignature: Sendable {
  private let test: @Sendable ([UInt8]) -> Bool

  /// - Parameter test: receives at most `ContentKind.prefixByteCount` bytes, and fewer of a shorter file.
  init(_ test: @escaping @Sendable ([UInt8]) -> Bool) { self.test = test }

  /// Whether some first bytes follow the rule.
  func matches(_ bytes: [UInt8]) -> Bool { test(bytes) }

  static func bytes(_ wanted: UInt8..., at offset: Int = 0) -> ContentSignature { bytes(wanted, at: offset) }

  static func text(_ wanted: String, at offset: Int = 0) -> ContentSignature {
    bytes(Array(wanted.utf8), at: offset)
  }

  private static func bytes(_ wanted: [UInt8], at offset: Int) -> ContentSignature {
    ContentSignature { $0.count >= offset + wanted.count && $0[offset...].starts(with: wanted) }
  }

  /// A byte other than zero at an offset.
  static func nonzero(at offset: Int) -> ContentSignature {
    ContentSignature { $0.count > offset && $0[offset] != 0 }
  }

  func and(_ other: ContentSignature) -> ContentSignature {
    ContentSignature { [test] in test($0) && other.matches($0) }
  }

  static func containing(_ wanted: String) -> ContentSignature {
    ContentSignature { String(decoding: $0, as: UTF8.self).contains(wanted) }
  }

  /// A file of Netpbm: P and a digit, and behind spaces another digit or a comment; or a PAM, with a word.
  static let netpbm = ContentSignature { bytes in
    guard bytes.count > 3, bytes[0] == 0x50, 0x31...0x37 ~= bytes[1] else { return false }
    if bytes[1] == 0x37 { return bytes[2] == 0x0A && (bytes[3] == 0x23 || 0x41...0x5A ~= bytes[3]) }
    var rest = bytes[2...]
    while let first = rest.first, first != 0x23, !(0x30...0x39 ~= first) {
      guard first == 0x20 || 0x09...0x0D ~= first else { return false }
      rest = rest.dropFirst()
    }
    return rest.first == 0x23 || rest.startIndex > 2 && !rest.isEmpty
  }

  /// A bitmap of Windows without the header of a file, which has no signature: a header whose fields agree with each other.
  static let bareBitmap = ContentSignature { bytes in
    guard bytes.count >= 40, [40, 108, 124].contains(bytes[0]) else { return false }
    let zeros = [bytes[1...3], bytes[15...15], bytes[17...19]].joined()
    return zeros.allSatisfy { $0 == 0 } && bytes[12] == 1 && bytes[13] == 0
      && [1, 4, 8, 16, 24, 32].contains(bytes[14]) && bytes[16] <= 6
  }

  /// A TGA, which has no signature: a header whose fields agree with each other.
  static let targa = ContentSignature { bytes in
    guard bytes.count >= 18, bytes[1] <= 1, [1, 2, 3, 9, 10, 11].contains(bytes[2]) else { return false }
    let (hasPalette, kind, bits, flags) = (bytes[1] == 1, bytes[2] & 7, bytes[16], bytes[17])
    let palette = bytes[3..<8]
    let isPossible =
      hasPalette
      ? [15, 16, 24, 32].contains(bytes[7]) && bytes[5] | bytes[6] > 0 : palette.allSatisfy { $0 == 0 }
    // Run lengths of 1 bit are nothing that a program writes.
    let ofGray: [UInt8] = bytes[2] == 3 ? [1, 8, 16] : [8, 16]
    let possible: [UInt8] =
      kind == 1 ? (hasPalette ? [8, 16] : []) : kind == 2 ? [15, 16, 24, 32] : ofGray
    // Flags 0x40 and 0x80 say that rows are interleaved, which is not read, but named.
    return isPossible && possible.contains(bits) && flags & 0xC0 != 0xC0 && flags & 15 <= 8
      && bytes[12] | bytes[13] > 0 && bytes[14] | bytes[15] > 0
  }

  /// One of some major or compatible brands of an ISO base media file (ISO/IEC 14496-12 §4.3).
  static func brands(_ wanted: String...) -> ContentSignature {
    ContentSignature { brands(of: $0).contains(where: wanted.contains) }
  }

  /// An ISO base media file of any brand.
  static let baseMedia = ContentSignature { !brands(of: $0).isEmpty }

  private static func brands(of bytes: [UInt8]) -> [String] {
    guard bytes.count >= 12, bytes[4...].starts(with: "ftyp".utf8) else { return [] }
    let boxSize = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    // A size of 0 means "up to the end of the file".
    let end = boxSize == 0 ? bytes.count : min(max(boxSize, 12), bytes.count)
    let offsets = [8] + Array(stride(from: 16, through: end - 4, by: 4))
    return offsets.map { String(decoding: bytes[$0..<$0 + 4], as: UTF8.self) }
  }
}
