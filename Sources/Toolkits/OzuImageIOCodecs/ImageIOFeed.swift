#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuImaging

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
  final class ImageIOFeed: @unchecked Sendable {
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
