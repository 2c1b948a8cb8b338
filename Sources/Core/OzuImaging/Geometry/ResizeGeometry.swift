import OzuBase

/// The result of a recipe for one source: the region of the source that is shown, and the size of the result.
///
/// A pure function of the source size and the recipe, in coordinates of the upright picture. The side that the size
/// leaves open is rounded to the nearest pixel, a half up, and is at least 1: as libvips and most tools round. A covering
/// picture still covers, because a side that is at least as long as a whole number is not rounded below it. If the recipe
/// does not allow enlarging, no side grows: a mode that keeps the proportions leaves a source that is too small as it is, `fill` leaves the side that
/// would grow as it is, and a crop has the proportions of the size and is as large as the source allows, or each side is cut on its own
/// (`Resize.sidesOfSmall`).
public struct ResizeGeometry: Hashable, Sendable {
  /// The region of the source that is shown, in source pixels.
  public let region: PixelRegion
  /// The size of the result in pixels.
  public let outputSize: PixelSize

  /// Whether the result is the source, pixel for pixel.
  public let isIdentity: Bool

  /// Applies a recipe to a source. `nil` means "the whole picture at its own size".
  ///
  /// - Precondition: `source` and, unless the mode is `none`, the recipe's size are not empty; callers with user
  ///   input check this first and throw an error.
  public init(source: PixelSize, resize: Resize?) {
    precondition(!source.isEmpty, "a source has pixels")
    guard var resize, !resize.changesNothing else {
      self.init(identity: source)
      return
    }
    if let part = resize.region?.nearest(in: source) {
      resize.region = nil
      // Its result for the part, at the part's place.
      let inner = ResizeGeometry(source: part.size, resize: resize)
      self.init(
        source: source, region: inner.region.moved(x: Double(part.x), y: Double(part.y)),
        output: inner.outputSize)
      return
    }
    precondition(!resize.size.isEmpty, "a target has pixels")
    // No source is nearly as large; the limit keeps the products below from overflowing.
    let target = PixelSize(min(resize.size.width, 1 << 24), min(resize.size.height, 1 << 24))
    switch resize.mode {
    case .none:
      self.init(identity: source)
    case .fill:
      let size =
        resize.allowsUpscaling
        ? target : PixelSize(min(target.width, source.width), min(target.height, source.height))
      self.init(source: source, region: PixelRegion(source), output: size)
    case .aspectFit:
      // Compared by cross multiplication, so that rounding does not decide which side binds.
      let widthBinds = target.width * source.height <= target.height * source.width
      let enlarges = widthBinds ? target.width > source.width : target.height > source.height
      guard resize.allowsUpscaling || !enlarges else {
        self.init(identity: source)
        return
      }
      self.init(
        source: source, region: PixelRegion(source),
        output: Self.proportional(source, to: target, widthBinds: widthBinds))
    case .aspectFill:
      let widthBinds = target.width * source.height >= target.height * source.width
      let enlarges = widthBinds ? target.width > source.width : target.height > source.height
      let scales = resize.allowsUpscaling || !enlarges
      if !scales, let sides = resize.cutSidesOfSmall,
        source.width < sides.width || source.height < sides.height
      {
        let output = PixelSize(
          min(source.width, max(1, sides.width)), min(source.height, max(1, sides.height)))
        self.init(source: source, middle: output)
      } else if resize.cutsOff {
        self.init(cropping: source, to: target, widthBinds: widthBinds, scales: scales)
      } else if scales {
        self.init(
          source: source, region: PixelRegion(source),
          output: Self.proportional(source, to: target, widthBinds: widthBinds))
      } else {
        self.init(identity: source)
      }
    }
  }

  /// Applies a recipe from outside. Every way to its pixels begins here: from a file, from a picture in memory, from a larger
  /// picture, and as a processor.
  ///
  /// - Throws: `regionOutside` if nothing of its region lies inside the source.
  package init(of resize: Resize?, in source: PixelSize) throws(ImageDecodingError) {
    try resize?.checkRegion(in: source)
    self.init(source: source, resize: resize)
  }

  private init(identity source: PixelSize) {
    self.init(source: source, region: PixelRegion(source), output: source)
  }

  private init(source: PixelSize, region: PixelRegion, output: PixelSize) {
    self.region = region
    outputSize = output
    isIdentity = output == source && region == PixelRegion(source)
  }

  /// The middle of the source, pixel for pixel.
  private init(source: PixelSize, middle output: PixelSize) {
    // Unscaled pixels stay on the grid; half a pixel of offset would blur all of them.
    let region = PixelRegion(
      x: Double((source.width - output.width) / 2), y: Double((source.height - output.height) / 2),
      width: Double(output.width), height: Double(output.height))
    self.init(source: source, region: region, output: output)
  }

  /// The centred region of the source that becomes exactly `target`.
  private init(cropping source: PixelSize, to target: PixelSize, widthBinds: Bool, scales: Bool) {
    guard scales else {
      self.init(
        source: source, middle: Self.largest(shapedLike: target, in: source, widthBinds: widthBinds))
      return
    }
    // Only one division, at the end, so that the side that binds equals the source's exactly.
    let width =
      widthBinds
      ? Double(source.width) : Double(target.width * source.height) / Double(target.height)
    let height =
      widthBinds
      ? Double(target.height * source.width) / Double(target.width) : Double(source.height)
    var x = (Double(source.width) - width) / 2
    var y = (Double(source.height) - height) / 2
    if width == Double(target.width) {
      x = x.rounded(.down)
      y = y.rounded(.down)
    }
    self.init(
      source: source, region: PixelRegion(x: x, y: y, width: width, height: height), output: target)
  }

  /// The largest size inside a source that has the proportions of a target, for a source that does not cover it.
  private static func largest(shapedLike target: PixelSize, in source: PixelSize, widthBinds: Bool)
    -> PixelSize
  {
    widthBinds
      ? PixelSize(source.width, rounded(source.width, times: target.height, over: target.width))
      : PixelSize(rounded(source.height, times: target.width, over: target.height), source.height)
  }

  /// `source` scaled so that the binding side equals the target's.
  private static func proportional(
    _ source: PixelSize, to target: PixelSize, widthBinds: Bool
  ) -> PixelSize {
    widthBinds
      ? PixelSize(target.width, rounded(source.height, times: target.width, over: source.width))
      : PixelSize(rounded(source.width, times: target.height, over: source.height), target.height)
  }

  /// A side scaled by a fraction, to the nearest pixel.
  private static func rounded(_ side: Int, times numerator: Int, over denominator: Int) -> Int {
    max(1, (2 * side * numerator + denominator) / (2 * denominator))
  }
}

extension Resize {
  /// - Throws: `regionOutside` if nothing of the region lies inside the source.
  func checkRegion(in source: PixelSize) throws(ImageDecodingError) {
    if let region, !region.overlaps(source) { throw .regionOutside(region, of: source) }
  }
}
