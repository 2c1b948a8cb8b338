import Foundation
import OzuImaging

extension Bitmap {
  /// The bytes of all rows without padding: blue, green, red, alpha.
  var packed: [UInt8] {
    withUnsafeBytes { bytes in
      (0..<size.height).flatMap { y -> ArraySlice<UInt8> in
        let start = y * bytesPerRow
        return ArraySlice(bytes[start..<start + size.width * 4])
      }
    }
  }

  /// The largest difference of a channel; 256 for pictures of different sizes.
  func largestDifference(from other: Bitmap) -> Int {
    guard size == other.size else { return 256 }
    return zip(packed, other.packed).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  /// The mean difference of a channel; 256 for pictures of different sizes.
  func meanDifference(from other: Bitmap) -> Double {
    guard size == other.size else { return 256 }
    let sum = zip(packed, other.packed).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(size.pixelCount * 4)
  }

  /// The peak signal-to-noise ratio of the colours in decibels.
  func signalToNoise(against other: Bitmap) -> Double {
    let squares = zip(packed, other.packed).reduce(0) { sum, pair in
      let difference = Int(pair.0) - Int(pair.1)
      return sum + difference * difference
    }
    return 10 * log10(255 * 255 * Double(size.pixelCount * 3) / Double(max(1, squares)))
  }

  /// The picture at `1 / factor` of its size, each pixel the mean of a square.
  func reduced(by factor: Int) -> Bitmap {
    let target = PixelSize((size.width + factor - 1) / factor, (size.height + factor - 1) / factor)
    return Bitmap(size: target) { x, y in
      let xs = x * factor..<min((x + 1) * factor, size.width)
      let ys = y * factor..<min((y + 1) * factor, size.height)
      let pixels = ys.flatMap { y in xs.map { x in self[x, y] } }
      func mean(_ channel: (Pixel) -> UInt8) -> UInt8 {
        UInt8((pixels.reduce(0) { $0 + Int(channel($1)) } + pixels.count / 2) / pixels.count)
      }
      return Pixel(red: mean(\.red), green: mean(\.green), blue: mean(\.blue))
    }
  }

  /// A 64-bit FNV-1a hash of the packed bytes, for comparing with a recorded one.
  var fnv1a: UInt64 {
    packed.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// A smooth picture with some detail, like a photograph.
func waves(_ size: PixelSize, isOpaque: Bool = true) -> Bitmap {
  Bitmap(size: size, isOpaque: isOpaque) { x, y in
    let alpha = isOpaque ? 255 : (x * 7 + y * 3) % 256
    func channel(_ frequency: Double) -> UInt8 {
      let wave = sin(Double(x) * frequency) * cos(Double(y) * frequency * 0.7)
      return UInt8((127.5 + 100 * wave) * Double(alpha) / 255)
    }
    return Pixel(
      red: channel(0.05), green: channel(0.09), blue: channel(0.13), alpha: UInt8(alpha))
  }
}
