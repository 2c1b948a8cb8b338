/// Writes animations of one image format.
public protocol AnimationEncoding: Sendable {
  /// The format this encoder writes.
  var type: ImageType { get }

  /// Whether transparent pixels survive. GIF keeps them as wholly transparent or opaque.
  var keepsAlpha: Bool { get }

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - canvas: the size of every frame, in pixels.
  ///   - loopCount: how often the animation is to be played; 0 for ever.
  ///   - options: how frames are written. `CodecRegistry.encode` bounds the file by `maximumByteCount`; a writer does not.
  /// - Throws: `tooLarge` for a canvas that the format cannot hold or that is empty; `failed` when memory is short.
  func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(EncodingError) -> any AnimationWriting
}
