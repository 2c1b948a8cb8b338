import Foundation

/// Writes GIFs for tests. Codes are as long as indices need and never grow: a clear code is written before the
/// table would need longer ones.
struct GIFWriter {
  struct Frame {
    var x = 0
    var y = 0
    var width: Int
    var height: Int
    var indices: [UInt8]
    var transparent: UInt8?
    var disposal = 0
    var hundredths = 10
    var isInterlaced = false
    /// The number of bits of an index, at least two.
    var minimumCodeSize = 2
  }

  var width: Int
  var height: Int
  /// Four colours, as red, green, blue.
  var colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
  var loopCount: Int?
  var frames: [Frame]

  var data: Data {
    var bytes = Array("GIF89a".utf8) + little(width) + little(height) + [0x81, 0, 0] + colors.flatMap { $0 }
    if let loopCount {
      bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + little(loopCount) + [0]
    }
    for frame in frames {
      let flags = UInt8(frame.disposal << 2 | (frame.transparent == nil ? 0 : 1))
      bytes += [0x21, 0xF9, 4, flags] + little(frame.hundredths) + [frame.transparent ?? 0, 0]
      bytes += [0x2C] + little(frame.x) + little(frame.y) + little(frame.width) + little(frame.height)
      bytes += [frame.isInterlaced ? 0x40 : 0, UInt8(frame.minimumCodeSize)] + blocks(codes(frame)) + [0]
    }
    return Data(bytes + [0x3B])
  }

  private func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

  /// Codes of one bit more than an index: the first code that is no index clears, the next one ends.
  private func codes(_ frame: Frame) -> [UInt8] {
    var values: [Int] = []
    for (position, index) in frame.indices.enumerated() {
      if position % 2 == 0 { values.append(1 << frame.minimumCodeSize) }
      values.append(Int(index))
    }
    values.append(1 << frame.minimumCodeSize + 1)
    var bytes: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for value in values {
      bits |= value << bitCount
      bitCount += frame.minimumCodeSize + 1
      while bitCount >= 8 {
        bytes.append(UInt8(bits & 255))
        bits >>= 8
        bitCount -= 8
      }
    }
    return bitCount > 0 ? bytes + [UInt8(bits)] : bytes
  }

  private func blocks(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: 255).flatMap { start in
      let block = bytes[start..<min(start + 255, bytes.count)]
      return [UInt8(block.count)] + block
    }
  }
}
