import OzuBase

/// The answer of an origin to a request for only the beginning of a body.
package enum HTTPPrefixAnswer: Sendable {
  /// The whole body, or an answer without it.
  case answer(HTTPCachedResponse)
  /// A part of the body, from its first byte on.
  case part(HTTPBodyPart)
}

/// The first bytes of a body, and the facts that are needed to ask for more.
package struct HTTPBodyPart: Sendable {
  /// The answer, as if the body ended with these bytes.
  fileprivate let answer: HTTPOriginAnswer
  /// Whether the origin sends ranges. Otherwise only the whole body can be requested.
  package let hasRanges: Bool

  /// The head of the whole response.
  package var head: HTTPResponseHead { answer.head }
  /// The first bytes.
  package var body: Data { answer.body.data }

  /// The length of the whole body, if it is known.
  package var totalByteCount: Int? { head.contentLength }

  /// The value of `If-Range`; nil if ranges of two states of the resource could be mixed.
  fileprivate var validator: String? {
    HTTPStoredResponse(
      status: head.status, headers: head.headers, url: head.url, requestDate: answer.requestDate,
      responseDate: answer.responseDate
    ).rangeValidator
  }

  /// Whether an answer has bytes of the same state of the resource. An origin that does not know `If-Range` sends those of any.
  fileprivate func isContinued(by other: HTTPResponseHead, total: Int?) -> Bool {
    guard total == nil || totalByteCount == nil || total == totalByteCount else { return false }
    let tag = head.headers.first("ETag")
    guard tag == nil else { return other.headers.first("ETag") == tag }
    let date = other.headers.first("Last-Modified")
    return date == nil || date == head.headers.first("Last-Modified")
  }
}

extension HTTPCacheExchange {
  /// Requests the first bytes of a body. If the origin does not send ranges, the transfer is stopped after
  /// `maximum` bytes.
  ///
  /// Nothing is stored; `keep` stores it.
  ///
  /// - Throws: `HTTPError`, after retries.
  package func beginning(
    _ originRequest: OriginRequest, byteCount: Int, maximum: Int
  ) async throws(HTTPError) -> HTTPPrefixAnswer {
    let prefix = HTTPBodyPrefix(limit: maximum)
    let requestDate = cache.configuration.currentDate()
    let result: HTTPOriginAnswer
    do throws(HTTPError) {
      result = try await ranged(0..<byteCount, validator: nil, prefix)
    } catch {
      guard case .refused = error.reason, let (head, body) = prefix.cutOff, head.status == 200,
        !head.hasContentCoding
      else { throw error }
      let answer = HTTPOriginAnswer(
        request: request, head: head, body: .init(data: body), requestDate: requestDate,
        responseDate: cache.configuration.currentDate(), redirectsFreshUntil: nil)
      return .part(HTTPBodyPart(answer: answer, hasRanges: false))
    }
    guard result.head.status == 206 else {
      // No coding is offered with a range, so nothing decodes this body; that of a request for the whole is decoded.
      guard result.head.status != 200 || !result.head.hasContentCoding else {
        throw HTTPError(.refused("it is encoded"), url: result.head.url)
      }
      return .answer(await received(result, originRequest.decision, replacing: nil))
    }
    guard let range = ContentRange(result.head.headers.first("Content-Range") ?? ""), range.first == 0,
      result.body.data.count == range.byteCount, !result.head.hasContentCoding
    else { throw HTTPError(.refused("a range was asked for, and it is another"), url: result.head.url) }
    var (asked, head) = (result.request, result.head)
    asked.headers.remove(name: "Range")
    head.status = 200
    head.headers.remove(name: "Content-Range")
    head.headers["Content-Length"] = range.total.map(String.init)
    return await answer(
      HTTPOriginAnswer(
        request: asked, head: head, body: result.body, requestDate: result.requestDate,
        responseDate: result.responseDate, redirectsFreshUntil: result.redirectsFreshUntil), originRequest)
  }

