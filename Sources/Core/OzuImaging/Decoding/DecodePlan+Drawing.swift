import OzuBase

extension DecodePlan {
  /// Plans the decode of a picture or a drawing. A drawing is drawn at the size at which the recipe shows it, also
  /// larger than its own size, so only a crop is left for the resampler.
  package init(drawingOf header: ImageHeader, resize: Resize?, scales: [Int]) {
    guard header.isDrawing, let resize, resize.mode != .none else {
      self.init(header: header, resize: resize, scales: scales)
      return
    }
    let source = DrawingUnits(header)
    let geometry = ResizeGeometry(source: source.size, resize: source.recipe(resize))
    let output = geometry.outputSize
    var horizontal = Double(output.width) / geometry.region.width
    var vertical = Double(output.height) / geometry.region.height
    let longest = max(Double(source.size.width) * horizontal, Double(source.size.height) * vertical)
    let isDeep = geometry.region != PixelRegion(source.size) && longest > Self.longestDrawnSide
    if isDeep {
      horizontal *= Self.longestDrawnSide / longest
      vertical *= Self.longestDrawnSide / longest
    }
    var drawn = header
    drawn.exactSize = nil
    drawn.storedSize = PixelSize(
      max(1, Int(clamping: Double(source.size.width) * horizontal, rounded: .toNearestOrAwayFromZero)),
      max(1, Int(clamping: Double(source.size.height) * vertical, rounded: .toNearestOrAwayFromZero)))
    var shown = geometry.region.scaled(
      horizontal: Double(drawn.storedSize.width) / Double(source.size.width),
      vertical: Double(drawn.storedSize.height) / Double(source.size.height))
    if !isDeep {
      // On whole pixels, which are then not resampled.
      shown = PixelRegion(
        x: min(shown.x.nearlyRoundedDown, Double(drawn.storedSize.width - output.width)),
        y: min(shown.y.nearlyRoundedDown, Double(drawn.storedSize.height - output.height)),
        width: Double(output.width), height: Double(output.height))
    }
    self.init(header: drawn, shown: shown, output: output, resize: resize, scales: [8], mayCut: false)
  }

  /// The longest side at which a drawing is drawn for a small part of it; beyond that, the part is enlarged from pixels.
  private static let longestDrawnSide = 8192.0
}

/// A drawing in units of which it has whole numbers: pixels, or small fractions of them if its size is not whole. A recipe
/// then sees the true proportions.
private struct DrawingUnits {
  let size: PixelSize
  private let perPixel: Int

  /// `ResizeGeometry` multiplies sides.
  private static let longestSide = 1 << 24

  init(_ header: ImageHeader) {
    guard let exact = header.exactSize else {
      (size, perPixel) = (header.size, 1)
      return
    }
    // Powers of ten, because most sizes have a few decimals.
    let units = [100_000, 10_000, 1000, 100, 10].first { exact.max() * Double($0) < Double(Self.longestSide) }
    let perPixel = units ?? 1
    self.perPixel = perPixel
    size = PixelSize(
      max(1, Int(clamping: exact.x * Double(perPixel), rounded: .toNearestOrAwayFromZero)),
      max(1, Int(clamping: exact.y * Double(perPixel), rounded: .toNearestOrAwayFromZero))
    )
  }

  /// The recipe in these units. A drawing may become larger than it states.
  func recipe(_ resize: Resize) -> Resize {
    var resize = resize
    resize.allowsUpscaling = true
    if let part = resize.region {
      resize.region = PixelRectangle(
        x: part.x.saturatingProduct(perPixel), y: part.y.saturatingProduct(perPixel),
        width: part.size.width.saturatingProduct(perPixel),
        height: part.size.height.saturatingProduct(perPixel))
    }
    return resize
  }
}

extension Double {
  /// Rounded down, but not for an error of the last bits.
  fileprivate var nearlyRoundedDown: Double { (self + 1e-6).rounded(.down) }
}
