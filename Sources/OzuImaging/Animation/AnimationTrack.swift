/// The frames of an animation as a reader has named them once, checked: the only form in which they are played.
///
/// A reader may be an app's own, and its answers may change from call to call. So it is asked once, here, and whoever
/// plays the animation has this value: every frame has pixels and lies on the canvas, the canvas is the picture's, and
/// times can be added up.
struct AnimationTrack: Sendable {
  /// The size of the picture as stored.
  let canvas: PixelSize
  /// At least two, each with a region on the canvas.
  let frames: [AnimationFrame]
  /// How often the animation is to be played; 0 for ever.
  let loopCount: Int

  /// Why frames make no animation of a picture, in words.
  struct Flaw: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  /// The longest that a frame can be seen: what JPEG XL can say, 2³² ticks of a second. Sums of millions fit a `Duration`.
  static let longestDelay = Duration.seconds(1 << 32)

  /// - Throws: `Flaw`, unless all frames lie on a canvas of `picture`.
  init(_ reader: any AnimationFrameReading, of picture: PixelSize) throws(Flaw) {
    canvas = reader.canvas
    frames = reader.frames
    loopCount = reader.loopCount
    if canvas != picture { throw Flaw(description: "its frames are for a canvas of \(canvas)") }
    if frames.count < 2 { throw Flaw(description: "it has \(frames.count) frames") }
    if loopCount < 0 { throw Flaw(description: "it is to be played \(loopCount) times") }
    for (index, frame) in frames.enumerated() {
      if !frame.lies(on: canvas) {
        throw Flaw(description: "frame \(index) lies outside its canvas of \(canvas)")
      }
      if !(.zero...Self.longestDelay).contains(frame.delay) {
        throw Flaw(description: "frame \(index) is to be seen for \(frame.delay)")
      }
    }
  }
}
