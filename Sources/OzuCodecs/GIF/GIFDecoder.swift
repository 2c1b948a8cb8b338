import OzuImaging
import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes GIF, in Swift: interlaced or not, transparent, animated.
///
/// The picture is the first frame on its canvas. What it does not cover is transparent, as in browsers, which do not
/// paint the background colour of the file; later frames clear to transparent too.
public struct GIFDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// GIF.
  public var types: [ImageType] { [.gif] }

  /// Opens a file: steps through its blocks.
  ///
  /// - Throws: `truncated`; `corrupt` when there is no picture in it.
  /// - Complexity: O(blocks).
  public func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
    let blocks = try GIFFile(data.span, frameLimit: max(1, limits.frameCount))
    guard !blocks.images.isEmpty else {
      if blocks.isCut { throw .truncated(.gif, stage: GIFFile.stage) }
      throw .corrupt(.gif, stage: GIFFile.stage, reason: "it holds no picture")
    }
    return OpenedGIF(data, blocks)
  }

  /// Opens a file whose first frame is shown as soon as it is all there, however many follow.
  public func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile {
    try PartialFile { () throws(DecodingError) in .opened(try open(data, limits: limits)) }
  }
}

/// A GIF whose blocks have been looked at.
private final class OpenedGIF: ImageFile {
  private let data: Data
  private let blocks: GIFFile
  private let hasShown = Mutex(false)
  let header: ImageHeader

  /// - Parameter blocks: with at least one picture.
  init(_ data: Data, _ blocks: GIFFile) {
    self.data = data
    self.blocks = blocks
    header = ImageHeader(
      type: .gif, storedSize: blocks.canvas, colorModel: .indexed, hasAlpha: !blocks.isOpaque,
      frameCount: blocks.imageCount, isProgressive: blocks.images[0].isInterlaced)
  }

  /// An index for each pixel of the first image, but for rows below the canvas (`GIFFrames`).
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    let image = blocks.images[0]
    let rowCount = image.isInterlaced ? image.size.height : min(image.size.height, blocks.canvas.height)
    return DecodingDemand(byteCount: image.size.width * rowCount)
  }

  /// Decodes the first frame.
  ///
  /// - Throws: `DecodingError`; `truncated` when the file ends before the pixels do, unless the context allows it: then
  ///   the rest is transparent, or grey in a picture without alpha.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
    try GIFFrames.firstPicture(of: blocks, data, context)
  }

  func frames(limits: DecodingLimits) throws(DecodingError) -> (any AnimationFrameReading)? {
    blocks.images.count > 1 ? GIFFrames(data, blocks) : nil
  }

  /// The first frame, once.
  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap? {
    guard !hasShown.withLock({ $0 }) else { return nil }
    let blocks = try GIFFile(data.span, frameLimit: 1)
    guard blocks.images.first?.isWhole == true else { return nil }
    let bitmap = try GIFFrames.firstPicture(of: blocks, data, context)
    hasShown.withLock { $0 = true }
    return bitmap
  }
}
