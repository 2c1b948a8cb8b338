/// A picture as users get it: upright pixels with what is known about them.
///
/// A value of one reference: caches, tasks and views pass pictures around all the time, and copying one costs a
/// single count, however much is known of it.
public struct Picture: Sendable {
  private let content: Content

  /// All there is to a picture, immutable.
  private final class Content: Sendable {
    let bitmap: Bitmap
    let scale: Double
    let header: ImageHeader?
    let isPreview: Bool
    let animation: PictureAnimation?
    let notes: [String]

    init(
      bitmap: Bitmap, scale: Double, header: ImageHeader?, isPreview: Bool, animation: PictureAnimation?,
      notes: [String]
    ) {
      self.bitmap = bitmap
      self.scale = scale
      self.header = header
      self.isPreview = isPreview
      self.animation = animation
      self.notes = notes
    }
  }

  /// Makes a picture of upright pixels.
  public init(
    _ bitmap: Bitmap, scale: Double = 1, header: ImageHeader? = nil, isPreview: Bool = false,
    animation: PictureAnimation? = nil, notes: [String] = []
  ) {
    content = Content(
      bitmap: bitmap, scale: scale, header: header, isPreview: isPreview, animation: animation, notes: notes)
  }

  /// The pixels, upright.
  public var bitmap: Bitmap { content.bitmap }
  /// How many pixels make one point of a toolkit: 1 by default, 2 or 3 for high-density screens.
  public var scale: Double { content.scale }
  /// What is known of the file the pixels come from; `nil` for a picture made in memory.
  public var header: ImageHeader? { content.header }
  /// Whether this is a part of a picture that is still loading.
  public var isPreview: Bool { content.isPreview }
  /// The frames, when the picture moves; `bitmap` is then what is shown until they are asked for. `nil` for a
  /// still picture.
  public var animation: PictureAnimation? { content.animation }
  /// What was wrong with the file without keeping it from being shown: a broken colour profile.
  public var notes: [String] { content.notes }

  /// The size in pixels.
  public var size: PixelSize { bitmap.size }

  /// The bytes the pixels take in memory, or may take when the picture is played: its cost in a cache.
  public var byteCount: Int { bitmap.byteCount + (animation?.largestByteCount ?? 0) }
}
