/// Turns the picture by 90 or 180 degrees, or mirrors it.
public enum Turn: String, ImageProcessing, Hashable, CaseIterable {
  /// By 90 degrees clockwise.
  case right
  /// By 90 degrees anticlockwise.
  case left
  /// By 180 degrees.
  case around
  /// Left and right are exchanged.
  case mirror
  /// Top and bottom are exchanged.
  case flip

  /// The kind of processor with all its parameters.
  public var identifier: String { "turn(\(rawValue))" }

  /// Turns the picture. Pixels are moved, not changed.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    BGRABitmap(bitmap.bitmap.upright(from: orientation, pool: context.pool), pool: context.pool)
  }

  /// Turns 16 bits in the same way.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    bitmap.upright(from: orientation, pool: context.pool)
  }

  /// The orientation of a stored picture that is turned in this way to be upright.
  var orientation: Orientation {
    switch self {
    case .right: .right
    case .left: .left
    case .around: .down
    case .mirror: .upMirrored
    case .flip: .downMirrored
    }
  }
}

extension ImageProcessing where Self == Turn {
  /// Turns the picture by 90 or 180 degrees, or mirrors it.
  public static func turn(_ turn: Turn) -> Self { turn }
}
