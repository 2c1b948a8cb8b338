import Foundation
import OzuImaging
import OzuStandardCodecs
import Testing

/// Frames for tests of animation writers, made on demand.
struct FrameSequence: Sendable, CustomTestStringConvertible {
  var name: String
  var size: PixelSize
  var count: Int
  var loopCount = 0
  /// In milliseconds; repeated if there are more frames.
  var delays = [100]
  var frame: @Sendable (_ index: Int) -> Bitmap

  var testDescription: String { name }

  init(
    _ name: String, _ width: Int, _ height: Int, count: Int, loopCount: Int = 0, delays: [Int] = [100],
    isOpaque: Bool = true, pixel: @escaping @Sendable (_ x: Int, _ y: Int, _ index: Int) -> Pixel
  ) {
    (self.name, self.count, self.loopCount, self.delays) = (name, count, loopCount, delays)
    let size = PixelSize(width, height)
    self.size = size
    frame = { index in Bitmap(size: size, isOpaque: isOpaque) { x, y in pixel(x, y, index) } }
  }

  func delay(_ index: Int) -> Duration { .milliseconds(delays[index % delays.count]) }

  /// The frames as they are shown: equal frames in a row are one.
  var seen: [(frame: Bitmap, delay: Duration)] {
    var seen: [(frame: Bitmap, delay: Duration)] = []
    for index in 0..<count {
      let frame = frame(index)
      if let last = seen.last, last.frame == frame {
        seen[seen.count - 1].delay += delay(index)
      } else {
        seen.append((frame, delay(index)))
      }
    }
    return seen
  }

  func encoded(as type: ImageType, options: EncodingOptions = .init(isLossless: true)) throws -> Data {
    let writer = try CodecRegistry.standard.animationEncoder(for: type).makeWriter(
      canvas: size, loopCount: loopCount, options: options)
    for index in 0..<count { try writer.append(frame(index), duration: delay(index)) }
    return try writer.finish()
  }
}

extension FrameSequence {
  static let red = Pixel(red: 220, green: 20, blue: 30)
  static let blue = Pixel(red: 10, green: 40, blue: 200)

  /// A pixel with one of a few colours, the same each time.
  static func speckle(_ x: Int, _ y: Int, _ index: Int, colorCount: UInt32) -> Pixel {
    var value = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663 ^ index &* 83_492_791)
    value = (value ^ value >> 13) &* 2_654_435_761
    let number = UInt8(truncatingIfNeeded: (value >> 16) % colorCount)
    return Pixel(red: number, green: 255 - number, blue: number &* 37)
  }

  /// Frames that every format keeps exactly: pixels are opaque or transparent, with at most 256 colours in a frame.
  static let plain: [FrameSequence] = [
    FrameSequence("a square that moves", 40, 30, count: 8, loopCount: 3, delays: [100, 200, 50, 400]) {
      x, y, index in
      (index * 4..<index * 4 + 8).contains(x) && (8..<16).contains(y)
        ? red : Pixel(red: UInt8(x), green: 9, blue: 9)
    },
    FrameSequence("a square that moves over nothing", 33, 21, count: 8, loopCount: 1, isOpaque: false) {
      x, y, index in
      (index * 3..<index * 3 + 8).contains(x) && (index..<index + 7).contains(y) ? red : .clear
    },
    FrameSequence("a picture that comes and goes", 20, 20, count: 6, loopCount: 2, isOpaque: false) {
      x, _, index in index % 2 == 0 ? .clear : x < 10 ? red : blue
    },
    FrameSequence("a sign over a picture", 24, 24, count: 5) { x, y, index in
      index % 2 == 1 && x > 14 && y > 14 ? red : Pixel(red: 5, green: UInt8(y / 2), blue: UInt8(x / 2))
    },
    FrameSequence("holes in a picture", 31, 17, count: 7, isOpaque: false) { x, y, index in
      (x + y + index) % 5 == 0 ? .clear : speckle(x, y, index / 3, colorCount: 40)
    },
    FrameSequence("pixels that disappear beside the last change", 30, 10, count: 3, isOpaque: false) {
      x, _, index in x < 5 && index == 2 ? .clear : x > 25 && index >= 1 ? blue : red
    },
    FrameSequence("one frame", 9, 7, count: 1) { x, y, _ in x > y ? red : blue },
    FrameSequence("a pixel", 1, 1, count: 3) { _, _, index in index == 1 ? red : blue },
    FrameSequence("a pixel that is not there", 1, 1, count: 3, isOpaque: false) { _, _, index in
      index == 1 ? red : .clear
    },
    FrameSequence("equal frames", 12, 12, count: 9, delays: [30, 70, 20]) { x, _, index in
      x > index / 3 ? red : blue
    },
    FrameSequence("equal frames alone", 12, 12, count: 4, loopCount: 7) { x, _, _ in x > 3 ? red : blue },
    FrameSequence("two rows", 50, 2, count: 5, delays: [40]) { x, y, index in
      x == index * 9 + y ? red : blue
    },
    FrameSequence("256 colours in each frame", 32, 16, count: 4) { x, y, index in
      let number = UInt8(truncatingIfNeeded: (y * 32 + x) / 2 + index * 64)
      return Pixel(red: number, green: number ^ UInt8(index), blue: 255 - number)
    },
    FrameSequence("colours that change all the time", 64, 40, count: 6) { x, y, index in
      speckle(x, y, index, colorCount: 200)
    },
    FrameSequence("300 frames", 16, 16, count: 300, loopCount: 65_535, delays: [20, 30]) { x, y, index in
      y * 16 + x == index % 256 ? red : Pixel(red: UInt8(index / 3), green: 0, blue: 0)
    },
  ]

  /// Frames that only formats with alpha keep.
  static let translucent: [FrameSequence] = [
    FrameSequence("glass that moves over nothing", 40, 24, count: 6, isOpaque: false) { x, y, index in
      let alpha = max(0, 255 - abs(x - index * 6) * 13 - y * 4)
      return Pixel(red: UInt8(alpha / 2), green: UInt8(alpha), blue: UInt8(alpha / 3), alpha: UInt8(alpha))
    },
    FrameSequence("a picture that fades", 20, 20, count: 6, isOpaque: false) { x, y, index in
      let alpha = UInt8(250 - index * 50)
      return Pixel(red: alpha, green: alpha / 2, blue: x > y ? alpha : 0, alpha: alpha)
    },
    FrameSequence("glass over a picture", 30, 30, count: 4, isOpaque: false) { x, y, index in
      if y < 15 { return speckle(x, y, 0, colorCount: 100) }
      return x / 8 == index ? Pixel(red: 40, green: 0, blue: 80, alpha: 90) : .clear
    },
    // An animated PNG begins without alpha here.
    FrameSequence("transparency that comes late", 40, 30, count: 6, loopCount: 5, isOpaque: false) {
      x, y, index in
      index < 4 || x > 20
        ? speckle(x, y, index, colorCount: 250) : Pixel(red: 9, green: 0, blue: 40, alpha: 77)
    },
    FrameSequence("many colours", 64, 48, count: 4) { x, y, index in
      Pixel(red: UInt8(x * 4), green: UInt8(y * 5), blue: UInt8((x + y + index * 9) % 256))
    },
  ]
}
