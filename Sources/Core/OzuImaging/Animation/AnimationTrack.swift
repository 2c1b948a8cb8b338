/// The frames of an animation, read from the reader once and checked. Players use only this value.
///
/// A reader may belong to an app, and its answers may change from call to call. This value does not change: every
/// frame has pixels and lies on the canvas, the canvas is the picture's, and the sum of the delays does not
/// overflow.
struct AnimationTrack: Sendable {
  /// The size of the picture as stored.
  let canvas: PixelSize
  /// At least two, each with a region on the canvas.
  let frames: [AnimationFrame]
  /// How many times the animation is played; 0 means without end.
  let loopCount: Int

  /// Why the frames are not an animation of the picture, in words.
  struct Flaw: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  /// The longest delay of a frame: 2³² seconds, the most that JPEG XL can declare. The sum of millions of them fits
  /// into a `Duration`.
  static let longestDelay = Duration.seconds(1 << 32)

  /// - Throws: `Flaw`, unless all frames lie on a canvas of `picture`.
  init(_ reader: any AnimationFrameReading, of picture: PixelSize) throws(Flaw) {
    canvas = reader.canvas
    frames = reader.frames
    loopCount = reader.loopCount
    if canvas != picture { throw Flaw(description: "its frames are for a canvas of \(canvas)") }
    if frames.count < 2 { throw Flaw(description: "it has \(frames.count) frames") }
    if loopCount < 0 { throw Flaw(description: "its loop count is \(loopCount)") }
    for (index, frame) in frames.enumerated() {
      if !frame.lies(on: canvas) {
        throw Flaw(description: "frame \(index) lies outside its canvas of \(canvas)")
      }
      if !(.zero...Self.longestDelay).contains(frame.delay) {
        throw Flaw(description: "frame \(index) has a delay of \(frame.delay)")
      }
    }
  }
}

/// One step of an animation: what it paints, where, how, and how long the result is shown.
///
/// The model that GIF, APNG and WebP share. Formats whose frames are whole pictures have one region, the canvas,
/// and never dispose of anything.
public struct AnimationFrame: Hashable, Sendable {
  /// The change of the frame's region before the next frame is painted.
  public enum Disposal: Hashable, Sendable {
    /// The region stays as it is.
    case keep
    /// The region becomes transparent.
    case clear
    /// The region becomes what it was before the frame was painted.
    case restore
  }

  /// How the frame's pixels are combined with the canvas.
  public enum Blend: Hashable, Sendable {
    /// They replace the pixels of the canvas.
    case source
    /// They are blended over the pixels of the canvas.
    case over
  }

  /// The left edge of the region on the canvas, in pixels.
  public var x: Int
  /// The top edge of the region on the canvas, in pixels.
  public var y: Int
  /// The size of the region. It lies wholly on the canvas; an animation with a frame that does not is not shown.
  public var size: PixelSize
  /// How long the frame is shown, as stored: 0 to 2³² seconds. Players decide how long 0 is.
  public var delay: Duration
  /// The change of the region before the next frame is painted.
  public var disposal: Disposal
  /// How the frame's pixels are combined with the canvas.
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

  /// Whether the region has pixels and lies wholly on a canvas. It adds no numbers, because hostile ones could
  /// overflow.
  func lies(on canvas: PixelSize) -> Bool {
    !size.isEmpty && size.width <= canvas.width && size.height <= canvas.height && x >= 0 && y >= 0
      && x <= canvas.width - size.width && y <= canvas.height - size.height
  }
}
