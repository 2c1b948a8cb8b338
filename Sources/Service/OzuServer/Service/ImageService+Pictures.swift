import Ozu
import OzuBase
import OzuHTTP
import OzuSharedStores

extension ImageService {
  func picture(for request: ServiceRequest) async -> ServiceAnswer {
    do throws(AddressRefusal) {
      return await picture(try pictureRequest(of: request), for: request)
    } catch {
      return ServiceAnswer(error)
    }
  }

  func picture(_ pictureRequest: PictureRequest, for request: ServiceRequest) async -> ServiceAnswer {
    if let answer = answerFromMemory(pictureRequest, to: request) { return answer }
    let origin = pictureRequest.origin
    guard admission.enter(origin) else { return busyAnswer }
    defer { admission.leave(origin) }
    let (known, request) = (pictureRequest.known, pictureRequest.known.picture.request)
    if let refusal = pipeline.refusal(of: request, for: known.demand) {
      return await failedAnswer(to: pictureRequest, refusal, failure(refusal))
    }
    do throws(ImageError) {
      return try await answer(pictureRequest)
    } catch {
      return await failedAnswer(to: pictureRequest, error, newFailure(error, of: request, for: known.demand))
    }
  }

  private func failedAnswer(
    to pictureRequest: PictureRequest, _ error: ImageError, _ failure: ServiceFailure
  ) async -> ServiceAnswer {
    var answer =
      await fallbackAnswer(to: pictureRequest, failure)
      ?? ServiceAnswer(kept(failure, until: pictureRequest.known.picture.expiry))
    answer.failure = error.description
    answer.source = pictureRequest.known.sourceName
    return answer
  }

  /// The picture, if it is in memory, or a refusal, if the request would have to wait and there is no place. So a
  /// busy service spends little time on refused requests.
  func immediateAnswer(to pictureRequest: PictureRequest, for request: ServiceRequest) -> ServiceAnswer? {
    if let answer = answerFromMemory(pictureRequest, to: request) { return answer }
    return admission.isFull(for: pictureRequest.origin) ? busyAnswer : nil
  }

  /// The answer to a request for which there is no place.
  var busyAnswer: ServiceAnswer {
    ServiceAnswer(
      ServiceFailure(status: 503, reason: "the service is busy", retryAfter: configuration.retryAfter),
      kind: .refused)
  }

  /// The picture that is requested, remembered or read from the address.
  func pictureRequest(of request: ServiceRequest) throws(AddressRefusal) -> PictureRequest {
    let date = configuration.pipeline.testing.currentDate()
    let start = configuration.pipeline.testing.now()
    let condition = EntityTagCondition(request.headers)
    let grammar = currentGrammar
    if let known = addresses.picture(for: request, at: date, grammar: grammar.number) {
      return PictureRequest(
        known: known, isRemembered: true, grammar: grammar.number, condition: condition,
        trace: trace(of: request), start: start)
    }
    var picture = try grammar.addressing.picture(for: request, at: date)
    picture.request.deadline = min(
      picture.request.deadline ?? configuration.answerLimit, configuration.answerLimit)
    let file = pipeline.fileRequest(for: picture.request, as: picture.output)
    return PictureRequest(
      known: KnownPicture(picture, file: file), isRemembered: false, grammar: grammar.number,
      condition: condition, trace: trace(of: request), start: start)
  }

  /// The trace that requests to origins continue.
  func trace(of request: ServiceRequest) -> TraceContext? {
    configuration.continuesTraces ? request.trace : nil
  }

  private func answerFromMemory(_ pictureRequest: PictureRequest, to request: ServiceRequest)
    -> ServiceAnswer?
  {
    let picture = pictureRequest.known.picture
    guard !picture.isOriginal, let image = pipeline.cachedEncoded(pictureRequest.known.file),
      image.source == .memory, picture.verdict(on: image) == .picture
    else { return nil }
    if !pictureRequest.isRemembered {
      addresses.remember(pictureRequest.known, of: request, grammar: pictureRequest.grammar)
    }
    return answer(pictureRequest, image, .memory)
  }

