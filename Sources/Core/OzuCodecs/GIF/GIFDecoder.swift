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

struct GIFFrames: AnimationFrameReading {
  private static let imageStage = "image data"

  let data: Data
  let file: GIFFile
  let frames: [AnimationFrame]

  var canvas: PixelSize { file.canvas }
  var loopCount: Int { file.loopCount }

  /// - Parameter file: must have at least two whole pictures.
  init(_ data: Data, _ file: GIFFile) {
    self.data = data
    self.file = file
    // Only the last one may be incomplete.
    var frames = file.images.filter(\.isWhole).compactMap(\.frame)
    // The first frame is painted on an empty canvas, so its region is the whole canvas.
    frames[0].x = 0
    frames[0].y = 0
    frames[0].size = file.canvas
    self.frames = frames
  }

  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    let image = file.images[index]
    let frame = frames[index]
    if index == 0 { return try Self.firstPicture(of: file, data, context) }
    try context.limits.checkDecodedByteCount(
      frame.size.byteCount(as: .bgra8) + image.size.byteCount(as: .bgra8) / 4)
    let isOpaque = image.isVisible && image.transparentIndex == nil
    return try Bitmap(size: frame.size, isOpaque: isOpaque, pool: context.pool) {
      (pixels, bytesPerRow) throws(ImageDecodingError) in
      let target = PixelCanvas(pixels, bytesPerRow: bytesPerRow, size: frame.size)
      if !isOpaque { target.fill(with: 0) }
      try Self.paint(image, frame, data, on: target, x: 0, y: 0, context)
    }
  }

  /// The first image on its canvas, which is transparent where the image does not cover it.
  static func firstPicture(
    of file: GIFFile, _ data: Data, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    guard let image = file.images.first, let frame = image.frame else {
      throw .truncated(.gif, stage: GIFFile.stage)
    }
    try context.limits.checkDecodedByteCount(
      file.canvas.byteCount(as: .bgra8) + image.size.byteCount(as: .bgra8) / 4)
    return try Bitmap(size: file.canvas, isOpaque: file.isOpaque, pool: context.pool) {
      (pixels, bytesPerRow) throws(ImageDecodingError) in
      let canvas = PixelCanvas(pixels, bytesPerRow: bytesPerRow, size: file.canvas)
      // An opaque image covers the canvas.
      if !file.isOpaque { canvas.fill(with: 0) }
      try paint(
        image, frame, data, on: canvas, x: frame.x, y: frame.y,
        missing: file.isOpaque ? BMPDecoder.missing : nil, context)
    }
  }

  /// Paints an image on a canvas, with its corner at (x, y), clipped.
  ///
  /// - Parameter missing: the colour of the canvas before an image that the file does not have whole; `nil` leaves the canvas
  ///   as it is.
  private static func paint(
    _ image: GIFFile.Image, _ frame: AnimationFrame, _ data: Data, on canvas: PixelCanvas, x: Int, y: Int,
    missing: UInt32? = nil, _ context: DecodingContext
  ) throws(ImageDecodingError) {
    guard image.isVisible else { return }
    let bytes = data.span
    // Rows below the canvas are not shown, so their indices are not decoded, except for those of an interlaced
    // image, where they come between other rows.
    let rowCount = image.isInterlaced ? image.size.height : min(image.size.height, max(frame.size.height, 1))
    var indices = ContiguousArray<UInt8>(repeating: 0, count: image.size.width * rowCount)
    let (count, ending) = try GIFCodes.read(bytes, image, to: &indices, context)
    if count < indices.count {
      if ending == .corrupt, !context.allowsTruncation {
        throw .corrupt(.gif, stage: imageStage, reason: "an undefined code")
      }
      try context.acceptTruncation(of: .gif, stage: imageStage)
      if let missing { canvas.fill(with: missing) }
    }
    let colors = colors(image.palette, bytes)
    let width = image.size.width
    for (stored, row) in rows(of: image, count: rowCount) where row < frame.size.height {
      let available = min(width, max(0, count - stored * width), frame.size.width)
      let row = y + row
      let indices = indices.span.extracting(stored * width..<stored * width + available)
      if let transparent = image.transparentIndex {
        for column in 0..<available where Int(indices[column]) != transparent {
          canvas.set(x + column, row, to: colors[Int(indices[column])])
        }
      } else {
        canvas.write(indices, colors: colors.span, x: x, y: row)
      }
    }
  }

  /// The row at which each stored row is shown: interlaced images come in four passes (§20 and appendix E).
  private static func rows(of image: GIFFile.Image, count: Int) -> [(stored: Int, row: Int)] {
    guard image.isInterlaced else { return (0..<count).map { ($0, $0) } }
    let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    let order = passes.flatMap { Array(stride(from: $0.0, to: image.size.height, by: $0.1)) }
    return order.enumerated().map { (stored: $0.offset, row: $0.element) }
  }

  /// The colours of all 256 indices; black for indices outside the palette.
  private static func colors(_ palette: Range<Int>, _ bytes: Span<UInt8>) -> ContiguousArray<UInt32> {
    var colors = ContiguousArray<UInt32>()
    for index in 0..<256 {
      let at = palette.lowerBound + index * 3
      guard at + 3 <= palette.upperBound, let color = bytes.bigEndian(at: at, bytes: 3) else {
        colors.append(PixelCanvas.opaqueBlack)
        continue
      }
      colors.append(PixelCanvas.opaqueBlack | UInt32(color))
    }
    return colors
  }
}
