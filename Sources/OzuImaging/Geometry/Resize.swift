/// The recipe of a resize: a size, a mode and what is allowed on the way.
///
/// A value: two equal recipes give the same pixels and share one place in every cache.
public struct Resize: Hashable, Sendable {
  /// The size asked for, in pixels of the upright picture.
  public var size: PixelSize
  /// How the picture is brought to the size.
  public var mode: ScaleMode
  /// Whether what `aspectFill` leaves outside the size is cut off, centred. Other modes leave nothing
  /// outside. Of a picture that is too small to cover the size, and must not be enlarged, the largest part with the
  /// proportions of the size is left.
  public var crops: Bool
  /// Whether a picture smaller than the size may be enlarged. Off by default.
  public var allowsUpscaling: Bool
  /// The filter that weighs the source pixels. Lanczos3 by default.
  public var kernel: ResamplingKernel
  /// How much of the file a reduced decode looks at. Balanced by default.
  public var quality: DecodingQuality
  /// In which values pixels are weighed. As stored by default.
  public var light: ResamplingLight
  /// Whether a thumbnail that the camera put into the file may stand in for the picture, where it is large enough and
  /// shows the same area. Off by default: it has been sharpened and compressed by somebody else.
  public var allowsEmbeddedThumbnail: Bool

  /// The part of the upright picture that the recipe is applied to, in its pixels, as if the file held nothing else;
  /// `nil` (the default) for all of it.
  ///
  /// What lies outside the picture is left out; a decode refuses a part that lies outside as a whole. Near its edges filters look
  /// beyond the part, so parts that were made one by one have no seams. With the mode `none` it is shown pixel for pixel.
  /// A JPEG that comes in one pass is read only around the part, once it has been read whole; of tiles and strips those are
  /// read that it touches (`ImageHeader.regionUnit`).
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

  /// The recipe of a part of the picture at its own size: the mode is `none`.
  public init(region: PixelRectangle) {
    self.init(region.size, mode: .none, region: region)
  }

  /// A text that is equal exactly for equal recipes; part of every cache key.
  public var identifier: String {
    let flags =
      (crops ? "c" : "") + (allowsUpscaling ? "u" : "") + (quality == .fast ? "f" : "")
      + (light == .linear ? "l" : "") + (allowsEmbeddedThumbnail ? "t" : "")
    let part = region.map { ",\($0.x),\($0.y),\($0.size)" } ?? ""
    return "resize(\(size),\(mode.rawValue),\(flags),\(kernel.rawValue)\(part))"
  }

  /// Whether the whole picture is shown as it is.
  package var changesNothing: Bool { mode == .none && region == nil }
}
