import Foundation
import Ozu
import OzuHTTP
import OzuSharedStores

/// Answers a request for a picture.
extension ImageService {
  func picture(for request: ServiceRequest) async -> ServiceAnswer {
    let question: PictureQuestion
    do throws(AddressRefusal) {
      question = try self.question(of: request)
    } catch {
      return ServiceAnswer(
        ServiceFailure(status: error.status, reason: error.reason, lifetime: configuration.failureLifetime))
    }
    if let answer = answerFromMemory(question, to: request) { return answer }
    let host = question.host
    guard admission.enter(host) else { return busyAnswer }
    defer { admission.leave(host) }
    do throws(ImageError) {
      return try await answer(question)
    } catch {
      var answer = ServiceAnswer(
        ServiceFailure(error, failureLifetime: configuration.failureLifetime), detail: error.description)
      answer.source = question.known.sourceName
      return answer
    }
  }

  /// The picture, if it is in memory, or a refusal, if the request would have to wait and there is no place. So a
  /// busy service spends little time on refused requests.
  func immediatePicture(for request: ServiceRequest) -> ServiceAnswer? {
    // An address that is refused here is refused in the same way by `picture(for:)`.
    guard let question = try? question(of: request) else { return nil }
    if let answer = answerFromMemory(question, to: request) { return answer }
    return admission.isFull(for: question.host) ? busyAnswer : nil
  }

  /// The answer to a request for which there is no place.
  var busyAnswer: ServiceAnswer {
    ServiceAnswer(
      ServiceFailure(status: 503, reason: "the service is busy", retryAfter: configuration.retryAfter),
      kind: .refused)
  }

  /// The picture that is requested, remembered or read from the address.
  private func question(of request: ServiceRequest) throws(AddressRefusal) -> PictureQuestion {
    let date = configuration.pipeline.testing.currentDate()
    let condition = EntityTagCondition(request.headers)
    if let known = addresses.picture(for: request, at: date) {
      return PictureQuestion(known: known, isRemembered: true, condition: condition)
    }
    var picture = try addressing.picture(for: request, at: date)
    picture.request.deadline = min(
      picture.request.deadline ?? configuration.answerLimit, configuration.answerLimit)
    let file = pipeline.fileQuestion(for: picture.request, as: picture.output)
    return PictureQuestion(
      known: KnownPicture(picture, file: file), isRemembered: false, condition: condition)
  }

  private func answerFromMemory(_ question: PictureQuestion, to request: ServiceRequest) -> ServiceAnswer? {
    guard let image = pipeline.cachedEncoded(question.known.file), image.source == .memory else { return nil }
    if !question.isRemembered { addresses.remember(question.known, of: request) }
    return answer(question, image, .memory)
  }

  private func answer(_ question: PictureQuestion) async throws(ImageError) -> ServiceAnswer {
    if question.condition != nil {
      // A stored file may need no request to its origin, and if no store has it, decoding may still be unnecessary.
      if let image = await storedImage(question) { return answer(question, image, .store) }
      if let state = try await pipeline.sourceState(of: question.known.picture.request),
        question.isMet(by: state.identity)
      {
        return unchanged(question, tag: question.tag(of: state.identity), freshUntil: state.freshUntil)
      }
    }
    let image = try await image(question)
    return answer(question, image, image.isNew ? .made : .store)
  }

  /// The file, made once for all requests for it, on this machine and on the others.
  private func image(_ question: PictureQuestion) async throws(ImageError) -> EncodedImage {
    guard let fills else { return try await made(question) }
    return try await sharedFills.value(for: question.known.key) { [self] in
      if let image = await storedImage(question) { return .success(image) }
      do {
        return .success(
          try await fills.value(for: question.known.key) {
            await storedImage(question)
          } make: { _ in
            try await made(question)
          } settle: { [pipeline] in
            await pipeline.storesSettled()
          })
      } catch {
        return .failure(error as? ImageError ?? .cancelled(question.known.picture.request.source.name))
      }
    }.get()
  }

  private func made(_ question: PictureQuestion) async throws(ImageError) -> EncodedImage {
    try await pipeline.encoded(for: question.known.picture.request, as: question.known.picture.output)
  }

  /// The file from memory or a store, if it may be served without a request to its origin.
  private func storedImage(_ question: PictureQuestion) async -> EncodedImage? {
    var request = question.known.picture.request
    request.cachePolicy = .cacheOnly
    request.readLayers = [.memory, .renditions]
    let image = try? await pipeline.encoded(for: request, as: question.known.picture.output)
    return image?.source == .stale ? nil : image
  }

  // MARK: Answers

  private func answer(
    _ question: PictureQuestion, _ image: EncodedImage, _ kind: ServiceAnswer.Kind
  ) -> ServiceAnswer {
    let tag = image.sourceIdentity.map(question.tag) ?? image.entityTag
    let freshUntil = image.allowsStoring ? image.freshUntil ?? .distantFuture : nil
    if question.condition?.matches(tag) == true {
      return unchanged(question, tag: tag, freshUntil: freshUntil)
    }
    var headers = validators(question, tag: tag, freshUntil: freshUntil)
    headers.add(name: "Content-Type", value: image.type.mediaType)
    headers.add(name: "X-Content-Type-Options", value: "nosniff")
    // A drawing may contain scripts. None of them may run, wherever the file is opened.
    headers.add(
      name: "Content-Security-Policy", value: "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    if let disposition = question.known.disposition {
      headers.add(name: "Content-Disposition", value: disposition)
    }
    var answer = ServiceAnswer(kind, ServiceResponse(status: 200, headers: headers, body: image.data))
    answer.source = question.known.sourceName
    return answer
  }

  private func unchanged(_ question: PictureQuestion, tag: String, freshUntil: Date?) -> ServiceAnswer {
    var answer = ServiceAnswer(
      .unchanged,
      ServiceResponse(status: 304, headers: validators(question, tag: tag, freshUntil: freshUntil)))
    answer.source = question.known.sourceName
    return answer
  }

  /// The fields that a 304 has too (RFC 9110 §15.4.5).
  private func validators(_ question: PictureQuestion, tag: String, freshUntil: Date?) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "ETag": tag, "Cache-Control": configuration.cacheControl(freshUntil: freshUntil),
    ]
    if !question.known.vary.isEmpty {
      headers["Vary"] = question.known.vary
    }
    return headers
  }
}

/// A request for a picture, with everything that was found out about it.
private struct PictureQuestion: Sendable {
  /// Must change when the same recipe makes other files than before.
  private static let version = "1"

  let known: KnownPicture
  /// Whether the address was remembered, so that it need not be read.
  let isRemembered: Bool
  let condition: EntityTagCondition?

  /// The host of the source, in lower case; empty if there is none.
  var host: String {
    let url: URL? =
      switch known.picture.request.source {
      case .url(let url): url
      case .request(let request): request.url
      case .data, .picture, .fetcher: nil
      }
    return url?.host()?.lowercased() ?? ""
  }

  /// The tag of the result made from a source. It is weak, because another version of an encoder may write other
  /// bytes.
  func tag(of identity: String) -> String { "W/\"\(known.key.key.derived(identity, Self.version))\"" }

  func isMet(by identity: String) -> Bool { condition?.matches(tag(of: identity)) == true }
}
