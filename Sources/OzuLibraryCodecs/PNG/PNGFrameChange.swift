import OzuCodecs
import OzuImaging

/// What a frame of an animated PNG stores to make one canvas of another: a rectangle, replaced or painted over.
///
/// No frame is disposed of: every canvas stays, and the next one says what is different. Replaced, a rectangle has all its
/// pixels, the transparent ones too. Painted over, it has only those that changed, and nothing between them; that is
/// exact where they are opaque, or have nothing below.
struct PNGFrameChange {
  let rectangle: PixelRectangle
  /// The rectangle of the new canvas.
  let replaced: BGRABitmap
  /// The same with unchanged pixels left out; `nil` where that is not exact, or leaves out next to nothing.
  let paintedOver: BGRABitmap?
  /// How much of the rectangle is as it was.
  let unchangedShare: Double

  /// Fewer than this part of unchanged pixels are not worth a second try.
  private static let worthwhileShare = 0.1

  /// `nil` for canvases that are equal.
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
  /// A copy of some rectangle that lies inside.
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
