import OzuBase
import OzuImaging

/// The facts in the chunks of a WebP file (RFC 9649), read without libwebp.
///
/// Chunks are read one after the other by their lengths. The size of the canvas comes from the extended header if
/// there is one, before anything else is read: it may declare 2^24 pixels a side.
package struct WebPHeader {
  /// A picture that libwebp decodes: a whole still picture, or a frame of an animation.
  package struct Frame {
    /// Its place on the canvas, and the other facts of the animation about it.
    package var place: AnimationFrame
    package var x: Int { place.x }
    package var y: Int { place.y }
    package var size: PixelSize { place.size }
    package var range: Range<Int>
    package var isLossless = false
    package var hasAlpha = false
  }

  package private(set) var canvas = PixelSize(0, 0)
  package private(set) var hasAlpha = false
  private var hasEXIF = false
  /// Whether EXIF data that the file announces or begins are not completely there.
  package private(set) var lacksEXIF = false
  package private(set) var orientation: Orientation?
  package private(set) var metadata: PictureMetadata?
  package private(set) var dotsPerInch: Double?
  package private(set) var profile: ICCProfile?
  package private(set) var isAnimated = false
  /// Whether EXIF data will follow after the pixels.
  private var announcesEXIF = false
  /// The number of frames in the file, up to the limit of `ImageHeader.frameCount`; 1 for a still picture.
  package private(set) var frameCount = 1
  /// The picture, or the first valid frames of an animation up to the limit.
  package private(set) var frames: [Frame] = []
  /// Whether the picture, or the first frame of an animation, is as large as the canvas. Where it is not, the canvas is
  /// transparent, whatever the file says about alpha.
  package var coversCanvas: Bool { frames.first.map { $0.size == canvas } ?? true }
  /// The number of the frame of an animation in which the file ends; `nil` if it does not.
  package private(set) var cutFrame: Int?
  /// Whether the file has all the bytes that it declares.
  package private(set) var isWhole = true
  /// How many times an animation is played; 0 means without end.
  package private(set) var loopCount = 1

  package static let stage = "header"
  private static let frameStage = "first frame"

  /// The number of bytes that belong to the picture: bytes after the declared end do not.
  package static func byteCount(_ file: Span<UInt8>) -> Int {
    min(max(8 + (file.littleEndian(at: 4, bytes: 4) ?? 0), 12), file.count)
  }

  /// Reads all chunks.
  ///
  /// - Parameter frameLimit: the most frames that are kept. Frames after that are only counted. The first is always
  ///   kept.
  /// - Throws: `corrupt` or `truncated`, in the stage `header`.
  package init(_ file: Span<UInt8>, frameLimit: Int = 1) throws(ImageDecodingError) {
    let bytes = file.extracting(0..<Self.byteCount(file))
    var chunk = WebPChunk(bytes, at: 12)
    var animationFrameCount = 0
    var isExtended = false
    while let current = chunk {
      let content = bytes.extracting(current.content)
      switch current.kind {
      case .extended where !isExtended && canvas.isEmpty:
        isExtended = true
        try readExtendedHeader(content)
      case .lossy, .lossless:
        if frames.isEmpty && !isAnimated { try readStill(bytes, current, isExtended: isExtended) }
      case .alpha: hasAlpha = true
      case .frame:
        animationFrameCount += 1
        if !current.isWhole { cutFrame = animationFrameCount - 1 }
        if frames.count < max(1, frameLimit) { try readAnimationFrame(bytes, current) }
      case .animation: loopCount = content.littleEndian(at: 4, bytes: 2) ?? 1
      case .exif where !hasEXIF:
        hasEXIF = true
        lacksEXIF = !current.isWhole
        orientation = EXIFOrientation.find(in: content)
        metadata = EXIFMetadata.find(in: content)
        dotsPerInch = EXIFMetadata.dotsPerInch(in: content)
      case .profile where profile == nil:
        profile = ICCProfile(Data(content.copy(from: 0, byteCount: content.count)))
      default: break
      }
      chunk = WebPChunk(bytes, at: current.end)
    }
    guard !canvas.isEmpty else { throw .truncated(.webp, stage: Self.stage) }
    if announcesEXIF, !hasEXIF { lacksEXIF = true }
    // The file ends between two frames, or in the head of one, and not only before its last padding byte.
    let declared = (file.littleEndian(at: 4, bytes: 4) ?? 0) + 8
    isWhole = declared <= file.count
    if isAnimated, cutFrame == nil, declared > file.count + 1 { cutFrame = animationFrameCount }
    frameCount = isAnimated ? min(max(1, animationFrameCount), ImageHeader.largestFrameCount) : 1
  }

  /// RFC 9649 §2.7.1.
  private mutating func readExtendedHeader(_ content: Span<UInt8>) throws(ImageDecodingError) {
    guard let flags = content.byte(at: 0), let width = content.littleEndian(at: 4, bytes: 3),
      let height = content.littleEndian(at: 7, bytes: 3)
    else { throw .truncated(.webp, stage: Self.stage) }
    canvas = PixelSize(width + 1, height + 1)
    hasAlpha = flags & 0x10 != 0
    isAnimated = flags & 0x02 != 0
    announcesEXIF = flags & 0x08 != 0
  }

  private mutating func readStill(
    _ bytes: Span<UInt8>, _ chunk: WebPChunk, isExtended: Bool
  ) throws(ImageDecodingError) {
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
    frames = [
      Frame(
        place: AnimationFrame(size: picture.size, delay: .zero), range: 0..<bytes.count,
        isLossless: picture.isLossless, hasAlpha: hasAlpha)
    ]
  }

  /// RFC 9649 §2.7.1.1: position, size, duration, flags, then the chunks of a still picture. Only an error in the
  /// first frame prevents the file from being shown.
  private mutating func readAnimationFrame(
    _ bytes: Span<UInt8>, _ chunk: WebPChunk
  ) throws(ImageDecodingError) {
    // The first one may be shown in part.
    guard chunk.isWhole || frames.isEmpty else { return }
    do throws(ImageDecodingError) {
      frames.append(try animationFrame(bytes, chunk))
    } catch {
      if frames.isEmpty { throw error }
    }
  }

  private func animationFrame(
    _ bytes: Span<UInt8>, _ chunk: WebPChunk
  ) throws(ImageDecodingError) -> Frame {
    let content = bytes.extracting(chunk.content)
    guard let x = content.littleEndian(at: 0, bytes: 3), let y = content.littleEndian(at: 3, bytes: 3),
      let width = content.littleEndian(at: 6, bytes: 3), let height = content.littleEndian(at: 9, bytes: 3),
      let milliseconds = content.littleEndian(at: 12, bytes: 3), let flags = content.byte(at: 15)
    else { throw .truncated(.webp, stage: Self.frameStage) }
    let size = PixelSize(width + 1, height + 1)
    guard 2 * x + size.width <= canvas.width, 2 * y + size.height <= canvas.height else {
      throw Self.corrupt("a frame extends outside the canvas")
    }
    let pictureStart = chunk.content.lowerBound + 16
    let first = WebPChunk(bytes, at: pictureStart)
    let lossless = first.flatMap {
      $0.kind == .lossless ? WebPPicture(bytes.extracting($0.content), isLossless: true) : nil
    }
    return Frame(
      place: AnimationFrame(
        x: 2 * x, y: 2 * y, size: size, delay: .milliseconds(milliseconds),
        disposal: flags & 1 == 1 ? .clear : .keep, blend: flags & 2 == 2 ? .source : .over),
      range: pictureStart..<chunk.content.upperBound, isLossless: first?.kind == .lossless,
      hasAlpha: first?.kind == .alpha || lossless?.hasAlpha ?? false)
  }

  private static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.webp, stage: stage, reason: reason)
  }
}
