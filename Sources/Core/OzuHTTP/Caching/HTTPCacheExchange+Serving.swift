#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes answers from stored responses.
extension HTTPCacheExchange {
  func serve(_ entry: HTTPCacheEntry, _ decision: HTTPCacheDecision) -> HTTPCachedResponse {
    serve(entry, HTTPDecision(decision.isStale ? .stale : .cache, reason: decision.reason))
  }

  func serve(
    _ entry: HTTPCacheEntry, _ decision: HTTPDecision, isValidated: Bool = false
  ) -> HTTPCachedResponse {
    var head = policy.servedHead(of: entry.response, now: now, isValidated: isValidated)
    // The storage may keep less of the URL than the request has.
    if entry.response.isFrom(request.url) { head.url = request.url }
    var body = request.method == .head ? Data() : entry.body
    if policy.satisfiesCondition(of: request, entry.response) {
      for name in ["Content-Length", "Content-Type", "Content-Encoding"] { head.headers.remove(name: name) }
      head.status = 304
      body = Data()
    } else if let text = request.headers.first("Range"), entry.response.status == 200, request.method == .get,
      let range = ByteRangeRequest(text, of: body.count)
    {
      let total = body.count
      head.status = range.bytes == nil ? 416 : 206
      let bytes = range.bytes.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
      head.headers["Content-Range"] = "bytes \(bytes)/\(total)"
      body = range.bytes.map { body.dropFirst($0.lowerBound).prefix($0.count) } ?? Data()
      head.headers["Content-Length"] = String(body.count)
    }
    return HTTPCachedResponse(
      head: head, body: body, decision: decision, freshUntil: policy.freshUntil(entry.response, now: now),
      receptionDate: entry.response.responseDate,
      mayUseOffline: policy.mayUseOffline(entry.response.cacheControl),
      bodyIdentity: entry.response.bodyIdentity,
      reasonNotStored: nil, unstored: nil)
  }

  func answer(_ head: HTTPResponseHead, _ decision: HTTPDecision) -> HTTPCachedResponse {
    HTTPCachedResponse(
      head: head, body: Data(), decision: decision, freshUntil: .distantPast,
      receptionDate: .distantPast, mayUseOffline: false,
      bodyIdentity: "",
      reasonNotStored: nil, unstored: nil)
  }
}
