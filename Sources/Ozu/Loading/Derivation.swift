#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a picture is made from a larger one of the same source, where that is as good as making it from the source.
///
/// A pure function of sizes and recipes. Areas are compared in pixels of the source: the larger picture must show all
/// that the smaller one shows, and have at least one and a half times its pixels on each side; a second resampling
/// from less would soften it. A larger picture that was not resampled at all is the source, and good for
/// everything. The size of the result is worked out from the source and not from the larger picture, so that it
/// never depends on what was in a cache.
struct Derivation: Hashable, Sendable {
  /// The area of the larger picture that is shown, in its pixels.
  let region: PixelRegion
  /// The size of the result.
  let outputSize: PixelSize
  /// The filter.
  let kernel: ResamplingKernel

  /// How many pixels the larger picture needs for each of the result, on each side.
  static let headroom = 1.5

  /// Works out a derivation; `nil` where the larger picture is not good enough.
  ///
  /// - Parameters:
  ///   - header: of the source.
  ///   - larger: the recipe of the larger picture; `nil` for the whole.
  ///   - largerSize: in pixels.
  ///   - resize: the recipe of the result.
  init?(header: ImageHeader, larger: Resize?, largerSize: PixelSize, resize: Resize) {
    // Drawings have no pixels of their own, and pictures that move lose their frames when they are resized here.
    guard !header.isDrawing, header.frameCount <= 1, !largerSize.isEmpty else { return nil }
    let source = header.size
    guard !source.isEmpty, larger.map({ Self.isFineEnough($0, for: resize) }) ?? true else { return nil }
    let from = ResizeGeometry(source: source, resize: larger)
    let to = ResizeGeometry(source: source, resize: resize)
    // What was made otherwise than its recipe says is not touched.
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
    kernel = resize.kernel
  }

  /// Whether nothing was left out of the larger picture that the smaller one would show.
  private static func isFineEnough(_ larger: Resize, for resize: Resize) -> Bool {
    (larger.kernel == resize.kernel || larger.kernel == .lanczos3)
      && (larger.quality == resize.quality || larger.quality == .balanced)
  }

  /// Whether a picture that is being made will do, as far as recipes alone can say: the same mode and proportions,
  /// and not so much larger that waiting for it takes longer than making the smaller one.
  static func isWorthWaiting(for larger: Resize, _ resize: Resize) -> Bool {
    let (a, b) = (larger.size, resize.size)
    guard larger.mode == resize.mode, larger.region == resize.region, larger.cutsOff == resize.cutsOff,
      isFineEnough(larger, for: resize),
      !resize.allowsUpscaling, !larger.allowsUpscaling, !b.isEmpty
    else { return false }
    return a.width * b.height == a.height * b.width && 2 * a.width >= 3 * b.width && a.width <= 4 * b.width
  }

  /// Makes the result.
  func apply(to larger: Picture, pool: PixelBufferPool) -> Picture {
    if outputSize == larger.size, region == PixelRegion(larger.size) { return larger }
    let bitmap = Resampler(kernel: kernel).resample(
      larger.bitmap, region: region, to: outputSize, pool: pool)
    return Picture(
      bitmap, scale: larger.scale, header: larger.header, notes: larger.notes, isIsolated: larger.isIsolated)
  }
}

extension PixelRegion {
  /// Whether another region lies inside, but for what rounding may have done.
  fileprivate func contains(_ other: PixelRegion) -> Bool {
    let slack = 1e-6
    return other.x >= x - slack && other.y >= y - slack && other.x + other.width <= x + width + slack
      && other.y + other.height <= y + height + slack
  }
}
