/// How much attention each part of a picture attracts, computed on a small copy.
///
/// The measure is simple and stable: the strength of edges (differences of brightness to the neighbours), plus half
/// the strength of colour (the distance between the channels), weighted by opacity. The sum of any rectangle comes
/// from an integral image (Crow 1984), so trying every position costs O(positions).
struct AttentionMap {
  /// The longer side of the small copy, in pixels.
  private static let side = 96

  private let size: PixelSize
  private let source: PixelSize
  /// `sums[y][x]` is the attention above and to the left of (x, y); one row and one column more than the copy.
  private let sums: [Int]

  init(of bitmap: BGRABitmap, pool: PixelBufferPool) {
    source = bitmap.size
    let small = Picture(bitmap.bitmap).resized(
      Resize(PixelSize(Self.side, Self.side), mode: .aspectFit, kernel: .box), pool: pool
    ).bitmap
    size = small.size
    let width = small.size.width
    let height = small.size.height
    var sums = [Int](repeating: 0, count: (width + 1) * (height + 1))
    BGRABitmap(small, pool: pool).withPixels { pixels, rows in
      for y in 0..<height {
        let above = pixels.extracting(rows[max(0, y - 1)])
        let here = pixels.extracting(rows[y])
        let below = pixels.extracting(rows[min(height - 1, y + 1)])
        var rowSum = 0
        for x in 0..<width {
          let edge =
            abs(here[max(0, x - 1)].brightness - here[min(width - 1, x + 1)].brightness)
            + abs(above[x].brightness - below[x].brightness)
          rowSum += edge + here[x].colorfulness / 2
          sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + rowSum
        }
      }
    }
    self.sums = sums
  }

  /// The rectangle of a size with the highest sum, in pixels of the source; if several are equal, the one nearest
  /// to the middle.
  func bestRectangle(of target: PixelSize) -> PixelRectangle {
    let window = PixelSize(
      min(size.width, max(1, target.width * size.width / source.width)),
      min(size.height, max(1, target.height * size.height / source.height)))
    let free = PixelSize(size.width - window.width, size.height - window.height)
    var best = (value: -1, distance: Int.max, x: 0, y: 0)
    for y in 0...free.height {
      for x in 0...free.width {
        let value = sum(x, y, window)
        let distance = abs(2 * x - free.width) + abs(2 * y - free.height)
        if value > best.value || (value == best.value && distance < best.distance) {
          best = (value, distance, x, y)
        }
      }
    }
    let space = PixelSize(source.width - target.width, source.height - target.height)
    return PixelRectangle(
      x: free.width == 0 ? space.width / 2 : space.width * best.x / free.width,
      y: free.height == 0 ? space.height / 2 : space.height * best.y / free.height,
      width: target.width, height: target.height)
  }

  private func sum(_ x: Int, _ y: Int, _ window: PixelSize) -> Int {
    let stride = size.width + 1
    let top = y * stride
    let bottom = (y + window.height) * stride
    return sums[bottom + x + window.width] - sums[bottom + x] - sums[top + x + window.width] + sums[top + x]
  }
}

extension Pixel {
  /// The luma of the premultiplied values (ITU-R BT.601 weights in 1/256).
  fileprivate var brightness: Int { (77 * Int(red) + 150 * Int(green) + 29 * Int(blue)) >> 8 }

  /// The distance between the channels.
  fileprivate var colorfulness: Int { Int(max(red, green, blue)) - Int(min(red, green, blue)) }
}
