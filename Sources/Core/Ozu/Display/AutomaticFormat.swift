import OzuBase

/// The cache format of views without their own format. It has the size of the view in pixels, the mode of the view,
/// and these settings.
///
/// It is named `auto-WxH-mode`, as in `auto-640x480-aspectFill`, so that views of one size share their pictures; another
/// quality, and enlarging, follow in the name.
///
/// For `aspectFill` it covers the view and cuts off nothing (`CacheFormat.Options.crops` is off): the view cuts off the parts outside when it
/// draws. So the picture also serves a view whose proportions change, and as a placeholder for views of other proportions.
public struct AutomaticFormat: Hashable, Sendable {
  /// The quality of opaque renditions on disk, 0 to 1. 0.75 by default.
  public var compressionQuality = 0.75
  /// The limit in bytes for the renditions of one size on disk. 10 MB by default; 0 for memory only. Of views of one size the first
  /// decides; `CacheFormat.diskCapacity` of the format (`ImagePipeline.formats`) changes it later.
  public var diskCapacity = 10 << 20
  /// Whether pictures smaller than the view are enlarged. Off by default: a view enlarges them when it draws, without memory
  /// for the pixels.
  public var allowsUpscaling = false

  /// Makes the default settings.
  public init() {}

  func format(_ size: PixelSize, _ mode: ScaleMode) -> CacheFormat {
    CacheFormat(
      name(size, mode), size: size, mode: mode, compressionQuality: compressionQuality,
      diskCapacity: diskCapacity
    ) {
      $0.allowsUpscaling = allowsUpscaling
      $0.crops = false
    }
  }

  func name(_ size: PixelSize, _ mode: ScaleMode) -> String {
    "auto-\(size)-\(mode.rawValue)" + (allowsUpscaling ? "-enlarged" : "")
      + (compressionQuality == AutomaticFormat().compressionQuality ? "" : "-q\(compressionQuality)")
  }

  /// The pixels of a view; `nil` before it has a layout.
  static func pixelSize(of size: DisplaySize?, scale: Double) -> PixelSize? {
    guard let size, let width = pixels(size.width, scale), let height = pixels(size.height, scale) else {
      return nil
    }
    return PixelSize(width, height)
  }

  /// Rounded up, so that no view is larger than its picture; nil for less than half a pixel, which is a rounding error of a
  /// layout and not a size.
  private static func pixels(_ points: Double, _ scale: Double) -> Int? {
    let pixels = points * (scale > 0 ? scale : 1)
    guard pixels >= 0.5, pixels.isFinite else { return nil }
    // An excess this small is a rounding error of a division, not a pixel.
    return min(Int(clamping: pixels - 1e-6, rounded: .up), ImageRequest.maximumSide)
  }
}
