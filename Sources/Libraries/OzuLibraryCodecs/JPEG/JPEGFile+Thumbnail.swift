import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JPEGFile {
  /// Decodes the thumbnail in the EXIF data, which is a JPEG of its own (CIPA DC-008 §4.5.5).
  ///
  /// - Throws: only `cancelled` and `limitExceeded`.
  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard header.metadata?.hasThumbnail == true, let range = EXIFThumbnail.range(inJPEG: data.span) else {
      return nil
    }
    let bytes = data.subdata(in: data.startIndex + range.lowerBound..<data.startIndex + range.upperBound)
    do throws(ImageDecodingError) {
      let outline = try JPEGOutline(bytes, limits: context.limits)
      var own = outline.header
      guard own.storedSize.width >= smallest.width, own.storedSize.height >= smallest.height,
        own.colorModel == header.colorModel
      else { return nil }
      try context.limits.check(own)
      // It has the colours of the picture, but rarely declares them.
      own.colorEncoding = header.colorEncoding
      own.orientation = .up
      let file = JPEGFile(bytes, outline, header: own)
      let plan = DecodePlan(of: file, resize: nil, context: context)
      try context.limits.checkDecodedByteCount(plan.byteCount)
      // Nothing else has been decoded yet.
      try context.reserve(atLeast: plan.byteCount)
      return try file.decode(plan, context: context)
    } catch {
      switch error {
      case .cancelled, .limitExceeded: throw error
      default: return nil
      }
    }
  }
}
