/// Checks the calls of an animation writer, because apps can call it: the size of frames, and their order.
package struct FrameAdmission {
  /// The format that is written, for errors.
  package let type: ImageType
  /// The size of every frame.
  package let canvas: PixelSize
  package private(set) var frameCount = 0
  private var isFinished = false

  /// - Throws: `tooLarge` for a canvas without pixels, or with a side over `sideLimit`.
  package init(_ type: ImageType, canvas: PixelSize, sideLimit: Int) throws(ImageEncodingError) {
    guard !canvas.isEmpty, max(canvas.width, canvas.height) <= sideLimit else {
      throw .tooLarge(type, canvas)
    }
    self.type = type
    self.canvas = canvas
  }

  /// Counts a frame.
  ///
  /// - Throws: `failed` for a frame that does not have the size of the canvas, or that comes after the end.
  package mutating func admit(_ frame: Bitmap) throws(ImageEncodingError) {
    guard !isFinished else { throw .failed(type, reason: "a frame after the end of the animation") }
    guard frame.size == canvas else {
      throw .failed(type, reason: "frame \(frameCount) has \(frame.size) pixels instead of \(canvas)")
    }
    frameCount += 1
  }

  /// Ends the animation without a file: for a writer that has failed in the middle of a frame.
  package mutating func close() { isFinished = true }

  /// Ends the animation.
  ///
  /// - Throws: `failed` without frames, or the second time.
  package mutating func finish() throws(ImageEncodingError) {
    guard !isFinished else { throw .failed(type, reason: "the animation is finished") }
    isFinished = true
    guard frameCount > 0 else { throw .failed(type, reason: "an animation without frames") }
  }
}
