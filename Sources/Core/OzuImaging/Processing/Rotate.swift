import OzuBase

/// Turns the picture by any angle. The result is as large as the turned picture needs.
public struct Rotate: ImageProcessing, Hashable {
  /// The angle in degrees, clockwise.
  public let degrees: Double
  /// The colour of the corners that the turned picture does not cover; transparent by default.
  public let background: ColorValue

  /// Makes the processor.
  public init(degrees: Double, background: ColorValue = .clear) {
    self.degrees = degrees
    self.background = background
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "rotate(\(degrees),\(background.identifier))" }

  /// Turns the picture. A multiple of 90 degrees moves pixels; other angles sample between them, with antialiased edges.
  ///
  /// - Throws: `invalidParameters` for an angle that is not finite, and for a result over the limits.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard degrees.isFinite else {
      throw .invalidParameters(identifier, reason: "the angle must be a number of degrees")
    }
    switch degrees.remainder(dividingBy: 360) {
    case 0: return bitmap
    case 90: return try Turn.right.process(bitmap, context: context)
    case -90: return try Turn.left.process(bitmap, context: context)
    case 180, -180: return try Turn.around.process(bitmap, context: context)
    case let angle: return try turned(bitmap, by: angle, context)
    }
  }

  private func turned(
    _ bitmap: BGRABitmap, by angle: Double, _ context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let radians = angle * .pi / 180
    let (across, down) = (abs(cos(radians)), abs(sin(radians)))
    let (width, height) = (Double(bitmap.size.width), Double(bitmap.size.height))
    // A rounding error is no pixel.
    func side(_ length: Double) -> Int { Int(clamping: (length - 1e-6).rounded(.up)) }
    let canvas = PixelSize(
      side(width * across + height * down), side(width * down + height * across))
    try context.check(canvas, for: self)
    let ground = background.pixel
    let layer = PictureLayer(
      bitmap, x: (Double(canvas.width) - width) / 2, y: (Double(canvas.height) - height) / 2, rotation: angle,
      pool: context.pool)
    return BGRABitmap.drawing(
      size: canvas, isOpaque: bitmap.isOpaque && background.alpha == 255, colorSpace: bitmap.colorSpace,
      pool: context.pool
    ) { (surface) throws(Never) in
      if ground != .clear {
        for y in 0..<canvas.height { surface.edit(y, 0..<canvas.width) { $0.update(repeating: ground) } }
      }
      layer.draw(on: surface, rows: 0..<canvas.height)
    }
  }
}

extension ImageProcessing where Self == Rotate {
  /// Turns the picture by any angle, clockwise.
  public static func rotate(degrees: Double, background: ColorValue = .clear) -> Self {
    Rotate(degrees: degrees, background: background)
  }
}
