/// A picture as users get it: upright pixels with what is known about them.
public struct Picture: Sendable {
  /// The pixels, upright.
  public let bitmap: Bitmap
  /// How many pixels make one point of a toolkit: 1 by default, 2 or 3 for high-density screens.
  public let scale: Double
  /// What is known of the file the pixels come from; `nil` for a picture made in memory.
  public let header: ImageHeader?
  /// Whether this is a part of a picture that is still loading.
  public let isPreview: Bool
  /// The frames, when the picture moves; `bitmap` is then what is shown until they are asked for. `nil` for a
  /// still picture.
  public let animation: PictureAnimation?
  /// What was wrong with the file without keeping it from being shown: a broken colour profile.
  public let notes: [String]

  /// Makes a picture of upright pixels.
  public init(
    _ bitmap: Bitmap, scale: Double = 1, header: ImageHeader? = nil, isPreview: Bool = false,
    animation: PictureAnimation? = nil, notes: [String] = []
  ) {
    self.bitmap = bitmap
    self.scale = scale
    self.header = header
    self.isPreview = isPreview
    self.animation = animation
    self.notes = notes
  }

  /// The size in pixels.
  public var size: PixelSize { bitmap.size }

  /// The bytes the pixels take in memory, or may take when the picture is played: its cost in a cache.
  public var byteCount: Int { bitmap.byteCount + (animation?.largestByteCount ?? 0) }
}
