/// The recipe of a resize: a size, a mode and options.
///
/// A value: two equal recipes give the same pixels and have the same key in every cache.
public struct Resize: Hashable, Sendable {
  /// The requested size, in pixels of the upright picture.
  public var size: PixelSize
  /// How the picture is fitted to the size.
  public var mode: ScaleMode
  /// Whether `aspectFill` crops the parts outside the size, equally on both sides. Other modes have no parts
  /// outside. If the picture is too small to cover the size and must not be enlarged, the result is its largest
  /// part with the proportions of the size.
  public var crops: Bool
  /// Whether a picture smaller than the size may be enlarged. Off by default.
  public var allowsUpscaling: Bool
  /// The filter that weights the source pixels. Lanczos3 by default.
  public var kernel: ResamplingKernel
  /// How much of the file a reduced decode reads. Balanced by default.
  public var quality: DecodingQuality
  /// The values in which pixels are weighted. As stored by default.
  public var light: ResamplingLight
  /// Whether the thumbnail that a camera put into the file may replace the picture, if it is large enough and shows
  /// the same area. Off by default, because the camera has sharpened and compressed it.
  public var allowsEmbeddedThumbnail: Bool

  /// The part of the upright picture that the recipe is applied to, in pixels, as if the file had nothing else;
  /// `nil` (the default) for the whole picture.
  ///
  /// If the part lies partly outside the picture, that is left out; if it lies wholly outside, the decode fails.
  /// Near its edges filters read pixels beyond the part, so parts that are made one by one have no seams. With the
  /// mode `none` the part is shown pixel for pixel. A JPEG with a single scan is indexed at the first decode and
  /// then read only around the part; of tiles and strips, only those that the part touches are read
  /// (`ImageHeader.regionUnit`).
  public var region: PixelRectangle?

  /// Makes a recipe.
  public init(
    _ size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = false, allowsUpscaling: Bool = false,
    kernel: ResamplingKernel = .lanczos3, quality: DecodingQuality = .balanced,
    light: ResamplingLight = .asStored, allowsEmbeddedThumbnail: Bool = false,
    region: PixelRectangle? = nil
  ) {
    self.size = size
    self.mode = mode
    self.crops = crops
    self.allowsUpscaling = allowsUpscaling
    self.kernel = kernel
    self.quality = quality
    self.light = light
    self.allowsEmbeddedThumbnail = allowsEmbeddedThumbnail
    self.region = region
  }

  /// The recipe for a part of the picture at its own size: the mode is `none`.
  public init(region: PixelRectangle) {
    self.init(region.size, mode: .none, region: region)
  }

  /// A text that is equal only for equal recipes; part of every cache key.
  public var identifier: String {
    let flags =
      (crops ? "c" : "") + (allowsUpscaling ? "u" : "") + (quality == .fast ? "f" : "")
      + (light == .linear ? "l" : "") + (allowsEmbeddedThumbnail ? "t" : "")
    let part = region.map { ",\($0.x),\($0.y),\($0.size)" } ?? ""
    return "resize(\(size),\(mode.rawValue),\(flags),\(kernel.rawValue)\(part))"
  }

  /// Whether the recipe shows the whole picture as it is.
  package var changesNothing: Bool { mode == .none && region == nil }
}