  /// Requests the bytes that follow a part, until `end`.
  ///
  /// - Returns: the longer part, or the answer if it has the whole body; nil if there is nothing to request, or as
  ///   `bytes` returns it.
  package func extended(
    _ part: HTTPBodyPart, to end: Int, _ originRequest: OriginRequest
  ) async throws(HTTPError) -> HTTPPrefixAnswer? {
    guard part.body.count < end, let rest = try await bytes(part.body.count..<end, of: part) else {
      return nil
    }
    let old = part.answer
    let longer = HTTPOriginAnswer(
      request: old.request, head: old.head, body: .init(data: part.body + rest), requestDate: old.requestDate,
      responseDate: old.responseDate, redirectsFreshUntil: old.redirectsFreshUntil)
    let answer = await answer(longer, originRequest)
    // The beginning that was kept is not continued: there is no rest.
    if case .answer = answer { await storage.setPartialBody(nil, for: key) }
    return answer
  }

  /// The answer if these bytes are the whole body, otherwise a part.
  private func answer(_ result: HTTPOriginAnswer, _ originRequest: OriginRequest) async -> HTTPPrefixAnswer {
    let byteCount = result.body.data.count
    guard result.head.contentLength == byteCount, byteCount <= request.maximumBodyByteCount else {
      return .part(HTTPBodyPart(answer: result, hasRanges: true))
    }
    return .answer(await received(result, originRequest.decision, replacing: nil))
  }

  /// Requests other bytes of the same body.
  ///
  /// - Returns: nil if the resource has changed, or if the origin does not send exactly this range.
  package func bytes(_ range: Range<Int>, of part: HTTPBodyPart) async throws(HTTPError) -> Data? {
    guard part.hasRanges, let validator = part.validator, !range.isEmpty else { return nil }
    do throws(HTTPError) {
      let result = try await ranged(range, validator: validator, HTTPBodyPrefix(limit: range.count))
      guard result.head.status == 206, !result.head.hasContentCoding,
        let sent = ContentRange(result.head.headers.first("Content-Range") ?? ""),
        sent.first == range.lowerBound,
        part.isContinued(by: result.head, total: sent.total),
        result.body.data.count == sent.byteCount
      else { return nil }
      return result.body.data
    } catch {
      if case .refused = error.reason { return nil }
      throw error
    }
  }

  /// Stores the beginning, like that of a transfer that broke off, so that the request for the whole body continues
  /// it.
  package func keep(_ part: HTTPBodyPart) async {
    guard request.method == .get, mode != .noStore,
      part.body.count >= cache.configuration.minimumPartialByteCount,
      policy.reasonNotToStore(part.head, for: request, mode: mode) == nil
    else { return }
    var hop = request
    hop.url = part.head.url
    var response = policy.stored(
      part.head, for: hop, requestDate: part.answer.requestDate, responseDate: part.answer.responseDate)
    response.url = cache.known(response.url)
    guard let partial = HTTPPartialBody(response: response, body: part.body) else { return }
    await storage.setPartialBody(partial, for: key)
  }

  /// The stored beginning of the body from an earlier transfer; nil if there is none.
  package func storedPrefix() async -> Data? { await storage.partialBody(for: key)?.body }

  private func ranged(
    _ range: Range<Int>, validator: String?, _ prefix: HTTPBodyPrefix
  ) async throws(HTTPError) -> HTTPOriginAnswer {
    var exchange = self
    exchange.request.headers["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    if let validator { exchange.request.headers["If-Range"] = validator }
    exchange.onProgress = nil
    exchange.prefix = prefix
    let origin = HTTPOriginExchange(exchange: exchange, stored: [], choice: nil, resumes: false)
    return try await origin.run(isRetried: { _ in true })
  }
}

/// The first bytes of a response of which no more are needed. One lock guards them: the transport writes, and the exchange
/// reads afterwards.
final class HTTPBodyPrefix: Sendable {
  private struct State {
    var head: HTTPResponseHead?
    var body = Data()
    var isCutOff = false
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// The head and the first bytes of a response that was longer; nil for one that was not cut off.
  var cutOff: (head: HTTPResponseHead, body: Data)? {
    state.withLock { state in state.isCutOff ? state.head.map { ($0, state.body) } : nil }
  }

  func begin(_ head: HTTPResponseHead) {
    state.withLock { $0 = State(head: head) }
  }

  /// - Throws: unless all of the bytes fit, which ends the transfer.
  func append(_ bytes: RawSpan) throws(HTTPError) {
    let isCutOff = state.withLock { state in
      let count = min(bytes.byteCount, limit - state.body.count)
      bytes.withUnsafeBytes { state.body.append(contentsOf: $0.prefix(count)) }
      state.isCutOff = count < bytes.byteCount
      return state.isCutOff
    }
    if isCutOff { throw HTTPError(.refused("no more of it is needed")) }
  }
}
