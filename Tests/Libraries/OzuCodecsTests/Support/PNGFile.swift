import Foundation
import OzuImaging

/// Writes PNGs for tests, of any colour type and depth, not compressed, still or animated.
struct PNGFile {
  var size: PixelSize
  var colorType: UInt8
  var bitDepth: UInt8 = 8
  /// The bytes of all rows, without filters.
  var samples: [UInt8]
  /// Chunks between the header and the pixels.
  var chunks: [(name: String, content: [UInt8])] = []
  /// How many times the picture is written, as frames of an animation; 1 for a still one.
  var frameCount = 1

  var data: Data {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += Self.chunk(
      "IHDR", Self.big(size.width) + Self.big(size.height) + [bitDepth, colorType, 0, 0, 0])
    for chunk in chunks { file += Self.chunk(chunk.name, chunk.content) }
    if frameCount > 1 {
      file += Self.chunk("acTL", Self.big(frameCount) + Self.big(0)) + control(0)
    }
    let pixels = Self.zlib(rows)
    file += Self.chunk("IDAT", pixels)
    for frame in 1..<max(1, frameCount) {
      file += control(2 * frame - 1) + Self.chunk("fdAT", Self.big(2 * frame) + pixels)
    }
    return Data(file + Self.chunk("IEND", []))
  }

  /// Every row with the filter "none".
  private var rows: [UInt8] {
    let width = samples.count / size.height
    return (0..<size.height).flatMap { row -> [UInt8] in
      let start = row * width
      return [0] + samples[start..<start + width]
    }
  }

  private func control(_ number: Int) -> [UInt8] {
    let place = [number, size.width, size.height, 0, 0].flatMap(Self.big)
    return Self.chunk("fcTL", place + [0, 1, 0, 10, 0, 0])
  }

  static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: value >> shift) }
  }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in body {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return big(content.count) + body + big(Int(~sum))
  }

  /// Stored blocks (RFC 1950 and 1951).
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: 30_000) {
      let part = bytes[start..<min(start + 30_000, bytes.count)]
      let length = [UInt8(part.count & 255), UInt8(part.count >> 8)]
      stream += [start + 30_000 >= bytes.count ? 1 : 0] + length + length.map { ~$0 } + part
    }
    var (low, high) = (1, 0)
    for byte in bytes {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + big(high << 16 | low)
  }
}
