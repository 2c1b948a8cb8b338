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
      rectangle = AttentionMap(of: pixels(), pool: context.pool)
        .bestRectangle(of: Self.largest(proportions, in: size))
    } else {
      rectangle = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
    }
    try context.check(rectangle.size, for: self)
    return rectangle
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
