/// The plan for deriving a picture from a larger one of the same source. It exists only if the result is as good as
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
  ///   - header: the header of the source.
  ///   - larger: the resize of the larger picture; `nil` for none.
  ///   - largerSize: the size of the larger picture in pixels.
  ///   - resize: the resize of the result.
  init?(header: ImageHeader, larger: Resize?, largerSize: PixelSize, resize: Resize) {
    // A drawing has no pixels of its own. An animation would lose its frames, because only still pictures are resized
    // here.
    guard !header.isDrawing, header.frameCount <= 1, !largerSize.isEmpty else { return nil }
    let source = header.size
    guard !source.isEmpty, larger.map({ Self.isFineEnough($0, for: resize) }) ?? true else { return nil }
    let from = ResizeGeometry(source: source, resize: larger)
    let to = ResizeGeometry(source: source, resize: resize)
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
    resampler = Resampler(kernel: resize.kernel, light: resize.light)
  }

  /// Whether the larger picture was resampled at least as carefully as the smaller one would be, in the same values.
  private static func isFineEnough(_ larger: Resize, for resize: Resize) -> Bool {
    (larger.kernel == resize.kernel || larger.kernel == .lanczos3)
      && (larger.quality == resize.quality || larger.quality == .balanced) && larger.light == resize.light
      && (!larger.allowsEmbeddedThumbnail || resize.allowsEmbeddedThumbnail)
  }

  /// Whether to wait for a picture that is being loaded, judged by the recipes alone: the same mode and proportions,
  /// and not so much larger that the wait takes longer than making the smaller one.
  static func isWorthWaiting(for larger: Resize, _ resize: Resize) -> Bool {
    let (a, b) = (larger.size, resize.size)
    guard larger.mode == resize.mode, larger.region == resize.region, larger.cutsOff == resize.cutsOff,
      isFineEnough(larger, for: resize),
      !resize.allowsUpscaling, !larger.allowsUpscaling, !b.isEmpty
    else { return false }
    return a.width * b.height == a.height * b.width && 2 * a.width >= 3 * b.width && a.width <= 4 * b.width
  }

  /// Makes the result, under the rules of a decode.
  ///
  /// - Throws: `DecodingError`: `limitExceeded`, `cancelled`.
  func apply(to larger: Picture, context: DecodingContext) throws(DecodingError) -> Picture {
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
