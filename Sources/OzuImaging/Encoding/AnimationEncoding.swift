/// Writes animations of one image format.
public protocol AnimationEncoding: Sendable {
  /// The format this encoder writes.
  var type: ImageType { get }

  /// Whether transparency is kept. In GIF, a pixel is either wholly transparent or opaque.
  var keepsAlpha: Bool { get }

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - canvas: the size of every frame, in pixels.
  ///   - loopCount: how often the animation is played; 0 for ever.
  ///   - options: how frames are written. `maximumByteCount` is checked by `CodecRegistry.encode`, not by the
  ///     writer.
  /// - Throws: `tooLarge` for a canvas that is empty or too large for the format; `failed` if memory is short.
  func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(EncodingError) -> any AnimationWriting
}
