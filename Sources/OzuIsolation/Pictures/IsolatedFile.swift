import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file whose header a worker has read. Pictures are made by `IsolatedDecoder.makePicture`; this is for the
/// header, the metadata blocks, and pixels as stored.
final class IsolatedFile: ImageFile {
  let header: ImageHeader
  private let body: DecoderDesk.Body
  private let desk: DecoderDesk

  /// - Throws: `decoderFailed` for an impossible header.
  init(_ header: ImageHeader, _ body: DecoderDesk.Body, _ desk: DecoderDesk) throws(DecodingError) {
    try body.check(header)
    self.header = header
    self.body = body
    self.desk = desk
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
    let question = PictureQuestion(
      .pixels(plan.decodedSize), context, allowance: context.limits.decodedByteCount)
    return try desk.ask(question, body, context) { (answer, pixels) throws(DecodingError) in
      guard case .bitmap(let form) = answer, form.size == plan.decodedSize,
        form.format == .bgra8 || form.format == header.pixelFormat(under: context.pixelFormats)
      else { throw body.wrongAnswer("other pixels than were asked for") }
      return try body.bitmap(form, pixels, context.pool)
    }
  }

  func readMetadata() -> ImageMetadata {
    let question = PictureQuestion(.metadata, limits: .default)
    do throws(DecodingError) {
      return try desk.ask(question, body) { (answer, _) throws(DecodingError) in
        guard case .metadata(let metadata) = answer else { throw body.wrongAnswer("no metadata") }
        return metadata
      }
    } catch {
      return ImageMetadata(notes: ["\(error)"])
    }
  }
}
