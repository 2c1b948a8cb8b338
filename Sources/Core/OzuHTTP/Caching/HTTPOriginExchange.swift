import OzuBase

/// The answer of the origin, after redirects, retries and resumption.
struct HTTPOriginAnswer: Sendable {
  /// The request of the last hop, without the fields that the cache added.
  let request: HTTPRequest
  let head: HTTPResponseHead
  let body: HTTPSpooledBody.Content
  let requestDate: Date
  let responseDate: Date
  let redirectsFreshUntil: Date?
}

/// The network side of a cache: follows redirects hop by hop, validates stored responses, resumes broken transfers,
/// and retries temporary failures.
struct HTTPOriginExchange: Sendable {
  typealias Received = (head: HTTPResponseHead, body: HTTPSpooledBody.Content)

  let cache: HTTPCache
  let request: HTTPRequest
  let mode: HTTPCacheMode
  let key: HTTPCacheKey
  let policy: HTTPCachePolicy
  let stored: [HTTPStoredResponse]
  let choice: Int?
  /// Whether the beginning of an earlier transfer may be used.
  let resumes: Bool
  let onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
  let client: any HTTPClient
  let storage: any HTTPCacheStorage
  /// Waits before the next attempt, instead of the cache's clock; returns false if the answer is not needed any
  /// more.
  let pause: (@Sendable (Duration) async -> Bool)?

  var configuration: HTTPCacheConfiguration { cache.configuration }

  /// - Parameter isRetried: decides whether to retry after a failure; its argument says whether the origin could not be reached.
  func run(isRetried: (_ isDisconnected: Bool) -> Bool) async throws(HTTPError) -> HTTPOriginAnswer {
    let retry = configuration.retryPolicy
    var retryCount = 0
    let start = configuration.now()
    while true {
      var retryAfter: String?
      var failure: HTTPError?
      var answer: HTTPOriginAnswer?
      do throws(HTTPError) {
        let result = try await followRedirects(since: start, isRetry: retryCount > 0)
        guard retry.isTransient(status: result.head.status), isRetried(false) else {
          if result.head.status < 500 { cache.noteSuccess() }
          return result
        }
        retryAfter = result.head.headers.first("Retry-After")
        answer = result
      } catch {
        let error = error.naming(request.timeouts)
        guard retry.isTransient(error.reason), isRetried(true) else { throw error }
        failure = error
      }
      let isSafe = [.get, .head, .options].contains(request.method)
      let delay = retry.delay(
        afterRetries: retryCount, retryAfter: retryAfter, fraction: configuration.randomFraction(),
        now: configuration.currentDate())
      guard isSafe, let delay, cache.takeRetry() else {
        if let failure { throw failure }
        if let answer { return answer }
        throw HTTPError(.cancelled, url: request.url)
      }
      guard await wait(delay) else { throw HTTPError(.cancelled, url: request.url) }
      retryCount += 1
    }
  }

  private func wait(_ delay: Duration) async -> Bool {
    if let pause { return await pause(delay) }
    return (try? await configuration.sleep(delay)) != nil
  }

  // MARK: Hops

  /// - Parameter start: when the first attempt began. The total time limit covers all attempts and all hops, as it
  ///   does if the client follows redirects itself.
  private func followRedirects(
    since start: ContinuousClock.Instant, isRetry: Bool
  ) async throws(HTTPError) -> HTTPOriginAnswer {
    var hop = request
    if isRetry {
      hop.timeouts.total -= start.duration(to: configuration.now())
      guard hop.timeouts.total > .zero else { throw HTTPError(.timedOut(.total), url: hop.url) }
    }
    if mode == .reload || mode == .noStore {
      if !hop.headers.contains(name: "Cache-Control") { hop.headers["Cache-Control"] = "no-cache" }
    } else if mode == .noCache, !hop.headers.contains(name: "Cache-Control") {
      hop.headers["Cache-Control"] = "max-age=0"
    }
    var redirectsFreshUntil: Date?
    var count = 0
    while true {
      let requestDate = configuration.currentDate()
      let (head, body) = try await send(hop)
      let responseDate = configuration.currentDate()
      let decision = RedirectDecision(
        status: head.status, location: head.headers.first("Location"), of: hop, afterRedirects: count)
      switch decision {
      case .deliver:
        return HTTPOriginAnswer(
          request: hop, head: head, body: body, requestDate: requestDate, responseDate: responseDate,
          redirectsFreshUntil: redirectsFreshUntil)
      case .refuse(let reason): throw HTTPError(reason, url: hop.url)
      case .follow(let next):
        let redirect = policy.stored(
          head, for: hop, requestDate: requestDate, responseDate: responseDate)
        let isKept = policy.reasonNotToStore(head, for: hop, mode: mode) == nil
        let end = isKept ? policy.freshUntil(redirect) : .distantPast
        redirectsFreshUntil = min(redirectsFreshUntil ?? end, end)
        count += 1
        hop = next
        hop.timeouts.total = request.timeouts.total - start.duration(to: configuration.now())
        guard hop.timeouts.total > .zero else { throw HTTPError(.timedOut(.total), url: hop.url) }
      }
    }
  }
}
