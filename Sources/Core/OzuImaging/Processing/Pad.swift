/// Puts the picture on a canvas.
public struct Pad: ImageProcessing, Hashable {
  /// The size of the canvas in pixels. A side that is smaller than the picture's becomes the picture's.
  public let size: PixelSize
  /// The colour around the picture, and below what is transparent in it.
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
    let larger = try context.canvas(of: size, around: bitmap, for: self)
    // Nothing is seen of the canvas.
    if larger == nil, bitmap.isOpaque || color.alpha == 0 { return bitmap }
    let canvas = larger ?? bitmap.size
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
  /// Puts the picture on a canvas.
  public static func pad(to size: PixelSize, color: ColorValue = .clear, anchor: ImageAnchor = .center)
    -> Self
  {
    Pad(to: size, color: color, anchor: anchor)
  }
}

/// Puts the picture on a larger canvas that is covered with a blurred copy of it: a portrait in a wide frame.
public struct BlurredPad: ImageProcessing, Hashable {
  /// The size of the canvas in pixels. A side that is smaller than the picture's becomes the picture's.
  public let size: PixelSize
  /// The standard deviation of the blur in pixels of the canvas.
  public let radius: Double
  /// The place of the picture on the canvas.
  public let anchor: ImageAnchor

  /// Makes the processor.
  public init(to size: PixelSize, radius: Double = 40, anchor: ImageAnchor = .center) {
    self.size = size
    self.radius = radius
    self.anchor = anchor
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "blurred-pad(\(size),\(radius),\(anchor.rawValue))" }

  /// Pads the picture. The copy covers the canvas, and is cut off where it is larger.
  ///
  /// - Throws: `invalidParameters` for a canvas over the limits, and for a radius that is negative, not finite or over 1,000.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard let canvas = try context.canvas(of: size, around: bitmap, for: self) else { return bitmap }
    let cover = Resize(canvas, mode: .aspectFill, allowsUpscaling: true, kernel: .bilinear)
    let copy = try cover.process(bitmap, context: context)
    let ground = try GaussianBlur(radius: radius).process(copy, context: context)
    let (left, top) = anchor.origin(of: bitmap.size, in: canvas)
    let layer = PictureLayer(bitmap, x: Double(left), y: Double(top), pool: context.pool)
    return ground.drawing(layer, pool: context.pool)
  }
}

extension ImageProcessing where Self == BlurredPad {
  /// Puts the picture on a larger canvas that is covered with a blurred copy of it.
  public static func pad(to size: PixelSize, blurredBy radius: Double, anchor: ImageAnchor = .center) -> Self
  {
    BlurredPad(to: size, radius: radius, anchor: anchor)
  }
}

extension BlurredPad: ScaledProcessing {
  /// The same with its radius multiplied by a factor. The size is in pixels and stays, as that of `Pad` does.
  public func scaled(by factor: Double) -> BlurredPad {
    BlurredPad(to: size, radius: radius * factor, anchor: anchor)
  }
}
