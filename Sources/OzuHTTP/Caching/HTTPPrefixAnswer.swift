#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The answer of an origin to a request for only the beginning of a body.
package enum HTTPPrefixAnswer: Sendable {
  /// The whole body, or an answer without it.
  case answer(HTTPCachedResponse)
  /// A part of the body, from its first byte on.
  case part(HTTPBodyPart)
}

/// The first bytes of a body, and the facts that are needed to ask for more.
package struct HTTPBodyPart: Sendable {
  /// The head of the whole response.
  package let head: HTTPResponseHead
  /// The first bytes.
  package let body: Data
  /// Whether the origin sends ranges. Otherwise only the whole body can be requested.
  package let hasRanges: Bool
  fileprivate let dates: (request: Date, response: Date)

  /// The length of the whole body, if it is known.
  package var totalByteCount: Int? { head.contentLength }

  /// The value of `If-Range`; nil if ranges of two states of the resource could be mixed.
  fileprivate var validator: String? {
    guard let tag = head.headers.first("ETag") else { return head.headers.first("Last-Modified") }
    return HTTPEntityTag.isStrong(tag) ? tag : nil
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
    let watch = BodyPrefixSink.Account(limit: maximum)
    let requestDate = cache.configuration.currentDate()
    let result: HTTPOriginAnswer
    do throws(HTTPError) {
      result = try await ranged(0..<byteCount, validator: nil, watch: watch)
    } catch {
      guard case .refused = error.reason, let (head, body) = watch.cutOff, head.status == 200,
        !head.hasContentCoding
      else { throw error }
      return .part(
        HTTPBodyPart(
          head: head, body: body, hasRanges: false, dates: (requestDate, cache.configuration.currentDate())))
    }
    guard result.head.status == 206 else {
      return .answer(await received(result, originRequest.decision, replacing: nil))
    }
    guard let range = ContentRange(result.head.headers.first("Content-Range") ?? ""), range.first == 0,
      result.body.data.count == range.byteCount, !result.head.hasContentCoding
    else { throw HTTPError(.refused("a range was asked for, and it is another"), url: result.head.url) }
    var head = result.head
    head.status = 200
    head.headers.remove(name: "Content-Range")
    head.headers["Content-Length"] = range.total.map(String.init)
    guard range.total != result.body.data.count else {
      let whole = HTTPOriginAnswer(
        request: withoutRange(result.request), head: head, body: result.body, requestDate: result.requestDate,
        responseDate: result.responseDate, redirectsFreshUntil: result.redirectsFreshUntil)
      return .answer(await received(whole, originRequest.decision, replacing: nil))
    }
    return .part(
      HTTPBodyPart(
        head: head, body: result.body.data, hasRanges: true,
        dates: (result.requestDate, result.responseDate)))
  }

  /// Requests other bytes of the same body.
  ///
  /// - Returns: nil if the resource has changed, or if the origin does not send exactly this range.
  package func bytes(_ range: Range<Int>, of part: HTTPBodyPart) async throws(HTTPError) -> Data? {
    guard part.hasRanges, let validator = part.validator, !range.isEmpty else { return nil }
    let watch = BodyPrefixSink.Account(limit: range.count)
    do throws(HTTPError) {
      let result = try await ranged(range, validator: validator, watch: watch)
      guard result.head.status == 206, !result.head.hasContentCoding,
        let sent = ContentRange(result.head.headers.first("Content-Range") ?? ""),
        sent.first == range.lowerBound,
        result.head.headers.first("ETag") == part.head.headers.first("ETag"),
        result.body.data.count == sent.byteCount
      else { return nil }
      return result.body.data
    } catch {
      if case .refused = error.reason { return nil }
      throw error
    }
  }

  /// The same part, extended by the bytes that follow it.
  package func joined(_ part: HTTPBodyPart, _ rest: Data) -> HTTPBodyPart {
    HTTPBodyPart(head: part.head, body: part.body + rest, hasRanges: part.hasRanges, dates: part.dates)
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
    let response = policy.stored(
      part.head, for: hop, requestDate: part.dates.request, responseDate: part.dates.response)
    guard let partial = HTTPPartialBody(response: response, body: part.body) else { return }
    await storage.setPartialBody(partial, for: key)
  }

  /// The stored beginning of the body from an earlier transfer; nil if there is none.
  package func storedPrefix() async -> Data? { await storage.partialBody(for: key)?.body }

  private func ranged(
    _ range: Range<Int>, validator: String?, watch: BodyPrefixSink.Account
  ) async throws(HTTPError) -> HTTPOriginAnswer {
    var asked = request
    asked.headers["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    if let validator { asked.headers["If-Range"] = validator }
    let origin = HTTPOriginExchange(
      cache: cache, request: asked, mode: mode, key: key, policy: policy, stored: [], choice: nil,
      resumes: false,
      onProgress: nil, client: BodyPrefixClient(client: client, account: watch), storage: storage,
      pause: pause)
    return try await origin.run(isRetried: { _ in true })
  }

  private func withoutRange(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.headers.remove(name: "Range")
    return request
  }
}
