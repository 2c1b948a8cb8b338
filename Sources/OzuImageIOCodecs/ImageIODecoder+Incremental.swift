#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuImaging

  extension ImageIODecoder: IncrementalDecoding {
    /// The header, once enough is there.
    ///
    /// Of a beginning ImageIO does not always say that it is one, so that only a file whose header does not come in
    /// 256 KB counts as broken: profiles and previews may stand before the size.
    ///
    /// - Throws: `DecodingError`.
    public func header(
      ofPrefix data: Data, limits: DecodingLimits
    ) throws(DecodingError) -> ImageHeader? {
      do throws(DecodingError) {
        return try header(of: data, limits: limits)
      } catch .limitExceeded(let excess) {
        throw .limitExceeded(excess)
      } catch {
        if data.count < 256 << 10 { return nil }
        throw error
      }
    }

    /// Begins a picture that is decoded while its file comes.
    ///
    /// - Returns: `nil` for the formats of which ImageIO shows nothing before they are whole.
    public func incrementalSession(
      of data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> (any IncrementalSession)? {
      switch header.type {
      case .jpeg, .png, .webp: ImageIOIncrementalSession(header: header, plan: plan)
      default: nil
      }
    }
  }

  /// A file that ImageIO decodes while it comes. What is not there yet stays transparent.
  ///
  /// `@unchecked Sendable`: one thread at a time calls it.
  private final class ImageIOIncrementalSession: IncrementalSession, @unchecked Sendable {
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