  private func answer(_ pictureRequest: PictureRequest) async throws(ImageError) -> ServiceAnswer {
    let picture = pictureRequest.known.picture
    guard pictureRequest.condition != nil || picture.needsSource else {
      return answer(pictureRequest, try await image(pictureRequest, from: nil))
    }
    // A stored file may need no request to its origin, and if no store has it, decoding may still be unnecessary.
    let kept = picture.isOriginal ? nil : await keptImage(pictureRequest)
    if let kept, kept.source != .stale {
      switch picture.verdict(on: kept) {
      case .picture: return answer(pictureRequest, kept, .store)
      case .refused(let flaw): throw .flawed(picture.request.source, flaw)
      case .original: break
      }
    }
    // The source is fetched once, whatever is done with it.
    let original: FetchedOriginal
    do throws(ImageError) {
      original = try await pipeline.original(
        of: step(of: pictureRequest), mayBeNoPicture: picture.isOriginal)
    } catch {
      // As without a condition: a lost origin takes no picture away that may be served without it.
      guard error.isDisconnection, let kept, kept.mayUseOffline, picture.verdict(on: kept) == .picture else {
        throw error
      }
      return answer(pictureRequest, kept, .store)
    }
    switch try await verdict(on: original, for: pictureRequest) {
    case .refused(let flaw): throw .flawed(picture.request.source, flaw)
    case .original: return try answer(pictureRequest, original)
    case .picture: break
    }
    if let state = original.state, pictureRequest.isMet(by: state.identity) {
      return unchanged(
        pictureRequest, tag: pictureRequest.tag(of: state.identity), freshUntil: state.freshUntil)
    }
    return answer(pictureRequest, try await image(pictureRequest, from: original))
  }

  /// The request for a step that begins now.
  private func step(of pictureRequest: PictureRequest) -> ImageRequest {
    pictureRequest.request(at: configuration.pipeline.testing.now())
  }

  private func answer(_ pictureRequest: PictureRequest, _ image: EncodedImage) -> ServiceAnswer {
    answer(pictureRequest, image, image.isNew ? .made : .store)
  }

  /// The file, made once for all requests for it, on this machine and on the others.
  ///
  /// - Parameter original: its source, if that was fetched already.
  private func image(
    _ pictureRequest: PictureRequest, from original: FetchedOriginal?
  ) async throws(ImageError) -> EncodedImage {
    guard let fills else { return try await made(pictureRequest, from: original) }
    let cancelled = ImageError.cancelled(pictureRequest.known.picture.request.source.name)
    return try await sharedFills.value(
      for: pictureRequest.known.key, cancelled: .failure(cancelled)
    ) { [self] in
      if let image = await storedImage(pictureRequest) { return .success(image) }
      do {
        return .success(
          try await fills.value(for: pictureRequest.known.key) {
            await storedImage(pictureRequest)
          } make: { _ in
            try await made(pictureRequest, from: original)
          } settle: { [pipeline] in
            await pipeline.storesSettled()
          })
      } catch {
        return .failure(error as? ImageError ?? cancelled)
      }
    }.get()
  }

  private func made(
    _ pictureRequest: PictureRequest, from original: FetchedOriginal?
  ) async throws(ImageError) -> EncodedImage {
    let (request, output) = (step(of: pictureRequest), pictureRequest.known.picture.output)
    do throws(ImageError) {
      let image =
        if let original {
          try await pipeline.encoded(for: request, as: output, from: original)
        } else {
          try await pipeline.encoded(for: request, as: output)
        }
      if image.isNew { metrics.note(image.timings, of: image.type) }
      return image
    } catch {
      if let failure = error.decoderFailure { metrics.note(failure) }
      throw error
    }
  }

  /// The file from memory or a store, if it may be served without a request to its origin.
  private func storedImage(_ pictureRequest: PictureRequest) async -> EncodedImage? {
    let image = await keptImage(pictureRequest)
    return image?.source == .stale ? nil : image
  }

  /// The file from memory or a store, fresh or stale.
  private func keptImage(_ pictureRequest: PictureRequest) async -> EncodedImage? {
    var request = pictureRequest.known.picture.request
    // Others ask for their source in any case.
    guard request.cachePolicy == .useCaches || request.cachePolicy == .cacheOnly else { return nil }
    request.cachePolicy = .cacheOnly
    request.readLayers.formIntersection([.memory, .renditions])
    return try? await pipeline.encoded(for: request, as: pictureRequest.known.picture.output)
  }

