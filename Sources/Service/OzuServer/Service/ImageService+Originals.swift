import Ozu
import OzuBase
import OzuHTTP
import OzuImaging

/// Answers that need the source itself.
extension ImageService {
  /// What is to be done with a source that was fetched.
  func verdict(
    on original: ImagePipeline.Original, for pictureRequest: PictureRequest
  ) async throws(ImageError) -> SourceVerdict {
    let picture = pictureRequest.known.picture
    guard picture.needsSource, let data = original.data else { return .picture }
    if let flaw = picture.limits.flaw(ofByteCount: data.count) { return .refused(flaw) }
    guard picture.needsHeader else { return picture.isOriginal ? .original : .picture }
    var file = ImageRequest(.data(data))
    (file.writeLayers, file.deadline) = ([], pictureRequest.request.deadline)
    return picture.verdict(on: try await pipeline.header(for: file))
  }

  func answer(
    _ pictureRequest: PictureRequest, _ original: ImagePipeline.Original
  ) throws(ImageError) -> ServiceAnswer {
    guard let data = original.data else { throw .emptyData(pictureRequest.known.sourceName) }
    let known = pictureRequest.known
    let tag = original.state.map { pictureRequest.tag(of: $0.identity, "original") }
    let freshUntil = original.allowsStoring ? original.state?.freshUntil ?? .distantFuture : nil
    let headers = validators(known, tag: tag, freshUntil: freshUntil)
    if let tag, pictureRequest.condition?.matches(tag) == true {
      return known.sourced(ServiceAnswer(.unchanged, ServiceResponse(status: 304, headers: headers)))
    }
    var all = headers
    if case .image(let type) = ContentKind(sniffing: data) {
      for field in Self.bodyHeaders(of: type) { all.add(name: field.name, value: field.value) }
      if let disposition = known.disposition(of: type) { all["Content-Disposition"] = disposition }
    } else {
      // What is no picture is shown by no browser under the name of this service.
      for field in Self.bodyHeaders(ofMediaType: "application/octet-stream") {
        all.add(name: field.name, value: field.value)
      }
      all["Content-Disposition"] = "attachment"
    }
    return known.sourced(
      ServiceAnswer(.store, ServiceResponse(status: 200, headers: all, body: data)))
  }
}

/// What is to be done with a source, by what its address demands of it.
enum SourceVerdict: Equatable {
  /// A picture is made of it.
  case picture
  /// It is the answer.
  case original
  /// It is not allowed, for this reason.
  case refused(String)
}

extension AddressedPicture {
  /// Whether the source is looked at before, or instead of, making a picture of it.
  var needsSource: Bool { isOriginal || !originalTypes.isEmpty || limits != SourceLimits() }

  /// Whether its header is needed. What is sent as it is in any case need not be a picture.
  var needsHeader: Bool { !isOriginal && (limits.needsHeader || !originalTypes.isEmpty) }

  func verdict(on header: ImageHeader) -> SourceVerdict {
    if let flaw = limits.flaw(of: header) { return .refused(flaw) }
    return isOriginal || originalTypes.contains(header.type) ? .original : .picture
  }

  /// The verdict on the source of a file that was made, which is known without a look at the source.
  func verdict(on image: EncodedImage) -> SourceVerdict {
    if let flaw = limits.flaw(ofByteCount: image.sourceByteCount) { return .refused(flaw) }
    return image.header.map { verdict(on: $0) } ?? .picture
  }
}

extension KnownPicture {
  fileprivate func sourced(_ answer: ServiceAnswer) -> ServiceAnswer {
    var answer = answer
    answer.source = sourceName
    return answer
  }
}
