/// Draws another picture (the mark) over the picture, at its own size. `Overlay` also turns, resizes and repeats it.
public struct Watermark: ImageProcessing {
  /// How the two pictures are mixed.
  public typealias BlendMode = OzuImaging.BlendMode

  /// A distance in pixels that is larger than any side of a picture.
  private static let farthest = 1 << 60

  private let mark: BGRABitmap
  /// Distinguishes the mark from others in the identifier.
  private let key: String
  private let anchor: ImageAnchor
  private let margin: Int
  private let opacity: Double
  private let mode: BlendMode

  /// Makes the processor.
  ///
  /// - Parameters:
  ///   - mark: the picture to draw, at its own size.
  ///   - key: distinguishes the mark from others, as a part of the identifier; `nil` (the default) for a checksum
  ///     of its pixels.
  ///   - anchor: the place of the mark.
  ///   - margin: its distance from the edges at that place, in pixels.
  ///   - opacity: from 0, invisible, to 1.
  public init(
    _ mark: Bitmap, key: String? = nil, at anchor: ImageAnchor = .bottomRight, margin: Int = 0,
    opacity: Double = 1,
    mode: BlendMode = .normal
  ) {
    self.mark = BGRABitmap(mark)
    self.key = key.map { "\($0.utf8.count):\($0)" } ?? "#" + self.mark.checksum
    self.anchor = anchor
    self.margin = margin
    self.opacity = opacity
    self.mode = mode
  }

  /// The kind of processor with all its parameters.
  public var identifier: String {
    "watermark(\(key),\(mark.size),\(anchor.rawValue),\(margin),\(opacity),\(mode.rawValue))"
  }

  /// Draws the mark, without the parts of it that lie outside the picture.
  ///
  /// - Throws: `invalidParameters` for an opacity outside 0...1.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard (0...1).contains(opacity) else {
      throw .invalidParameters(identifier, reason: "the opacity must be from 0 to 1")
    }
    // At such a distance the mark is not visible anyway, and sums of these numbers do not overflow.
    let margin = min(max(margin, -Self.farthest), Self.farthest)
    let inner = PixelSize(mark.size.width + 2 * margin, mark.size.height + 2 * margin)
    let corner = anchor.origin(of: inner, in: bitmap.size)
    let layer = PictureLayer(
      mark, x: Double(corner.x + margin), y: Double(corner.y + margin),
      opacity: UInt8((opacity * 255).rounded()), mode: mode, pool: context.pool)
    return bitmap.drawing(layer, pool: context.pool)
  }
}

extension ImageProcessing where Self == Watermark {
  /// Draws another picture over the picture.
  public static func watermark(
    _ mark: Bitmap, key: String? = nil, at anchor: ImageAnchor = .bottomRight, margin: Int = 0,
    opacity: Double = 1,
    mode: BlendMode = .normal
  ) -> Self {
    Watermark(mark, key: key, at: anchor, margin: margin, opacity: opacity, mode: mode)
  }
}