  // MARK: Answers

  private func answer(
    _ pictureRequest: PictureRequest, _ image: EncodedImage, _ kind: ServiceAnswer.Kind
  ) -> ServiceAnswer {
    let tag = image.sourceIdentity.map { pictureRequest.tag(of: $0) } ?? image.entityTag
    let freshUntil = image.allowsStoring ? image.freshUntil ?? .distantFuture : nil
    if pictureRequest.condition?.matches(tag) == true {
      return unchanged(pictureRequest, tag: tag, freshUntil: freshUntil)
    }
    var headers = validators(pictureRequest.known, tag: tag, freshUntil: freshUntil)
    for field in Self.bodyHeaders(of: image.type) { headers.add(name: field.name, value: field.value) }
    if let disposition = pictureRequest.known.disposition(of: image.type) {
      headers.add(name: "Content-Disposition", value: disposition)
    }
    var answer = ServiceAnswer(
      kind, ServiceResponse(status: 200, headers: headers, body: image.data),
      source: pictureRequest.known.sourceName)
    if image.isNew { answer.timings = image.timings }
    if kind == .made { answer.notes = image.notes }
    return answer
  }

  /// The fields about the body of an answer.
  static func bodyHeaders(of type: ImageType) -> HTTPHeaders { bodyHeaders(ofMediaType: type.mediaType) }

  static func bodyHeaders(ofMediaType type: String) -> HTTPHeaders {
    [
      "Content-Type": type, "X-Content-Type-Options": "nosniff",
      // A drawing may contain scripts. None of them may run, wherever the file is opened.
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ]
  }

  private func unchanged(_ pictureRequest: PictureRequest, tag: String, freshUntil: Date?) -> ServiceAnswer {
    ServiceAnswer(
      .unchanged,
      ServiceResponse(
        status: 304, headers: validators(pictureRequest.known, tag: tag, freshUntil: freshUntil)),
      source: pictureRequest.known.sourceName)
  }

  /// The fields that a 304 has too (RFC 9110 §15.4.5).
  func validators(_ known: KnownPicture, tag: String?, freshUntil: Date?) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Cache-Control": configuration.cacheControl(freshUntil: freshUntil, end: known.picture.expiry)
    ]
    if let tag { headers["ETag"] = tag }
    if !known.vary.isEmpty { headers["Vary"] = known.vary }
    return headers
  }

  /// The answer with the fallback; `nil` without one, and if it cannot be made with these options.
  func fallbackAnswer(to pictureRequest: PictureRequest, _ failure: ServiceFailure) async -> ServiceAnswer? {
    guard let fallback = configuration.fallback, fallback.answers(failure) else { return nil }
    let picture = pictureRequest.known.picture
    var request = ImageRequest(
      fallback.source, resize: picture.request.resize, processors: picture.request.processors)
    request.deadline = picture.request.deadline
    guard let image = try? await pipeline.encoded(for: request, as: picture.output) else { return nil }
    var headers = Self.bodyHeaders(of: image.type)
    headers["Cache-Control"] = configuration.cacheControl(of: fallback, end: picture.expiry)
    if !pictureRequest.known.vary.isEmpty { headers["Vary"] = pictureRequest.known.vary }
    return ServiceAnswer(
      .failed, ServiceResponse(status: fallback.status ?? failure.status, headers: headers, body: image.data))
  }
}

/// Answers that need the source itself.
extension ImageService {
  /// What is to be done with a source that was fetched.
  func verdict(
    on original: FetchedOriginal, for pictureRequest: PictureRequest
  ) async throws(ImageError) -> SourceVerdict {
    let picture = pictureRequest.known.picture
    guard picture.needsSource, let data = original.data else { return .picture }
    if let flaw = picture.limits.flaw(ofByteCount: data.count) { return .refused(flaw) }
    guard picture.needsHeader else { return picture.isOriginal ? .original : .picture }
    var file = ImageRequest(.data(data))
    (file.writeLayers, file.deadline) = ([], step(of: pictureRequest).deadline)
    return picture.verdict(on: try await pipeline.header(for: file))
  }

