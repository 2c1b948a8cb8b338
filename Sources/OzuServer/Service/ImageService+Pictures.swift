import Foundation
import Ozu
import OzuHTTP
import OzuSharedStores

/// The way of a request for a picture.
extension ImageService {
  func picture(for request: ServiceRequest) async -> ServiceAnswer {
    let date = configuration.pipeline.currentDate()
    var addressed: AddressedPicture
    do throws(AddressRefusal) {
      addressed = try addressing.picture(for: request, at: date)
    } catch {
      return ServiceAnswer(
        ServiceFailure(status: error.status, reason: error.reason, lifetime: configuration.failureLifetime))
    }
    addressed.request.deadline = min(
      addressed.request.deadline ?? configuration.answerLimit, configuration.answerLimit)
    let question = PictureQuestion(
      addressed, key: pipeline.storeKey(for: addressed.request, as: addressed.output),
      condition: EntityTagCondition(request.headers))
    if let image = pipeline.cachedEncoded(for: addressed.request, as: addressed.output),
      image.source == .memory
    {
      return answer(question, image, .memory)
    }
    let host = question.host
    guard admission.enter(host) else {
      return ServiceAnswer(
        ServiceFailure(status: 503, reason: "the service is busy", retryAfter: configuration.retryAfter),
        kind: .refused)
    }
    defer { admission.leave(host) }
    do throws(ImageError) {
      return try await answer(question)
    } catch {
      var answer = ServiceAnswer(
        ServiceFailure(error, failureLifetime: configuration.failureLifetime), detail: error.description)
      answer.source = addressed.request.source.name
      return answer
    }
  }

  /// The picture, if memory has it.
  func pictureInMemory(for request: ServiceRequest) -> ServiceAnswer? {
    // A refusal is made by the other way, which comes to the same.
    guard let addressed = try? addressing.picture(for: request, at: configuration.pipeline.currentDate()),
      let image = pipeline.cachedEncoded(for: addressed.request, as: addressed.output),
      image.source == .memory
    else { return nil }
    let question = PictureQuestion(
      addressed, key: pipeline.storeKey(for: addressed.request, as: addressed.output),
      condition: EntityTagCondition(request.headers))
    return answer(question, image, .memory)
  }

  private func answer(_ question: PictureQuestion) async throws(ImageError) -> ServiceAnswer {
    if question.condition != nil {
      // A file that a store has needs no question to its origin, and one that none has may need no decoding.
      if let image = await storedImage(question) { return answer(question, image, .store) }
      if let state = try await pipeline.sourceState(of: question.picture.request),
        question.isMet(by: state.identity)
      {
        return unchanged(question, tag: question.tag(of: state.identity), freshUntil: state.freshUntil)
      }
    }
    let image = try await image(question)
    return answer(question, image, image.isNew ? .made : .store)
  }

  /// The file, made once for all who ask for it, here and on the other machines.
  private func image(_ question: PictureQuestion) async throws(ImageError) -> EncodedImage {
    guard let fills else { return try await made(question) }
    return try await sharedFills.value(for: question.key) { [self] in
      if let image = await storedImage(question) { return .success(image) }
      do {
        return .success(
          try await fills.value(for: question.key) {
            await storedImage(question)
          } make: { _ in
            try await made(question)
          } settle: { [pipeline] in
            await pipeline.storesSettled()
          })
      } catch {
        return .failure(error as? ImageError ?? .cancelled(question.picture.request.source.name))
      }
    }.get()
  }

  private func made(_ question: PictureQuestion) async throws(ImageError) -> EncodedImage {
    try await pipeline.encoded(for: question.picture.request, as: question.picture.output)
  }

  /// The file as memory or a store has it, if it may be served without a question to its origin.
  private func storedImage(_ question: PictureQuestion) async -> EncodedImage? {
    var request = question.picture.request
    request.cachePolicy = .cacheOnly
    request.readLayers = [.memory, .renditions]
    let image = try? await pipeline.encoded(for: request, as: question.picture.output)
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
    // A drawing may hold scripts; nothing of it is run, wherever it is opened.
    headers.add(
      name: "Content-Security-Policy", value: "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    if let disposition = question.disposition { headers.add(name: "Content-Disposition", value: disposition) }
    var answer = ServiceAnswer(kind, ServiceResponse(status: 200, headers: headers, body: image.data))
    answer.source = question.picture.request.source.name
    return answer
  }

  private func unchanged(_ question: PictureQuestion, tag: String, freshUntil: Date?) -> ServiceAnswer {
    var answer = ServiceAnswer(
      .unchanged,
      ServiceResponse(status: 304, headers: validators(question, tag: tag, freshUntil: freshUntil)))
    answer.source = question.picture.request.source.name
    return answer
  }

  /// The fields that a 304 has too (RFC 9110 §15.4.5).
  private func validators(_ question: PictureQuestion, tag: String, freshUntil: Date?) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "ETag": tag, "Cache-Control": configuration.cacheControl(freshUntil: freshUntil),
    ]
    if !question.picture.decidingFields.isEmpty {
      headers["Vary"] = question.picture.decidingFields.joined(separator: ", ")
    }
    return headers
  }
}

/// A picture that is asked for, with what is worked out of it once.
private struct PictureQuestion: Sendable {
  /// Grows when the same recipe makes other files than before.
  private static let version = "1"

  let picture: AddressedPicture
  let key: ImageStoreKey
  let condition: EntityTagCondition?

  init(_ picture: AddressedPicture, key: ImageStoreKey, condition: EntityTagCondition?) {
    self.picture = picture
    self.key = key
    self.condition = condition
  }

  /// The host that is to be asked, in lower case; empty where there is none.
  var host: String {
    let url: URL? =
      switch picture.request.source {
      case .url(let url): url
      case .request(let request): request.url
      case .data, .picture, .fetcher: nil
      }
    return url?.host()?.lowercased() ?? ""
  }

  /// The tag of what is made of a source. Weak, because another release of an encoder may write other bytes.
  func tag(of identity: String) -> String { "W/\"\(key.key.derived(identity, Self.version))\"" }

  func isMet(by identity: String) -> Bool { condition?.matches(tag(of: identity)) == true }

  /// `Content-Disposition` (RFC 6266); `nil` where nothing was asked for.
  var disposition: String? {
    guard picture.isAttachment || picture.fileName != nil else { return nil }
    let kind = picture.isAttachment ? "attachment" : "inline"
    guard let name = picture.fileName else { return kind }
    let isPlain = name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { return "\(kind); filename=\"\(name)\"" }
    // RFC 8187.
    let escaped = name.utf8.map { byte -> String in
      let scalar = Unicode.Scalar(byte)
      let isSafe =
        byte < 0x80
        && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte)
          || "-._~".unicodeScalars.contains(scalar))
      return isSafe
        ? String(Character(scalar)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "\(kind); filename*=UTF-8''\(escaped.joined())"
  }
}
