#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuCodecs
  import OzuImaging

  /// Decodes one format through ImageIO.
  ///
  /// The system decodes at an eighth, a quarter or a half of the size, whichever is enough, and the rest is resampled as on
  /// every platform. Pictures of more than 8 bits are decoded at full size, because the system reduces to 8. Thumbnails of JPEG
  /// files in sRGB are decoded by Ozu's own decoder (`ReducedJPEGDecoder`), because ImageIO has nothing equal. Core Graphics
  /// converts colours to sRGB while it draws the pixels. Colours that are to be kept are drawn in the colour space of the file, in
  /// 16 bits if the file has more than 8 and the context asks for pixels as stored.
  ///
  /// ImageIO does not report which part of a file is broken, and cannot be stopped within a picture: the context is
  /// asked whether to continue before and after.
  public struct ImageIODecoder: ImageDecoding {
    let type: ImageType

    /// Makes a decoder of a format.
    public init(_ type: ImageType) {
      self.type = type
    }

    /// The format.
    public var types: [ImageType] { [type] }

    /// Opens a file: reads the facts about its picture.
    ///
    /// The scans of a JPEG are counted before the system reads the file, because the system has no limit for them.
    ///
    /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the scans of a JPEG, as in `JPEGOutline`.
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      let outline = try outline(data, limits)
      let file = try ImageIOFile(data, type)
      let properties = file.properties
      guard let width = properties[kCGImagePropertyPixelWidth] as? Int,
        let height = properties[kCGImagePropertyPixelHeight] as? Int
      else { throw file.failure(stage: ImageIOFile.headerStage) }
      var header = ImageHeader(type: type, storedSize: PixelSize(width, height))
      header.orientation =
        properties[kCGImagePropertyOrientation].flatMap { $0 as? Int }
        .flatMap(Orientation.init(rawValue:)) ?? .up
      header.bitsPerComponent = properties[kCGImagePropertyDepth] as? Int ?? 8
      header.colorModel = file.colorModel
      header.hasAlpha = properties[kCGImagePropertyHasAlpha] as? Bool ?? false
      header.add(statedDotsPerInch: properties[kCGImagePropertyDPIWidth] as? Double)
      header.isProgressive = file.isProgressive
      header.metadata = file.metadata
      header.colorProfileName = properties[kCGImagePropertyProfileName] as? String
      if let name = header.colorProfileName, !name.hasPrefix("sRGB") {
        header.colorEncoding = file.profile.map { .profile(ICCProfile(name: name, data: $0)) }
      }
      header.frameCount = file.frameCount
      // ImageIO converts colours while it draws, and nothing converts planes: so planes are used only without a
      // profile.
      if header.colorEncoding == nil, let outline, outline.details.size == header.storedSize {
        header.planeLayout = outline.frame?.planeLayout
        header.isProgressive = outline.details.isProgressive
      }
      return ImageIOPicture(data, file, header, outline, limits)
    }

    /// The markers of a JPEG; `nil` for another format, and for a file that Ozu cannot parse: ImageIO decides about
    /// those.
    private func outline(_ data: Data, _ limits: DecodingLimits) throws(ImageDecodingError) -> JPEGOutline? {
      guard type == .jpeg else { return nil }
      do throws(ImageDecodingError) {
        return try JPEGOutline(data, limits: limits)
      } catch .limitExceeded(let violation) {
        throw .limitExceeded(violation)
      } catch {
        return nil
      }
    }
  }

  /// A file that ImageIO has opened.
  ///
  /// `@unchecked Sendable`: ImageIO's objects do not change after they are made from all bytes, and calls come one
  /// at a time.
  private final class ImageIOPicture: ImageFile, @unchecked Sendable {
    let header: ImageHeader
    private let data: Data
    private let file: ImageIOFile
    private let outline: JPEGOutline?
    /// Whether this is a HEIC that is over the limits at full size, and not at a half.
    private let isLarge: Bool
    private let slot = FeedSlot()

    init(
      _ data: Data, _ file: ImageIOFile, _ header: ImageHeader, _ outline: JPEGOutline?,
      _ limits: DecodingLimits
    ) {
      let (pixelCount, byteCount) = (header.storedSize.pixelCount, header.storedSize.byteCount(as: .bgra8))
      isLarge =
        header.type == .heic && pixelCount / 2 <= limits.pixelCount
        && (pixelCount > limits.pixelCount || byteCount > limits.decodedByteCount)
      self.data = data
      self.file = file
      self.header = header
      self.outline = outline
    }

    /// An eighth, a quarter, a half and the full size. Only the full size for more than 8 bits, unless that is too large.
    var scales: [Int] { header.bitsPerComponent <= 8 || isLarge ? [1, 2, 4, 8] : [8] }

    /// A result that Ozu makes from the frequencies of a JPEG takes a strip of them at a time. The system reduces other JPEG
    /// row by row, unless it has passes, and HEIC tile by tile. It cannot be stopped; a HEIC has at most twice as many pixels
    /// as one that is decoded at full size. How it reduces other pictures is not documented: they count as decoded at full size.
    func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
      guard plan.reduction == nil, plan.eighths < 8 else {
        return DecodingDemand(isPiecewise: plan.reduction != nil)
      }
      let isPiecewise = isLarge || header.type == .jpeg && !header.isProgressive
      let rest = header.storedSize.byteCount(as: .bgra8) - plan.decodedSize.byteCount(as: .bgra8)
      return DecodingDemand(
        byteCount: isPiecewise || header.type == .jpeg ? 0 : rest, isPiecewise: isPiecewise)
    }

    /// For JPEG, PNG and WebP, Ozu's own parsers read the blocks, because ImageIO returns metadata only as single
    /// values. A compressed XMP packet of a PNG is left out.
    func readMetadata() -> ImageMetadata {
      switch header.type {
      case .jpeg: JPEGMetadata.read(data.span, header: header)
      case .png: PNGMetadata.read(data.span, header: header) { _ in nil }
      case .webp: WebPContainer.metadata(data.span, header: header)
      default: ImageMetadata()
      }
    }

    /// Makes the result: a thumbnail of a JPEG from planes at a few eighths, everything else from pixels.
    func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      if let outline,
        let bitmap = try ReducedJPEGDecoder.render(
          data, outline, header: header, plan: plan, context: context)
      {
        return bitmap
      }
      return try renderFromPixels(plan, context: context)
    }

    /// Decodes the picture at the plan's scale.
    ///
    /// - Throws: `ImageDecodingError`; `truncated` if data are missing, unless the context allows it.
    func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      if file.isTruncated {
        try context.acceptTruncation(of: header.type, stage: ImageIOFile.pixelStage)
      }
      try context.limits.checkDecodedByteCount(
        plan.decodedSize.byteCount(as: header.pixelFormat(under: context.pixelFormats)))
      try context.checkpoint()
      let image = plan.eighths < 8 ? file.reduced(to: plan.decodedSize) : file.image(at: file.primaryIndex)
      guard let image else { throw file.failure(stage: ImageIOFile.pixelStage) }
      let bitmap = try file.draw(image, size: plan.decodedSize, header: header, context: context)
      try context.checkpoint()
      return bitmap
    }

    func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? {
      header.frameCount > 1 ? try ImageIOFrames(data, header, frameLimit: limits.frameCount) : nil
    }

    /// Shows the part of a file that has arrived.
    func feed(
      _ data: Data, plan: DecodePlan, context: DecodingContext
    ) throws(ImageDecodingError) -> Bitmap? {
      try slot.preview(of: data, context: context) { () throws(ImageDecodingError) in
        ImageIOFeed(header: header, plan: plan)
      }
    }
  }

  extension ImageIODecoder {
    /// Opens a file that is shown while it is downloaded, in the formats for which ImageIO shows something early.
    ///
    /// ImageIO does not always report that data are incomplete. So a file counts as broken only if there is no
    /// header in its first 256 KB: profiles and previews may come before the size.
    ///
    /// - Throws: `ImageDecodingError`.
    public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
      guard [.jpeg, .png, .webp].contains(type) else { return .notIncremental }
      do throws(ImageDecodingError) {
        return .opened(try open(data, limits: limits))
      } catch .limitExceeded(let excess) {
        throw .limitExceeded(excess)
      } catch {
        if data.count < 256 << 10 { return .tooShort }
        throw error
      }
    }
  }

  /// A file that ImageIO decodes while it is downloaded. Pixels that have not arrived are transparent.
  ///
  /// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
  final class ImageIOFeed: PictureFeed, @unchecked Sendable {
    private let source = CGImageSourceCreateIncremental(nil)
    private let header: ImageHeader
    private let plan: DecodePlan
    private var shownByteCount = 0

    init(header: ImageHeader, plan: DecodePlan) {
      self.header = header
      self.plan = plan
    }

    func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
      guard data.count > shownByteCount else { return nil }
      try context.checkpoint()
      CGImageSourceUpdateData(source, data.coreFoundation, false)
      let file = ImageIOFile(source, header.type)
      guard let image = file.image(at: 0) else { return nil }
      let bitmap = try file.draw(
        image, size: plan.decodedSize, header: header, isPartial: true, context: context)
      shownByteCount = data.count
      try context.checkpoint()
      return bitmap
    }
  }
#endif
