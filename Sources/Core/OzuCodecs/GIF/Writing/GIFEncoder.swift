import OzuBase
import OzuImaging

/// Writes GIF (GIF89a specification), in Swift: still and animated.
///
/// A frame of at most 256 colours keeps them exactly, so a GIF that was read is written with the same colours. For
/// more colours, 256 are chosen for each frame, with error diffusion unless the frame is a flat drawing. Pixels of
/// at least half opacity become opaque, in their own colour; the others become transparent.
public struct GIFEncoder: ImageEncoding, AnimationEncoding {
  static let sideLimit = 65_535

  /// Makes an encoder.
  public init() {}

  /// GIF.
  public var type: ImageType { .gif }

  /// Always true: a pixel is either opaque or wholly transparent.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap as a still GIF. Of the options only `effort` is used: how long the encoder looks for good
  /// colours.
  ///
  /// - Throws: `tooLarge` above 65,535 pixels a side.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    let writer = try makeWriter(canvas: bitmap.size, loopCount: 1, options: options)
    try writer.append(bitmap, duration: .zero)
    return try writer.finish()
  }

  /// Begins an animated GIF.
  ///
  /// - Throws: `tooLarge` above 65,535 pixels a side.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(ImageEncodingError) -> any AnimationWriting {
    try GIFAnimationWriter(canvas: canvas, loopCount: loopCount, effort: options.effort)
  }
}
