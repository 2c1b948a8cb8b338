#if os(Linux)
  import Foundation

  /// Content codings written by hand, without compression: what a hostile origin sends need not be small, only exact.
  enum Encodings {
    /// RFC 1952, with one stored block (RFC 1951 §3.2.4), or several.
    static func gzip(_ body: Data) -> Data {
      var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
      result += deflate(body)
      result += littleEndian(crc32(body)) + littleEndian(UInt32(body.count))
      return result
    }

    /// RFC 1951: stored blocks of 65,535 bytes at most.
    static func deflate(_ body: Data) -> Data {
      var result = Data()
      var rest = body[...]
      repeat {
        let block = rest.prefix(65_535)
        rest = rest.dropFirst(block.count)
        let count = UInt16(block.count)
        result.append(rest.isEmpty ? 1 : 0)
        for value in [count, ~count] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
        result += block
      } while !rest.isEmpty
      return result
    }

    /// RFC 1950, which HTTP means by `deflate`.
    static func zlib(_ body: Data) -> Data {
      var (a, b): (UInt32, UInt32) = (1, 0)
      for byte in body {
        a = (a + UInt32(byte)) % 65_521
        b = (b + a) % 65_521
      }
      return Data([0x78, 0x01]) + deflate(body) + littleEndian((b << 16 | a).byteSwapped)
    }

    /// RFC 7932 §9.2: a window of 16 bits, one uncompressed meta-block of at most 65,536 bytes, an empty last one.
    static func brotli(_ body: Data) -> Data {
      let length = body.count - 1
      return Data([UInt8(length << 4 & 0xFF), UInt8(length >> 4 & 0xFF), UInt8(length >> 12 & 0x0F | 0x10)])
        + body + [0x03]
    }

    /// RFC 8878 §3.1.1: a frame with a window of a megabyte and one raw block of at most 131,072 bytes.
    static func zstd(_ body: Data) -> Data {
      zstdHead + littleEndian(UInt32(body.count << 3 | 1)).prefix(3) + body
    }

    // MARK: Bombs of zeros

    /// About 64 MB in 420 KB: a zero and its copies of 258 bytes, 13 bits each (RFC 1951 §3.2.6).
    static let gzipBomb: Data = {
      var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
      let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
      for _ in 0..<16 { bits += copy }
      var bytes = [UInt8](repeating: 0, count: bits.count / 8)
      for place in 0..<bytes.count * 8 { bytes[place / 8] |= bits[place] << UInt8(place % 8) }
      // Eight copies are 13 whole bytes, so that the pattern repeats.
      let period = Data(bytes[2..<15])
      var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]) + bytes[..<2]
      for _ in 0..<32_000 { result += period }
      return result
    }()

    /// 64 MB in 53 bytes, by the reference encoder at its highest level.
    static let brotliBomb =
      Data(
        base64Encoded: "z///f/gnAOKxQCD3/p/////wTwDEYQGA7v0/////4Z8AiMMiAN37//z//8c/ARCHBQC69/8=") ?? Data()

    /// 64 MB in 2 KB: blocks that repeat one byte 131,072 times.
    static let zstdBomb: Data = {
      var result = zstdHead
      for block in 1...512 {
        result += littleEndian(UInt32(131_072 << 3 | 1 << 1 | (block == 512 ? 1 : 0))).prefix(3) + [0]
      }
      return result
    }()

    private static let zstdHead = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50])

    private static func littleEndian(_ value: UInt32) -> Data {
      Data((0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) })
    }

    private static func crc32(_ body: Data) -> UInt32 {
      var sum: UInt32 = 0xFFFF_FFFF
      for byte in body {
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
#endif
