import OzuBase
import OzuCodecs
import OzuImaging

/// The part of a canvas that a frame of an animated PNG stores: a rectangle that replaces pixels or is blended over
/// them.
///
/// No frame is disposed of: every canvas stays, and the next frame stores the difference. A rectangle that replaces
/// has all its pixels, the transparent ones too. A rectangle that is blended over has only the changed pixels, and
/// transparent ones between them; that is exact if the changed pixels are opaque, or have nothing below them.
struct PNGFrameChange {
  let rectangle: PixelRectangle
  /// The rectangle of the new canvas.
  let replaced: BGRABitmap
  /// The same without the unchanged pixels; `nil` if that is not exact, or leaves out too little.
  let paintedOver: BGRABitmap?
  /// The share of unchanged pixels in the rectangle.
  let unchangedShare: Double

  /// Below this share of unchanged pixels, a second attempt is not worth the time.
  private static let worthwhileShare = 0.1

  /// `nil` for equal canvases.
  init?(from before: BGRABitmap, to after: BGRABitmap) {
    guard let rectangle = PixelRectangle(changesFrom: before, to: after) else { return nil }
    self.rectangle = rectangle
    replaced = after.part(rectangle)
    var unchangedCount = 0
    var isExact = true
    let size = rectangle.size
    let holed = before.withPixels { old, oldRows in
      after.withPixels { new, newRows in
        BGRABitmap(size: size, isOpaque: false, colorSpace: after.colorSpace) { y, row in
          let range = rectangle.x..<rectangle.x + size.width
          let below = old.extracting(oldRows[rectangle.y + y]).extracting(range)
          let above = new.extracting(newRows[rectangle.y + y]).extracting(range)
          for x in 0..<size.width {
            if above[x] == below[x] {
              unchangedCount += 1
            } else {
              row[x] = above[x]
              if above[x].alpha != 255 && below[x].alpha != 0 { isExact = false }
            }
          }
        }
      }
    }
    unchangedShare = Double(unchangedCount) / Double(size.pixelCount)
    paintedOver = isExact && unchangedShare >= Self.worthwhileShare ? holed : nil
  }
}

extension BGRABitmap {
  /// A copy of a rectangle that lies inside.
  func part(_ rectangle: PixelRectangle) -> BGRABitmap {
    withPixels { pixels, rows in
      BGRABitmap(size: rectangle.size, isOpaque: isOpaque, colorSpace: colorSpace) { y, row in
        let source = pixels.extracting(rows[rectangle.y + y])
          .extracting(rectangle.x..<rectangle.x + rectangle.size.width)
        for x in source.indices { row[x] = source[x] }
      }
    }
  }
}

/// The control of a frame in an animated PNG, fcTL (W3C PNG, third edition, §11.3.6.2).
struct PNGFrameControl {
  var sequenceNumber: UInt32
  var rectangle: PixelRectangle
  /// In milliseconds.
  var delay = 0
  var blend = AnimationFrame.Blend.source

  var content: [UInt8] {
    let delay = Self.fraction(delay)
    let words = [
      sequenceNumber, UInt32(rectangle.size.width), UInt32(rectangle.size.height), UInt32(rectangle.x),
      UInt32(rectangle.y),
    ]
    let times: [UInt8] = [delay.numerator, delay.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return words.flatMap { $0.bigEndianBytes(4) } + times + [0, blend == .over ? 1 : 0]
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
