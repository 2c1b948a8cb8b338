/// One step of an animation: what it paints, where, how, and for how long the result is seen.
///
/// The model that GIF, APNG and WebP share. Formats whose frames are whole pictures have one region, the canvas,
/// and never dispose of anything.
public struct AnimationFrame: Hashable, Sendable {
  /// What becomes of the frame's region when the next frame comes.
  public enum Disposal: Hashable, Sendable {
    /// It stays.
    case keep
    /// It becomes transparent.
    case clear
    /// It becomes what it was before the frame.
    case restore
  }

  /// How the frame meets what is there.
  public enum Blend: Hashable, Sendable {
    /// Its pixels replace those of the canvas.
    case source
    /// Its pixels lie over those of the canvas.
    case over
  }

  /// The left edge of the region on the canvas, in pixels.
  public var x: Int
  /// The top edge of the region on the canvas, in pixels.
  public var y: Int
  /// The size of the region. It lies wholly on the canvas; an animation with a frame that does not is not shown.
  public var size: PixelSize
  /// How long the frame is seen: zero to 2³² seconds, as stored. Players decide what zero means.
  public var delay: Duration
  /// What becomes of the region afterwards.
  public var disposal: Disposal
  /// How the frame meets what is there.
  public var blend: Blend

  /// Makes a frame.
  public init(
    x: Int = 0, y: Int = 0, size: PixelSize, delay: Duration, disposal: Disposal = .keep,
    blend: Blend = .source
  ) {
    self.x = x
    self.y = y
    self.size = size
    self.delay = delay
    self.disposal = disposal
    self.blend = blend
  }

  func covers(_ canvas: PixelSize) -> Bool { x == 0 && y == 0 && size == canvas }

  /// Whether the region has pixels and all of them lie on a canvas. No sum is made of numbers that may be absurd.
  func lies(on canvas: PixelSize) -> Bool {
    !size.isEmpty && size.width <= canvas.width && size.height <= canvas.height && x >= 0 && y >= 0
      && x <= canvas.width - size.width && y <= canvas.height - size.height
  }
}
