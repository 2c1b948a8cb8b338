#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuImaging

  extension ImageIODecoder {
    /// Opens a file that is shown while it comes: those of the formats of which ImageIO shows something before they are
    /// whole.
    ///
    /// Of a beginning ImageIO does not always say that it is one, so that only a file whose header does not come in
    /// 256 KB counts as broken: profiles and previews may stand before the size.
    ///
    /// - Throws: `DecodingError`.
    public func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile {
      guard [.jpeg, .png, .webp].contains(type) else { return .shownWhole }
      do throws(DecodingError) {
        return .opened(try open(data, limits: limits))
      } catch .limitExceeded(let excess) {
        throw .limitExceeded(excess)
      } catch {
        if data.count < 256 << 10 { return .tooShort }
        throw error
      }
    }
  }

  /// A file that ImageIO decodes while it comes. What is not there yet stays transparent.
  ///
  /// `@unchecked Sendable`: `FeedSlot` lets one thread at a time call it.
  final class ImageIOFeed: @unchecked Sendable {
    private let source = CGImageSourceCreateIncremental(nil)
    private let header: ImageHeader
    private let plan: DecodePlan
    private var shownByteCount = 0

    init(header: ImageHeader, plan: DecodePlan) {
      self.header = header
      self.plan = plan
    }

    func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap? {
      guard data.count > shownByteCount else { return nil }
      try context.checkpoint()
      CGImageSourceUpdateData(source, NSData(data: data) as CFData, false)
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
