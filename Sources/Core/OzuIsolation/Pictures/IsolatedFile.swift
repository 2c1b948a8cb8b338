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
  private let body: WorkerClient.Body
  private let client: WorkerClient

  /// - Throws: `decoderFailed` for an impossible header.
  init(_ header: ImageHeader, _ body: WorkerClient.Body, _ client: WorkerClient) throws(ImageDecodingError) {
    try body.check(header)
    self.header = header
    self.body = body
    self.client = client
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    let request = PictureRequest(
      .pixels(plan.decodedSize), context, allowance: context.limits.decodedByteCount)
    return try client.ask(request, body, context) { (answer, pixels) throws(ImageDecodingError) in
      guard case .bitmap(let form) = answer, form.size == plan.decodedSize,
        form.format == .bgra8 || form.format == header.pixelFormat(under: context.pixelFormats)
      else { throw body.wrongAnswer("other pixels than were asked for") }
      return try body.bitmap(form, pixels, context.pool)
    }
  }

  func readMetadata() -> ImageMetadata {
    let request = PictureRequest(.metadata, limits: .default)
    do throws(ImageDecodingError) {
      return try client.ask(request, body) { (answer, _) throws(ImageDecodingError) in
        guard case .metadata(var metadata) = answer else { throw body.wrongAnswer("no metadata") }
        if let flaw = metadata.flaw { throw body.wrongAnswer(flaw) }
        metadata.resolution = metadata.resolution?.valid
        return metadata
      }
    } catch {
      return ImageMetadata(notes: ["\(error)"])
    }
  }
}
