/// Crops the picture.
public struct Crop: ImageProcessing, Hashable {
  /// The part that is kept.
  public enum Area: Hashable, Sendable {
    /// A rectangle in pixels, without the parts of it that lie outside the picture.
    case rectangle(PixelRectangle)
    /// The largest part with the proportions of a size, at an anchor of the picture.
    case proportions(PixelSize, ImageAnchor)
    /// The part with the proportions of a size that attracts the most attention: edges and strong colours.
    case attention(PixelSize)
  }

  /// The part that is kept.
  public let area: Area

  /// Makes the processor.
  public init(_ area: Area) {
    self.area = area
  }

  /// The kind of processor with all its parameters.
  public var identifier: String {
    switch area {
    case .rectangle(let rectangle): "crop(\(rectangle.x),\(rectangle.y),\(rectangle.size))"
    case .proportions(let size, let anchor): "crop(\(size),\(anchor.rawValue))"
    case .attention(let size): "crop(\(size),attention)"
    }
  }

  /// Crops the picture.
  ///
  /// - Throws: `invalidParameters` if nothing would be left.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let rectangle = try checkedRectangle(in: bitmap.size, context) { bitmap }
    return bitmap.cropped(to: rectangle, pool: context.pool)
  }

  /// Crops 16 bits in the same way; `attention` is computed in 8 bits.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    let rectangle = try checkedRectangle(in: bitmap.size, context) {
      BGRABitmap(bitmap, pool: context.pool)
    }
    // Region and size agree to the pixel, so pixels are copied.
    return Resampler().resample(
      bitmap, region: PixelRegion(rectangle), to: rectangle.size, pool: context.pool)
  }

  /// The part of a picture of this size that is kept; `nil` if it depends on the pixels. It may be empty.
  func rectangle(in size: PixelSize) -> PixelRectangle? {
    switch area {
    case .rectangle(let asked): return asked.clamped(to: size)
    case .proportions(let proportions, let anchor):
      guard !proportions.isEmpty else { return nil }
      let part = Self.largest(proportions, in: size)
      let (x, y) = anchor.origin(of: part, in: size)
      return PixelRectangle(x: x, y: y, width: part.width, height: part.height)
    case .attention: return nil
    }
  }

  /// - Parameter pixels: the picture in 8 bits, for an area that depends on the pixels.
  /// - Throws: `invalidParameters` if nothing would be left.
  private func checkedRectangle(
    in size: PixelSize, _ context: ProcessingContext, pixels: () -> BGRABitmap
  ) throws(ProcessingError) -> PixelRectangle {
    switch area {
    case .rectangle: break
    case .proportions(let proportions, _), .attention(let proportions):
      try context.check(proportions, for: self)
    }
    let rectangle: PixelRectangle
    if let known = self.rectangle(in: size) {
      rectangle = known
    } else if case .attention(let proportions) = area {
      rectangle = Self.attentionRectangle(of: Self.largest(proportions, in: size), in: pixels(), context)
    } else {
      rectangle = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
    }
    try context.check(rectangle.size, for: self)
    return rectangle
  }

  /// The part of this size that attracts the most attention; in a frame of an animation, that of the first. It is no larger than
  /// the picture.
  package static func attentionRectangle(
    of size: PixelSize, in bitmap: BGRABitmap, _ context: ProcessingContext
  ) -> PixelRectangle {
    func find() -> PixelRectangle { AttentionMap(of: bitmap, pool: context.pool).bestRectangle(of: size) }
    return context.parts?.attention(on: size, of: bitmap.size, find) ?? find()
  }

  /// The largest size with these proportions inside another size; at least one pixel.
  static func largest(_ proportions: PixelSize, in size: PixelSize) -> PixelSize {
    // Products of full width, because limits may allow proportions of any size.
    let (wide, high) = (
      proportions.width.multipliedFullWidth(by: size.height),
      proportions.height.multipliedFullWidth(by: size.width)
    )
    if (wide.high, wide.low) <= (high.high, high.low) {
      return PixelSize(max(1, proportions.height.dividingFullWidth(wide).quotient), size.height)
    }
    return PixelSize(size.width, max(1, proportions.width.dividingFullWidth(high).quotient))
  }
}

extension ImageProcessing where Self == Crop {
  /// Crops the picture.
  public static func crop(_ area: Crop.Area) -> Self { Crop(area) }
}

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
