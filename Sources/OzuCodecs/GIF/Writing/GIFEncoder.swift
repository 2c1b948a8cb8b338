import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes GIF (GIF89a specification), in Swift: still and animated.
///
/// A frame of at most 256 colours keeps them exactly, and a GIF that was read comes out with the colours that it had. Of more
/// colours 256 are chosen for each frame, and mixed by error diffusion unless the frame is a flat drawing. A pixel is opaque
/// or not there at all: from half opacity on it is opaque, in its own colour.
public struct GIFEncoder: ImageEncoding, AnimationEncoding {
  static let sideLimit = 65_535

  /// Makes an encoder.
  public init() {}

  /// GIF.
  public var type: ImageType { .gif }

  /// GIF has pixels that are not there.
  public var keepsAlpha: Bool { true }

  /// Encodes a bitmap as a still GIF. Of the options, `effort` alone counts: how long good colours are looked for.
  ///
  /// - Throws: `tooLarge` above 65,535 pixels a side.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
    let writer = try makeWriter(canvas: bitmap.size, loopCount: 1, options: options)
    try writer.append(bitmap, duration: .zero)
    return try writer.finish()
  }

  /// Begins an animated GIF.
  ///
  /// - Throws: `tooLarge` above 65,535 pixels a side.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(EncodingError) -> any AnimationWriting {
    try GIFAnimationWriter(canvas: canvas, loopCount: loopCount, effort: options.effort)
  }
}
