/// The plan for deriving a picture from a larger one of the same source. It exists only if the result is about as sharp as
/// one made from the source.
///
/// A pure function of sizes and recipes. Areas are compared in pixels of the source: the larger picture must show the
/// whole area of the smaller one, and have at least one and a half times its pixels on each side, because resampling
/// twice from fewer pixels would soften it. A larger picture that was not resampled at all is the source, and always
/// good enough. The size of the result is computed from the source and not from the larger picture, so that it never
/// depends on the contents of a cache.
struct Derivation: Sendable {
  /// The area of the larger picture that is shown, in its pixels.
  let region: PixelRegion
  /// The size of the result.
  let outputSize: PixelSize
  /// The filter, and the values that it weights.
  let resampler: Resampler

  /// How many times the pixels of the result the larger picture must have, on each side.
  static let headroom = 1.5

  /// Computes the plan; `nil` if the larger picture is not good enough. Limits are checked when it is carried out.
  ///
  /// - Parameters:
  ///   - recipe: the recipe of the result.
  ///   - larger: the recipe of the larger picture.
  ///   - largerSize: the size of the larger picture in pixels.
  ///   - header: the header of the source.
  /// - Throws: what a decode of the source would throw for this recipe: `regionOutside`.
  init?(
    of recipe: Recipe, from larger: Recipe, size largerSize: PixelSize, header: ImageHeader
  ) throws(ImageDecodingError) {
    let source = header.size
    // A drawing has no pixels of its own. An animation would lose its frames, because only still pictures are resized
    // here.
    guard !header.isDrawing, header.frameCount <= 1, !largerSize.isEmpty, !source.isEmpty,
      recipe.canBeMade(from: larger), let resize = recipe.parts.resize
    else { return nil }
    let from = try ResizeGeometry(of: larger.parts.resize, in: source)
    let to = try ResizeGeometry(of: resize, in: source)
    // If the size or the area does not match the recipe, the picture was made in another way and is not used.
    guard from.outputSize == largerSize, from.region.contains(to.region) else { return nil }
    let horizontal = Double(largerSize.width) / from.region.width
    let vertical = Double(largerSize.height) / from.region.height
    let isSource = horizontal == 1 && vertical == 1
    guard isSource || horizontal <= 1 && vertical <= 1 else { return nil }
    let shown = PixelRegion(
      x: to.region.x - from.region.x, y: to.region.y - from.region.y, width: to.region.width,
      height: to.region.height
    ).scaled(horizontal: horizontal, vertical: vertical)
    guard
      isSource
        || shown.width >= Double(to.outputSize.width) * Self.headroom
          && shown.height >= Double(to.outputSize.height) * Self.headroom
    else { return nil }
    region = shown
    outputSize = to.outputSize
    resampler = resize.resampler
  }

  /// Makes the result, under the rules of a decode.
  ///
  /// - Throws: `ImageDecodingError`: `limitExceeded`, `cancelled`.
  func apply(to larger: Picture, context: DecodingContext) throws(ImageDecodingError) -> Picture {
    if outputSize == larger.size, region == PixelRegion(larger.size) { return larger }
    return try larger.resampled(region, to: outputSize, by: resampler, context: context)
  }
}

extension PixelRegion {
  /// Whether another region lies inside, with a tolerance for rounding.
  fileprivate func contains(_ other: PixelRegion) -> Bool {
    let slack = 1e-6
    return other.x >= x - slack && other.y >= y - slack && other.x + other.width <= x + width + slack
      && other.y + other.height <= y + height + slack
  }
}
