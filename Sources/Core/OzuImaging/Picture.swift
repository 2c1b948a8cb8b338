/// The result of a load: upright pixels and the facts about them.
///
/// A value that is one reference: caches, tasks and views pass pictures around all the time, and a copy only
/// increments a reference count.
public struct Picture: Sendable {
  private let content: Content

  /// The whole content of a picture, immutable.
  private final class Content: Sendable {
    let pixels: Pixels
    let scale: Double
    let header: ImageHeader?
    let isPreview: Bool
    let animation: PictureAnimation?
    let notes: [String]
    let isIsolated: Bool

    init(
      pixels: Pixels, scale: Double, header: ImageHeader?, isPreview: Bool, animation: PictureAnimation?,
      notes: [String], isIsolated: Bool
    ) {
      self.pixels = pixels
      self.scale = scale
      self.header = header
      self.isPreview = isPreview
      self.animation = animation
      self.notes = PictureNotes.bounded(notes)
      self.isIsolated = isIsolated
    }
  }

  private enum Pixels: Sendable {
    case ready(Bitmap)
    case deferred(DeferredPixels)
  }

  /// Makes a picture from upright pixels.
  public init(
    _ bitmap: Bitmap, scale: Double = 1, header: ImageHeader? = nil, isPreview: Bool = false,
    animation: PictureAnimation? = nil, notes: [String] = []
  ) {
    self.init(
      bitmap, scale: scale, header: header, isPreview: isPreview, animation: animation, notes: notes,
      isIsolated: false)
  }

  /// Makes a picture from upright pixels, and says whether another process has decoded them.
  package init(
    _ bitmap: Bitmap, scale: Double = 1, header: ImageHeader? = nil, isPreview: Bool = false,
    animation: PictureAnimation? = nil, notes: [String] = [], isIsolated: Bool
  ) {
    content = Content(
      pixels: .ready(bitmap), scale: scale, header: header, isPreview: isPreview, animation: animation,
      notes: notes, isIsolated: isIsolated)
  }

  /// Makes a picture that is decoded when its pixels are first used.
  init(_ pixels: DeferredPixels, header: ImageHeader) {
    content = Content(
      pixels: .deferred(pixels), scale: 1, header: header, isPreview: false, animation: nil, notes: [],
      isIsolated: false)
  }

  private init(_ content: Content) { self.content = content }

  /// The pixels, upright. A picture that is not decoded is decoded now, on this thread, once for all copies; if
  /// that fails, the pixels are transparent, and `decode()` throws the reason.
  public var bitmap: Bitmap {
    switch content.pixels {
    case .ready(let bitmap): bitmap
    case .deferred(let pixels): pixels.bitmap
    }
  }

  /// Whether the pixels are decoded. Only a picture from a pipeline without `isDecompressionEnabled` may not
  /// be.
  public var isDecoded: Bool {
    switch content.pixels {
    case .ready: true
    case .deferred(let pixels): pixels.isDecoded
    }
  }

  /// Decodes the pixels on this thread, unless they are decoded already.
  ///
  /// - Throws: `ImageDecodingError`; after a failure, each call throws it again.
  public func decode() throws(ImageDecodingError) {
    if case .deferred(let pixels) = content.pixels { try pixels.decode() }
  }

  /// How many pixels make one point of a toolkit: 1 by default, 2 or 3 for high-density screens.
  public var scale: Double { content.scale }
  /// The header of the file that the pixels come from; `nil` for a picture made in memory.
  public var header: ImageHeader? { content.header }
  /// Whether this is a part or a coarse form of a picture that is still loading.
  public var isPreview: Bool { content.isPreview }
  /// The frames of an animated picture; `bitmap` is then shown until they are asked for. `nil` for a still picture.
  public var animation: PictureAnimation? { content.animation }
  /// Notes about what was converted, cut off, assumed or ignored, although the picture is shown: a tone mapping, a
  /// broken colour profile. The same from every cache. At most 32 notes of 512 bytes; further ones are left out,
  /// longer ones are cut.
  public var notes: [String] {
    if case .deferred(let pixels) = content.pixels { pixels.notes } else { content.notes }
  }

  /// Whether the file was decoded in a process of its own, so that a crash of the decoder would have affected this
  /// picture only.
  public var isIsolated: Bool {
    if case .deferred(let pixels) = content.pixels { pixels.isIsolated } else { content.isIsolated }
  }

  /// The width in pixels.
  public var width: Int { size.width }
  /// The height in pixels.
  public var height: Int { size.height }

  /// The size in pixels.
  public var size: PixelSize {
    switch content.pixels {
    case .ready(let bitmap): bitmap.size
    case .deferred(let pixels): pixels.size
    }
  }

  /// The bytes that the pixels take in memory, or may take when the picture is played or decoded: its cost in a
  /// cache.
  public var byteCount: Int {
    switch content.pixels {
    case .ready(let bitmap): bitmap.byteCount.saturatingSum(animation?.largestByteCount ?? 0)
    case .deferred(let pixels): pixels.byteCount
    }
  }

  /// The same picture at another scale. Shares the pixels.
  public func withScale(_ scale: Double) -> Picture {
    Picture(
      Content(
        pixels: content.pixels, scale: scale, header: header, isPreview: isPreview, animation: animation,
        notes: content.notes, isIsolated: content.isIsolated))
  }
}
