import OzuImaging

/// What the chunks of a WebP file say (RFC 9649), read without libwebp.
///
/// Reading goes from chunk to chunk by their lengths. The size of the canvas is taken from the extended header,
/// where there is one, before anything else is looked at: it may declare 2^24 pixels a side.
struct WebPHeader {
  /// A picture that libwebp decodes: all of a still one, or the first frame of an animation.
  struct Frame {
    /// Where it lies on the canvas.
    var x = 0
    var y = 0
    var size = PixelSize(0, 0)
    /// The bytes that hold it, in the file.
    var range: Range<Int>
    var isLossless = false
  }

  private(set) var canvas = PixelSize(0, 0)
  private(set) var hasAlpha = false
  private(set) var orientation: Orientation?
  private(set) var colorProfileName: String?
  private(set) var isAnimated = false
  /// The frames that are there; 1 for a still picture.
  private(set) var frameCount = 1
  /// `nil` while the file has none.
  private(set) var firstFrame: Frame?

  static let stage = "header"

  /// Steps through the chunks.
  ///
  /// - Throws: `corrupt` or `truncated`, in the stage `header`.
  init(_ file: Span<UInt8>) throws(DecodingError) {
    // What follows the declared end is not part of the picture.
    let declaredEnd = 8 + (file.littleEndian(at: 4, bytes: 4) ?? 0)
    let bytes = file.extracting(0..<min(max(declaredEnd, 12), file.count))
    var chunk = WebPChunk(bytes, at: 12)
    var animationFrameCount = 0
    var isExtended = false
    var hasEXIF = false
    while let current = chunk {
      let content = bytes.extracting(current.content)
      switch current.kind {
      case .extended where !isExtended && canvas.isEmpty:
        isExtended = true
        try readExtendedHeader(content)
      case .lossy, .lossless:
        if firstFrame == nil && !isAnimated { try readStill(bytes, current, isExtended: isExtended) }
      case .alpha: hasAlpha = true
      case .frame:
        animationFrameCount += 1
        if firstFrame == nil { try readAnimationFrame(bytes, current) }
      case .exif where !hasEXIF:
        hasEXIF = true
        orientation = EXIFOrientation.find(in: content)
      case .profile where colorProfileName == nil: colorProfileName = ICCProfileName.find(in: content)
      default: break
      }
      chunk = WebPChunk(bytes, at: current.end)
    }
    guard !canvas.isEmpty else { throw .truncated(.webp, stage: Self.stage) }
    frameCount = isAnimated ? max(1, animationFrameCount) : 1
  }

  /// RFC 9649 §2.7.1.
  private mutating func readExtendedHeader(_ content: Span<UInt8>) throws(DecodingError) {
    guard let flags = content.byte(at: 0), let width = content.littleEndian(at: 4, bytes: 3),
      let height = content.littleEndian(at: 7, bytes: 3)
    else { throw .truncated(.webp, stage: Self.stage) }
    canvas = PixelSize(width + 1, height + 1)
    hasAlpha = flags & 0x10 != 0
    isAnimated = flags & 0x02 != 0
  }

  private mutating func readStill(
    _ bytes: Span<UInt8>, _ chunk: WebPChunk, isExtended: Bool
  ) throws(DecodingError) {
    guard let picture = WebPPicture(bytes.extracting(chunk.content), isLossless: chunk.kind == .lossless)
    else {
      guard chunk.isWhole else { throw .truncated(.webp, stage: Self.stage) }
      throw Self.corrupt("a picture without a valid header")
    }
    guard !isExtended || picture.size == canvas else {
      throw Self.corrupt("a picture of \(picture.size) on a canvas of \(canvas)")
    }
    canvas = picture.size
    hasAlpha = hasAlpha || picture.hasAlpha
    firstFrame = Frame(size: picture.size, range: 0..<bytes.count, isLossless: picture.isLossless)
  }

  /// RFC 9649 §2.7.1.1: position, size, duration, flags, then the chunks of a still picture.
  private mutating func readAnimationFrame(
    _ bytes: Span<UInt8>, _ chunk: WebPChunk
  ) throws(DecodingError) {
    let content = bytes.extracting(chunk.content)
    guard let x = content.littleEndian(at: 0, bytes: 3), let y = content.littleEndian(at: 3, bytes: 3),
      let width = content.littleEndian(at: 6, bytes: 3), let height = content.littleEndian(at: 9, bytes: 3)
    else { throw .truncated(.webp, stage: "first frame") }
    let size = PixelSize(width + 1, height + 1)
    guard 2 * x + size.width <= canvas.width, 2 * y + size.height <= canvas.height else {
      throw Self.corrupt("a frame that reaches out of the canvas")
    }
    let pictureStart = chunk.content.lowerBound + 16
    guard pictureStart <= chunk.content.upperBound else { throw .truncated(.webp, stage: "first frame") }
    let first = WebPChunk(bytes, at: pictureStart)
    firstFrame = Frame(
      x: 2 * x, y: 2 * y, size: size, range: pictureStart..<chunk.content.upperBound,
      isLossless: first?.kind == .lossless)
  }

  private static func corrupt(_ reason: String) -> DecodingError {
    .corrupt(.webp, stage: stage, reason: reason)
  }
}
