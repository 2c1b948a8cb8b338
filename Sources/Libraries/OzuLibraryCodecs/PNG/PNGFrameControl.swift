import OzuCodecs
import OzuImaging

/// The control of a frame in an animated PNG, fcTL (W3C PNG, third edition, §11.3.6.2).
struct PNGFrameControl {
  static let byteCount = 26

  var sequenceNumber: UInt32
  var rectangle: PixelRectangle
  /// In milliseconds.
  var delay = 0
  var blend = AnimationFrame.Blend.source

  /// The content of the chunk.
  var content: [UInt8] {
    let delay = Self.fraction(delay)
    let words = [
      sequenceNumber, UInt32(rectangle.size.width), UInt32(rectangle.size.height), UInt32(rectangle.x),
      UInt32(rectangle.y),
    ]
    let times: [UInt8] = [delay.numerator, delay.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return words.flatMap(\.bigEndianBytes) + times + [0, blend == .over ? 1 : 0]
  }

  /// The longest delay in milliseconds: 65,535 seconds.
  static let longestDelay = 65_535_000

  /// Milliseconds as a fraction of a second with two 16-bit integers, as exact as possible.
  private static func fraction(_ milliseconds: Int) -> (numerator: UInt16, denominator: UInt16) {
    var (numerator, denominator) = (milliseconds, UInt16(1000))
    while numerator > Int(UInt16.max), denominator > 1 {
      numerator = (numerator + 5) / 10
      denominator /= 10
    }
    return (UInt16(clamping: numerator), denominator)
  }
}
