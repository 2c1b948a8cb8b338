import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes GIF, in Swift: interlaced or not, transparent, animated.
///
/// The picture is the first frame on its canvas. What it does not cover is transparent, as in browsers, which do not
/// paint the background colour of the file; later frames clear to transparent too.
public struct GIFDecoder: AnimationDecoding {
  /// Makes a decoder.
  public init() {}

  /// GIF.
  public var types: [ImageType] { [.gif] }

  /// Steps through the blocks of the file.
  ///
  /// - Throws: `truncated`; `corrupt` when there is no picture in it.
  /// - Complexity: O(blocks).
  public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    let file = try file(data, frameLimit: 1)
    return ImageHeader(
      type: .gif, storedSize: file.canvas, colorModel: .indexed,
      hasAlpha: !file.isOpaque,
      frameCount: file.imageCount, isProgressive: file.images[0].isInterlaced)
  }

  /// Decodes the first frame.
  ///
  /// - Throws: `DecodingError`; `truncated` when the file ends before the pixels do, unless the context allows
  ///   it: then the rest is transparent, or grey in a picture without alpha.
  public func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    let file = try file(data, frameLimit: 1)
    return try GIFFrames.firstPicture(of: file, data, context)
  }

  /// The frames of an animation.
  ///
  /// - Throws: `truncated`.
  public func frames(
    of data: Data, header: ImageHeader, limits: DecodingLimits
  ) throws(DecodingError) -> (any AnimationFrameReading)? {
    let file = try file(data, frameLimit: limits.frameCount)
    return file.images.count > 1 ? GIFFrames(data, file) : nil
  }

  private func file(_ data: Data, frameLimit: Int) throws(DecodingError) -> GIFFile {
    let file = try GIFFile(data.span, frameLimit: frameLimit)
    guard !file.images.isEmpty else {
      if file.isCut { throw .truncated(.gif, stage: GIFFile.stage) }
      throw .corrupt(.gif, stage: GIFFile.stage, reason: "it holds no picture")
    }
    return file
  }
}
