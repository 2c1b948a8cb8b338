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
