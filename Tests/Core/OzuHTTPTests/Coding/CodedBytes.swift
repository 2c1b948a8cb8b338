import OzuBase

@testable import OzuHTTP

/// Bytes in a content coding, from encoders that do not compress.
enum CodedBytes {
  static func encoded(_ bytes: Data, _ codings: [ContentCoding]) -> Data {
    codings.reduce(bytes) { encoded($0, $1) }
  }

  static func encoded(_ bytes: Data, _ coding: ContentCoding) -> Data {
    switch coding {
    case .gzip:
      // RFC 1952: no name, no time; the checksum and the length behind.
      Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]) + storedDeflate(bytes) + littleEndian(crc32(bytes), 4)
        + littleEndian(UInt32(truncatingIfNeeded: bytes.count), 4)
    case .deflate:
      // RFC 1950: the checksum behind.
      Data([0x78, 0x01]) + storedDeflate(bytes) + Data(littleEndian(adler32(bytes), 4).reversed())
    case .brotli: uncompressedBrotli(bytes)
    case .zstd: rawZstd(bytes)
    }
  }

  /// RFC 1951 §3.2.4.
  static func storedDeflate(_ bytes: Data) -> Data {
    pieces(bytes, of: 65_535).reduce(into: Data()) { result, piece in
      let (bytes, isLast) = piece
      let count = UInt32(bytes.count)
      result += [isLast ? 1 : 0] + littleEndian(count, 2) + littleEndian(~count, 2) + bytes
    }
  }

  /// RFC 7932 §9.2: a window of 16 bits, uncompressed meta-blocks, an empty last one.
  private static func uncompressedBrotli(_ bytes: Data) -> Data {
    var bits = BitWriter()
    bits.append(0, 1)
    for (bytes, _) in pieces(bytes, of: 65_536) where !bytes.isEmpty {
      // Not the last; four digits of the length, less one; uncompressed, which begins at a whole byte.
      bits.append(0, 1)
      bits.append(0, 2)
      bits.append(UInt32(bytes.count - 1), 16)
      bits.append(1, 1)
      bits.append(bytes)
    }
    bits.append(3, 2)
    return bits.bytes
  }

  /// RFC 8878 §3.1.1: raw blocks.
  private static func rawZstd(_ bytes: Data) -> Data {
    pieces(bytes, of: 100_000).reduce(into: zstdHead) { result, piece in
      let (bytes, isLast) = piece
      result += littleEndian(UInt32(bytes.count << 3 | (isLast ? 1 : 0)), 3) + bytes
    }
  }

  /// A frame with a window of 8 MB and no length.
  static let zstdHead = Data([0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3])

  /// `blockCount` blocks of 128 KB of zeros, in four bytes each.
  static func zstdBomb(blockCount: Int) -> Data {
    (0..<blockCount).reduce(into: zstdHead) { result, number in
      result += littleEndian(UInt32(131_072 << 3 | 2 | (number == blockCount - 1 ? 1 : 0)), 3) + [0]
    }
  }

  /// 90,000,000 zeros in brotli.
  static let brotliBomb =
    Data(
      base64Encoded:
        "z///f/gnAOKxQCD3/p/////wTwDEYQGA7v0/////4Z8AiMMiAN37f/7//8M/ARCHBQC69//8//+HfwIgDgsAdO//80+pC/8EQBwWAOgIdQE="
    ) ?? Data()

  /// 64 MB of zeros in gzip, in gzip.
  static let gzipInGzip =
    Data(
      base64Encoded: """
        H4sIAAAAAAACA+3cr06CYRTA4Rf43BhuisFEgEswUph/Atmg2XEBRLNsjGThJshubm5Wm3cANrtocM7k/PT7LuM9z5NOPvHs7Ne/badKs7V9a\
        jT+p9ny9+6j3UkAAABA5mYv81Z1DEiDcj0+vwQAAAByN9nfK+qjwM9V79Q6AAAAIHuL0bBbfwh83kwL6wAAAIDsHX6/ntS3gOfy4eDCPgAAACB7G8\
        EAAAAACEUwAAAAAGIRDAAAAIBYBAMAAAAgGMEAAAAAiEUwAAAAAGIRDAAAAIBYBAMAAAAgGMEAAAAAiEUwAAAAAGIRDAAAAIBYBAMAAAAgGMEAA\
        AAAiEUwAAAAAGJZjYaD6jGg+1VeH5/tJAAAACJ53H0/ertPKRV/PEzs+uL+AAA=
        """) ?? Data()

  private static func pieces(_ bytes: Data, of count: Int) -> [(Data, isLast: Bool)] {
    let starts = bytes.isEmpty ? [0] : Array(stride(from: 0, to: bytes.count, by: count))
    return starts.map { (Data(bytes.dropFirst($0).prefix(count)), $0 + count >= bytes.count) }
  }

  private static func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  private static let crcTable = (0..<256 as Range<UInt32>).map { byte in
    (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }

  // Plain loops: the tests are built without optimisation.
  private static func crc32(_ bytes: Data) -> UInt32 {
    bytes.withUnsafeBytes { bytes in
      var sum: UInt32 = 0xFFFF_FFFF
      for byte in bytes { sum = sum >> 8 ^ crcTable[Int(sum & 0xFF ^ UInt32(byte))] }
      return ~sum
    }
  }

  private static func adler32(_ bytes: Data) -> UInt32 {
    bytes.withUnsafeBytes { bytes in
      var (a, b) = (1 as UInt32, 0 as UInt32)
      for byte in bytes {
        a = (a + UInt32(byte)) % 65_521
        b = (b + a) % 65_521
      }
      return b << 16 | a
    }
  }
}

/// Bits from the lowest up.
private struct BitWriter {
  private(set) var bytes = Data()
  private var bitCount = 0

  mutating func append(_ value: UInt32, _ count: Int) {
    for bit in 0..<UInt32(count) {
      if bitCount % 8 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(bitCount % 8)
      bitCount += 1
    }
  }

  /// Whole bytes, at the next boundary.
  mutating func append(_ more: Data) {
    bytes += more
    bitCount = bytes.count * 8
  }
}
