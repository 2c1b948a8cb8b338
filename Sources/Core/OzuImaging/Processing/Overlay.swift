/// Draws another picture over the picture: at any place, size, angle and opacity, once or as tiles.
///
/// ```swift
/// let stamp = Overlay(picture.bitmap, Placement(x: -20, y: -20, anchor: .bottomRight, rotation: -12, opacity: 0.7))
/// ```
public struct Overlay: ImageProcessing {
  private let picture: BGRABitmap
  /// Distinguishes the picture from others in the identifier.
  private let key: String
  /// Where the picture is drawn, and how it is mixed with what is below.
  public let placement: Placement

  /// Makes the processor.
  ///
  /// - Parameters:
  ///   - picture: the picture to draw.
  ///   - key: distinguishes the picture from others, as a part of the identifier; `nil` (the default) for a checksum
  ///     of its pixels.
  ///   - placement: where and how it is drawn; at the top left corner in its own size by default.
  public init(_ picture: Bitmap, key: String? = nil, _ placement: Placement = Placement()) {
    self.picture = BGRABitmap(picture)
    self.key = key.map { "\($0.utf8.count):\($0)" } ?? "#" + self.picture.checksum
    self.placement = placement
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "overlay(\(key),\(picture.size),\(placement.identifier))" }

  /// Draws the picture, without the parts of it that lie outside.
  ///
  /// - Throws: `invalidParameters` for a placement that is not finite, an opacity outside 0...1, and a size over the limits.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    if let flaw = placement.flaw { throw .invalidParameters(identifier, reason: flaw) }
    let layer = try placement.layer(resizing: picture, on: bitmap.size, context)
    return bitmap.drawing(layer, pool: context.pool)
  }
}

extension BGRABitmap {
  func drawing(_ layer: PictureLayer, pool: PixelBufferPool) -> BGRABitmap {
    BGRABitmap.drawing(on: self, size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) {
      (surface) throws(Never) in layer.draw(on: surface, rows: 0..<size.height)
    }
  }

  /// The picture with another one over it, pixel by pixel.
  ///
  /// - Parameters:
  ///   - x, y: the top left corner of the other one, which may be outside.
  ///   - gap: repeats it in all directions with this distance between two of them; below 0 each is cut, to a pixel at least.
  package func drawing(
    _ other: BGRABitmap, x: Int, y: Int, gap: PixelSize? = nil, opacity: UInt8, pool: PixelBufferPool
  ) -> BGRABitmap {
    let layer = PictureLayer(
      other, x: Double(x), y: Double(y), opacity: opacity, gap: gap, pool: pool)
    return drawing(layer, pool: pool)
  }
}

extension ImageProcessing where Self == Overlay {
  /// Draws another picture over the picture.
  public static func overlay(_ picture: Bitmap, key: String? = nil, _ placement: Placement = Placement())
    -> Self
  {
    Overlay(picture, key: key, placement)
  }
}
