import Ozu
import OzuBase
import OzuHTTP
import OzuImaging

/// Answers that need the source itself.
extension ImageService {
  /// The answer for an address that wants the source as it is, or whose source is not what the address demands; `nil` where
  /// a picture is to be made.
  func originalAnswer(to pictureRequest: PictureRequest) async throws(ImageError) -> ServiceAnswer? {
    let picture = pictureRequest.known.picture
    guard picture.needsSource else { return nil }
    var isOriginal = picture.isOriginal
    if !isOriginal, picture.limits.needsHeader || !picture.originalTypes.isEmpty {
      let header = try await pipeline.header(for: pictureRequest.request)
      if let flaw = picture.limits.flaw(of: header) { return refusal(of: pictureRequest, flaw) }
      isOriginal = picture.originalTypes.contains(header.type)
    }
    guard isOriginal || picture.limits.byteCount != nil else { return nil }
    let original = try await pipeline.original(of: pictureRequest.request)
    if let most = picture.limits.byteCount, original.data.count > most {
      return refusal(of: pictureRequest, "the file has more bytes than the address allows")
    }
    return isOriginal ? answer(pictureRequest, original) : nil
  }

  private func refusal(of pictureRequest: PictureRequest, _ reason: String) -> ServiceAnswer {
    var answer = ServiceAnswer(
      ServiceFailure(status: 422, reason: reason, lifetime: configuration.failureLifetime))
    answer.source = pictureRequest.known.sourceName
    return answer
  }

  private func answer(
    _ pictureRequest: PictureRequest, _ original: ImagePipeline.Original
  ) -> ServiceAnswer {
    let known = pictureRequest.known
    let tag = original.state.map { pictureRequest.tag(of: $0.identity, "original") }
    let freshUntil = original.allowsStoring ? original.state?.freshUntil ?? .distantFuture : nil
    let headers = validators(known, tag: tag, freshUntil: freshUntil)
    if let tag, pictureRequest.condition?.matches(tag) == true {
      return known.sourced(ServiceAnswer(.unchanged, ServiceResponse(status: 304, headers: headers)))
    }
    var all = headers
    if case .image(let type) = ContentKind(sniffing: original.data) {
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
      ServiceAnswer(.store, ServiceResponse(status: 200, headers: all, body: original.data)))
  }
}

extension KnownPicture {
  fileprivate func sourced(_ answer: ServiceAnswer) -> ServiceAnswer {
    var answer = answer
    answer.source = sourceName
    return answer
  }
}
