import OzuBase
import OzuImaging

/// Decodes GIF, in Swift: interlaced or not, transparent, animated.
///
/// The picture is the first frame on its canvas. Pixels that the frame does not cover are transparent, as in
/// browsers, which ignore the background colour of the file; later frames are cleared to transparent too.
public struct GIFDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// GIF.
  public var types: [ImageType] { [.gif] }

  /// Opens a file: reads the structure of its blocks.
  ///
  /// - Throws: `truncated`; `corrupt` if there is no picture in it.
  /// - Complexity: O(blocks).
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let blocks = try GIFFile(data.span, frameLimit: max(1, limits.frameCount))
    guard !blocks.images.isEmpty else {
      if blocks.isCut { throw .truncated(.gif, stage: GIFFile.stage) }
      throw .corrupt(.gif, stage: GIFFile.stage, reason: "it contains no picture")
    }
    return OpenedGIF(data, blocks)
  }

  /// Opens a file whose first frame can be shown as soon as it is complete.
  public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
    try PartialFile { () throws(ImageDecodingError) in .opened(try open(data, limits: limits)) }
  }
}

/// A GIF whose blocks have been read.
private final class OpenedGIF: ImageFile {
  private let data: Data
  private let blocks: GIFFile
  private let hasShown = Mutex(false)
  let header: ImageHeader

  /// - Parameter blocks: must contain at least one picture.
  init(_ data: Data, _ blocks: GIFFile) {
    self.data = data
    self.blocks = blocks
    var header = ImageHeader(
      type: .gif, storedSize: blocks.canvas, colorModel: .indexed, hasAlpha: !blocks.isOpaque,
      frameCount: blocks.imageCount, isProgressive: blocks.images[0].isInterlaced)
    if let cut = blocks.cutImage { header.noteCut(wholeFrames: cut, ofAtLeast: cut + 1) }
    self.header = header
  }

  /// The memory of one index for each pixel of the first image, without rows below the canvas (`GIFFrames`).
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    let image = blocks.images[0]
    let rowCount = image.isInterlaced ? image.size.height : min(image.size.height, blocks.canvas.height)
    return DecodingDemand(byteCount: image.size.width * rowCount)
  }

  /// Decodes the first frame.
  ///
  /// - Throws: `ImageDecodingError`; `truncated` if the file ends before the pixels do, unless the context allows it:
  ///   then the rest is transparent, or grey in a picture without alpha.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    try GIFFrames.firstPicture(of: blocks, data, context)
  }

  /// XMP.
  func readMetadata() -> ImageMetadata {
    var metadata = ImageMetadata()
    if let xmp = blocks.xmp { metadata.add(xmp: data.span.extracting(xmp)) }
    metadata.complete(with: header)
    return metadata
  }

  func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? {
    blocks.images.count(where: \.isWhole) > 1 ? GIFFrames(data, blocks) : nil
  }

  /// Returns the first frame, once.
  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard !hasShown.withLock({ $0 }) else { return nil }
    let blocks = try GIFFile(data.span, frameLimit: 1)
    guard blocks.images.first?.isWhole == true else { return nil }
    let bitmap = try GIFFrames.firstPicture(of: blocks, data, context)
    hasShown.withLock { $0 = true }
    return bitmap
  }
}
