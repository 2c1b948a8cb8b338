/// Puts the picture on a larger canvas.
public struct Pad: ImageProcessing, Hashable {
  /// The size of the canvas in pixels. A side that is smaller than the picture's becomes the picture's.
  public let size: PixelSize
  /// The colour around the picture.
  public let color: ColorValue
  /// The place of the picture on the canvas.
  public let anchor: ImageAnchor

  /// Makes the processor.
  public init(to size: PixelSize, color: ColorValue = .clear, anchor: ImageAnchor = .center) {
    self.size = size
    self.color = color
    self.anchor = anchor
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "pad(\(size),\(color.identifier),\(anchor.rawValue))" }

  /// Pads the picture.
  ///
  /// - Throws: `invalidParameters` for a canvas over the limits.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard let canvas = try context.canvas(of: size, around: bitmap, for: self) else { return bitmap }
    let (left, top) = anchor.origin(of: bitmap.size, in: canvas)
    let background = color.pixel
    let isOpaque = bitmap.isOpaque && color.alpha == 255
    return bitmap.withPixels { pixels, rows in
      BGRABitmap(
        size: canvas, isOpaque: isOpaque, colorSpace: bitmap.colorSpace, pool: context.pool
      ) { y, target in
        target.update(repeating: background)
        guard y >= top, y < top + bitmap.size.height else { return }
        let source = pixels.extracting(rows[y - top])
        for x in 0..<source.count { target[left + x] = source[x].over(background) }
      }
    }
  }
}

extension ImageProcessing where Self == Pad {
  /// Puts the picture on a larger canvas.
  public static func pad(to size: PixelSize, color: ColorValue = .clear, anchor: ImageAnchor = .center)
    -> Self
  {
    Pad(to: size, color: color, anchor: anchor)
  }
}
