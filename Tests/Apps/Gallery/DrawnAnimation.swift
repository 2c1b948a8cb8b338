import Foundation

/// A GIF whose frames are plain shades of grey, each lighter than the one before, so that a drill can tell the current frame.
enum DrawnAnimation {
  /// The shades of the palette, which limit the number of frames.
  private static let shadeCount = 32

  /// The file. Each frame is shown for 40 ms, in an endless loop.
  static func gif(width: Int, height: Int, frameCount: Int) -> Data {
    precondition((2...shadeCount).contains(frameCount))
    var data = Data("GIF89a".utf8)
    data += number(width) + number(height) + [0xF4, 0, 0]  // A global palette of 32 colours.
    for shade in 0..<shadeCount {
      data += [UInt8](repeating: UInt8(shade * 255 / (shadeCount - 1)), count: 3)
    }
    data += [0x21, 0xFF, 11] + Data("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    for frame in 0..<frameCount {
      data += [0x21, 0xF9, 4, 0] + number(4) + [0, 0]
      data += [0x2C] + number(0) + number(0) + number(width) + number(height) + [0]
      data += pixels(of: UInt8(frame), count: width * height)
    }
    return data + [0x3B]
  }

  /// Codes of 6 bits, one for each pixel. The decoder's table is cleared before it would need a seventh.
  private static func pixels(of shade: UInt8, count: Int) -> Data {
    let (clear, end, runLength) = (UInt8(shadeCount), UInt8(shadeCount + 1), 28)
    var (bits, bitCount, bytes) = (UInt32(0), UInt32(0), [UInt8]())
    func append(_ code: UInt8) {
      bits |= UInt32(code) << bitCount
      bitCount += 6
      while bitCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        bitCount -= 8
      }
    }
    for pixel in 0..<count {
      if pixel % runLength == 0 { append(clear) }
      append(shade)
    }
    append(end)
    bytes.append(UInt8(truncatingIfNeeded: bits))
    var data = Data([5])
    for start in stride(from: 0, to: bytes.count, by: 255) {
      let block = bytes[start..<min(start + 255, bytes.count)]
      data += [UInt8(block.count)] + block
    }
    return data + [0]
  }

  private static func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
