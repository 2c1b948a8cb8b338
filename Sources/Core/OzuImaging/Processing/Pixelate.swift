/// Divides the picture into square blocks of one colour each.
public struct Pixelate: ImageProcessing, Hashable {
  /// The side of a block in pixels of the result. 1 or less changes nothing.
  public let blockSide: Int

  /// Makes the processor.
  public init(blockSide: Int) {
    self.blockSide = blockSide
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "pixelate(\(blockSide))" }

  /// Gives each block the mean of its pixels. The blocks begin at the top left; those at the right and at the bottom may be smaller.
  ///
  /// - Complexity: O(pixels), whatever the side.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let side = min(blockSide, max(bitmap.size.width, bitmap.size.height))
    guard side > 1 else { return bitmap }
    return bitmap.withPixels { pixels, rows in
      var colors: [Pixel] = []
      return BGRABitmap.making(
        size: bitmap.size, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: context.pool
      ) { y, target in
        if y % side == 0 {
          colors = Self.means(pixels, rows, in: y..<min(y + side, bitmap.size.height), side: side)
        }
        for x in 0..<target.count { target[x] = colors[x / side] }
      }
    }
  }

  /// The mean colours of the blocks in a band of rows. Values are premultiplied, so transparent pixels add no colour.
  private static func means(
    _ pixels: Span<Pixel>, _ rows: PixelRows, in band: Range<Int>, side: Int
  ) -> [Pixel] {
    stride(from: 0, to: rows.width, by: side).map { left in
      let columns = left..<min(left + side, rows.width)
      var (red, green, blue, alpha) = (0, 0, 0, 0)
      for y in band {
        let row = pixels.extracting(rows[y]).extracting(columns)
        for x in 0..<row.count {
          red &+= Int(row[x].red)
          green &+= Int(row[x].green)
          blue &+= Int(row[x].blue)
          alpha &+= Int(row[x].alpha)
        }
      }
      let count = columns.count * band.count
      func mean(_ sum: Int) -> UInt8 { UInt8(truncatingIfNeeded: (sum + count / 2) / count) }
      return Pixel(red: mean(red), green: mean(green), blue: mean(blue), alpha: mean(alpha))
    }
  }
}

extension ImageProcessing where Self == Pixelate {
  /// Divides the picture into square blocks of one colour each.
  public static func pixelate(blockSide: Int) -> Self { Pixelate(blockSide: blockSide) }
}
