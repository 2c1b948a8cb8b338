/// The frames of one file, each decoded when it is asked for.
///
/// Calls come one at a time, from any thread, mostly in ascending order.
public protocol AnimationFrameReading: Sendable {
  /// The size of the canvas as stored, in pixels.
  var canvas: PixelSize { get }
  /// The frames in order; at least two, each with a region on the canvas. Read only once, together with `canvas`
  /// and `loopCount`. If the frames break these rules, the picture is shown without its animation, and a note says
  /// why.
  var frames: [AnimationFrame] { get }
  /// How many times the animation is played; 0 means without end.
  var loopCount: Int { get }

  /// Decodes one frame: the pixels of its region, not yet combined with the canvas.
  ///
  /// - Returns: a bitmap of the frame's size, premultiplied. A bitmap of another size fails the frame; one in
  ///   another format than `bgra8` is converted.
  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap
}
