import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JPEGDecoder: EmbeddedThumbnailDecoding {
  /// Decodes the thumbnail in the EXIF data, a JPEG of its own (CIPA DC-008 §4.5.5).
  ///
  /// - Throws: `cancelled` and `limitExceeded` alone.
  public func embeddedThumbnail(
    of data: Data, header: ImageHeader, atLeast smallest: PixelSize, context: DecodingContext
  ) throws(DecodingError) -> Bitmap? {
    guard header.metadata?.hasThumbnail == true, let range = EXIFThumbnail.range(inJPEG: data.span) else {
      return nil
    }
    let file = data.subdata(in: data.startIndex + range.lowerBound..<data.startIndex + range.upperBound)
    do throws(DecodingError) {
      var thumbnail = try self.header(of: file, limits: context.limits)
      guard thumbnail.storedSize.width >= smallest.width, thumbnail.storedSize.height >= smallest.height,
        thumbnail.colorModel == header.colorModel
      else { return nil }
      try context.limits.check(thumbnail)
      // It has the colours of the picture, and rarely says so.
      thumbnail.colorEncoding = header.colorEncoding
      thumbnail.orientation = .up
      let plan = DecodePlan(header: thumbnail, resize: nil)
      try context.limits.checkDecodedByteCount(plan.decodedByteCount)
      return try decode(file, header: thumbnail, plan: plan, context: context)
    } catch {
      switch error {
      case .cancelled, .limitExceeded: throw error
      default: return nil
      }
    }
  }
}