  func answer(
    _ pictureRequest: PictureRequest, _ original: FetchedOriginal
  ) throws(ImageError) -> ServiceAnswer {
    guard let data = original.data else { throw .emptyData(pictureRequest.known.sourceName) }
    let known = pictureRequest.known
    let tag = original.state.map { pictureRequest.tag(of: $0.identity, "original") }
    let freshUntil = original.allowsStoring ? original.state?.freshUntil ?? .distantFuture : nil
    if let tag, pictureRequest.condition?.matches(tag) == true {
      return unchanged(pictureRequest, tag: tag, freshUntil: freshUntil)
    }
    var headers = validators(known, tag: tag, freshUntil: freshUntil)
    let type: ImageType? = if case .image(let found) = ContentKind(sniffing: data) { found } else { nil }
    for field in Self.bodyHeaders(ofMediaType: type?.mediaType ?? "application/octet-stream") {
      headers.add(name: field.name, value: field.value)
    }
    if let disposition = known.disposition(of: type) { headers["Content-Disposition"] = disposition }
    return ServiceAnswer(
      .store, ServiceResponse(status: 200, headers: headers, body: data), source: known.sourceName)
  }
}

/// A request for a picture, with everything that was found out about it.
struct PictureRequest: Sendable {
  /// Must change when the same recipe makes other files than before.
  private static let version = "1"

  let known: KnownPicture
  /// Whether the address was remembered, so that it need not be read.
  let isRemembered: Bool
  /// The number of the grammar that has read the address.
  let grammar: Int
  let condition: EntityTagCondition?
  /// The trace that requests to origins continue; `nil` for none.
  let trace: TraceContext?
  /// When it was read. The time limit of the answer counts from then on.
  let start: ContinuousClock.Instant

  /// The request for the picture, which continues the trace at an origin on the web. An answer may take several steps, so each has
  /// the time that is left.
  func request(at now: ContinuousClock.Instant) -> ImageRequest {
    var request = known.picture.request.continuing(trace)
    if let limit = request.deadline { request.deadline = max(.zero, limit - start.duration(to: now)) }
    return request
  }

  var origin: HTTPOrigin? { known.picture.request.source.url.flatMap { try? HTTPOrigin(of: $0) } }

  /// The tag of the result made from a source. It is weak, because another version of an encoder may write other
  /// bytes.
  ///
  /// - Parameter variant: tells results of the same recipe apart.
  func tag(of identity: String, _ variant: String = "") -> String {
    "W/\"\(known.key.key.derived(identity, Self.version + variant))\""
  }

  func isMet(by identity: String) -> Bool { condition?.matches(tag(of: identity)) == true }
}

extension ImageRequest {
  /// The request, with the field of a trace if its source is on the web. Such a field is no part of the picture's identity.
  func continuing(_ trace: TraceContext?) -> ImageRequest {
    guard let trace, let scheme = source.url?.scheme?.lowercased(), scheme == "http" || scheme == "https"
    else {
      return self
    }
    var request = self
    request.headers[TraceContext.field] = trace.continued
    return request
  }
}

/// The field `If-None-Match` of a request (RFC 9110 §13.1.2).
struct EntityTagCondition {
  private let tags: [String]
  private let isAny: Bool

  /// The condition of a request; `nil` for a request without one. A malformed condition matches nothing.
  init?(_ headers: HTTPHeaders) {
    let values = headers.values(for: "If-None-Match")
    guard !values.isEmpty else { return nil }
    isAny = values == ["*"]
    tags = values.flatMap(Self.opaqueTags)
  }

  /// Whether the condition contains a tag, by the weak comparison (§8.8.3.2).
  func matches(_ tag: String) -> Bool {
    isAny || Self.opaqueTags(in: tag).contains(where: tags.contains)
  }

  /// The tags of a list with their quotes and without `W/`. A tag may contain a comma.
  private static func opaqueTags(in value: String) -> [String] {
    var tags: [String] = []
    var start: String.Index?
    for index in value.indices where value[index] == "\"" {
      if let first = start {
        tags.append(String(value[first...index]))
        start = nil
      } else {
        start = index
      }
    }
    return tags
  }
}
