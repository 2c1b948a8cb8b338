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

  /// The exchange with the request to send.
  let exchange: HTTPCacheExchange
  let stored: [HTTPStoredResponse]
  let choice: Int?
  /// Whether the beginning of an earlier transfer may be used.
  let resumes: Bool

  private var cache: HTTPCache { exchange.cache }
  private var request: HTTPRequest { exchange.request }
  private var mode: HTTPCacheMode { exchange.mode }
  private var key: HTTPCacheKey { exchange.key }
  private var policy: HTTPCachePolicy { exchange.policy }
  private var storage: any HTTPCacheStorage { exchange.storage }
  var configuration: HTTPCacheConfiguration { exchange.cache.configuration }

  /// - Parameters:
  ///   - former: when the exchange began, whose total time limit covers this too; nil if it begins now.
  ///   - isRetried: decides whether to retry after a status or an error.
  func run(
    since former: ContinuousClock.Instant? = nil, isRetried: (Result<Int, HTTPError>) -> Bool
  ) async throws(HTTPError) -> HTTPOriginAnswer {
    let retry = configuration.retryPolicy
    var retryCount = 0
    let start = former ?? configuration.now()
    while true {
      var retryAfter: String?
      var failure: HTTPError?
      var answer: HTTPOriginAnswer?
      do throws(HTTPError) {
        let result = try await followRedirects(since: start, isFirst: former == nil && retryCount == 0)
        guard retry.isTransient(status: result.head.status), isRetried(.success(result.head.status)) else {
          if result.head.status < 500 { cache.noteSuccess() }
          return result
        }
        retryAfter = result.head.headers.first("Retry-After")
        answer = result
      } catch {
        let error = error.naming(request.timeouts)
        guard retry.isTransient(error.reason), isRetried(.failure(error)) else { throw error }
        failure = error
      }
      let isSafe = [.get, .head, .options].contains(request.method)
      let delay = retry.delay(
        afterRetries: retryCount, retryAfter: retryAfter, fraction: configuration.randomFraction(),
        now: configuration.currentDate())
      // The total limit covers the retries: there is no time to wait for one that would begin behind it.
      let left = request.timeouts.total - start.duration(to: configuration.now())
      let isTimeOver = isSafe && delay != nil && left <= .zero
      guard isSafe, let delay, delay < left, cache.takeRetry() else {
        if let answer { return answer }
        if isTimeOver { throw HTTPError(.timedOut(.total), url: request.url).naming(request.timeouts) }
        if let failure { throw failure }
        throw HTTPError(.cancelled, url: request.url)
      }
      guard await wait(delay) else { throw HTTPError(.cancelled, url: request.url) }
      retryCount += 1
    }
  }

  private func wait(_ delay: Duration) async -> Bool {
    if let owner = exchange.owner { return await owner.pause(delay) }
    return (try? await configuration.sleep(delay)) != nil
  }

  // MARK: Hops

  /// - Parameter start: when the first attempt began. The total time limit covers all attempts and all hops, as it
  ///   does if the client follows redirects itself.
  private func followRedirects(
    since start: ContinuousClock.Instant, isFirst: Bool
  ) async throws(HTTPError) -> HTTPOriginAnswer {
    var hop = request
    if !isFirst {
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

/// One hop, including the resumption of an earlier transfer.
extension HTTPOriginExchange {
  /// Sends one hop, conditionally or for the rest of a body if possible.
  func send(_ hop: HTTPRequest) async throws(HTTPError) -> Received {
    var outgoing = hop
    if case .follow = hop.redirectPolicy { outgoing.redirectPolicy = .manual }
    // Most downloads have nothing stored.
    let url = stored.isEmpty ? hop.url : cache.known(hop.url)
    let here = stored.indices.filter { stored[$0].isFrom(url) }
    if !here.isEmpty {
      let place = choice.flatMap { here.firstIndex(of: $0) }
      let conditions = policy.conditionalHeaders(for: here.map { stored[$0] }, choice: place)
      for field in conditions { outgoing.headers.add(name: field.name, value: field.value) }
    }
    if let partial = await partialBody(for: hop) {
      let start = configuration.now()
      do throws(HTTPError) {
        return try await transfer(outgoing, continuing: partial)
      } catch {
        // The rest does not fit, or is not available: request the whole body, once.
        guard case .refused = error.reason else { throw error }
        await storage.setPartialBody(nil, for: key)
        outgoing.timeouts.total -= start.duration(to: configuration.now())
      }
    }
    return try await transfer(outgoing, continuing: nil)
  }

  private func transfer(
    _ hop: HTTPRequest, continuing partial: HTTPPartialBody?
  ) async throws(HTTPError) -> Received {
    var outgoing = hop
    if let partial {
      for field in partial.requestHeaders { outgoing.headers.add(name: field.name, value: field.value) }
    }
    if let preparation = configuration.preparation {
      outgoing = try await prepared(outgoing, by: preparation)
    }
    let requestDate = configuration.currentDate()
    let sink = HTTPCacheSink(for: hop, of: self, continuing: partial, since: requestDate)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await exchange.client.send(outgoing, into: sink)
    } catch {
      // A long page with a 416 is cut off too, and says as much as a short one: there is no rest (`send`).
      if let head = sink.head, sink.hasOverflown, partial == nil || head.status != 416 {
        return (head, HTTPSpooledBody.Content(data: Data()))
      }
      if sink.rejection == nil { await keepPartial(of: sink, hop, continuing: partial, since: requestDate) }
      throw sink.isContinued ? Self.ofWhole(error, behind: partial?.body.count ?? 0) : error
    }
    guard let partial else {
      if let body = sink.body.takeMemory() { return (response.head, body) }
      return (response.head, try await takeBody(of: sink, hop))
    }
    return try await complete(partial, response, sink, hop)
  }

  /// Handles the answer to a request for the rest of a body.
  private func complete(
    _ partial: HTTPPartialBody, _ response: HTTPResponse, _ sink: HTTPCacheSink, _ hop: HTTPRequest
  ) async throws(HTTPError) -> Received {
    if response.status == 416 { throw HTTPError(.refused("there is no rest"), url: hop.url) }
    let body = try await takeBody(of: sink, hop)
    let total =
      partial.totalByteCount ?? ContentRange(response.head.headers.first("Content-Range") ?? "")?.total
    if sink.isContinued, let total, body.data.count < total {
      // A server may send fewer bytes than requested (RFC 9110 §15.3.7): the next request continues from there.
      if let longer = HTTPPartialBody(response: partial.response, body: body.data) {
        await storage.setPartialBody(longer, for: key)
      }
      throw HTTPError(.bodyTruncated(received: body.data.count, expected: total), url: hop.url)
    }
    // A 200 has the whole body, and a 304 says that a stored one is current, so the beginning is removed. After an error it stays.
    if response.status < 300 || response.status == 304 { await storage.setPartialBody(nil, for: key) }
    guard sink.isContinued else { return (response.head, body) }
    if let total, body.data.count > total {
      throw HTTPError(.protocolError("the rest is longer than its Content-Range says"), url: hop.url)
    }
    return (partial.completedHead(by: response.head, byteCount: body.data.count), body)
  }

  /// The error of a transfer of the rest, with byte counts of the whole body.
  private static func ofWhole(_ error: HTTPError, behind count: Int) -> HTTPError {
    guard case .bodyTruncated(let received, let expected) = error.reason else { return error }
    return HTTPError(
      .bodyTruncated(
        received: received.saturatingSum(count), expected: expected.map { $0.saturatingSum(count) }),
      url: error.url)
  }

  private func takeBody(
    of sink: HTTPCacheSink, _ hop: HTTPRequest
  ) async throws(HTTPError) -> HTTPSpooledBody.Content {
    do throws(HTTPError) {
      return try await sink.body.finish()
    } catch {
      throw HTTPError(error.reason, url: hop.url)
    }
  }

  private func prepared(
    _ request: HTTPRequest, by preparation: any HTTPRequestPreparing
  ) async throws(HTTPError) -> HTTPRequest {
    do {
      var prepared = try await preparation.willSend(request)
      // The exchange decides these values, even if the hook made a new request.
      prepared.redirectPolicy = request.redirectPolicy
      prepared.maximumBodyByteCount = min(prepared.maximumBodyByteCount, request.maximumBodyByteCount)
      return prepared
    } catch let error as HTTPError {
      throw error
    } catch is CancellationError {
      throw HTTPError(.cancelled, url: request.url)
    } catch {
      throw HTTPError(
        .invalidRequest("preparing it failed: \(configuration.errorText(error))"), url: request.url)
    }
  }
}

/// Beginnings of bodies whose transfers broke off: finding one to continue, and keeping one.
extension HTTPOriginExchange {
  func partialBody(for hop: HTTPRequest) async -> HTTPPartialBody? {
    guard resumes, hop.method == .get, !hop.hasPrecondition else { return nil }
    // Conditions that need no waiting are checked first, here and below, because each function that suspends costs
    // memory.
    if keepsPartialBodies, let spool = cache.spool, spool.mayHaveLeft { await adoptLeft(from: spool) }
    guard let partial = await storage.partialBody(for: key),
      partial.response.isFrom(cache.known(hop.url)),
      HTTPVary(partial.response.headers).matches(hop, stored: partial.response.selectingHeaders),
      partial.body.count < hop.maximumBodyByteCount
    else { return nil }
    return partial
  }

  /// Moves the beginning that a killed process left to the storage.
  private func adoptLeft(from spool: HTTPBodySpool) async {
    guard let left = await spool.takeLeft(for: key) else { return }
    let known = await storage.partialBody(for: key)
    if known?.isWorse(than: left.partial) ?? true {
      await storage.setPartialBody(left.partial, for: key)
    }
    left.remove()
  }

  private var keepsPartialBodies: Bool {
    mode != .noStore && configuration.minimumPartialByteCount < .max
  }

  /// When and how the body of a response is kept for another process; nil if it is not, or could not be continued.
  func keeping(
    _ head: HTTPResponseHead, _ hop: HTTPRequest, continuing old: HTTPPartialBody?, since requestDate: Date
  ) -> HTTPSpooledBody.Keeping? {
    // A cheap check that excludes most pictures. The rest is checked when the delay has passed.
    guard keepsPartialBodies,
      old != nil || head.headers.contains(name: "ETag") || head.headers.contains(name: "Last-Modified")
    else {
      return nil
    }
    let responseDate = configuration.currentDate()
    let beginning: @Sendable () -> HTTPPartialBodyRecord? = {
      let response = resumable(
        head, hop, continuing: old, requestDate: requestDate, responseDate: responseDate)
      return response.flatMap { HTTPPartialBodyRecord($0, for: key) }
    }
    return HTTPSpooledBody.Keeping(
      startedAt: configuration.now(), delay: configuration.spooling.partialBodyDelay,
      minimumByteCount: configuration.minimumPartialByteCount, now: configuration.now, beginning: beginning)
  }

  /// The stored form of a response whose body may be kept as a beginning.
  private func resumable(
    _ head: HTTPResponseHead, _ hop: HTTPRequest, continuing old: HTTPPartialBody?, requestDate: Date,
    responseDate: Date
  ) -> HTTPStoredResponse? {
    guard hop.method == .get, mode != .noStore, hop.headers["Range"] == nil else { return nil }
    if let old { return old.response }
    guard head.status == 200, policy.reasonNotToStore(head, for: hop, mode: mode) == nil else { return nil }
    var response = policy.stored(head, for: hop, requestDate: requestDate, responseDate: responseDate)
    response.url = cache.known(response.url)
    return response
  }

  func keepPartial(
    of sink: HTTPCacheSink, _ hop: HTTPRequest, continuing old: HTTPPartialBody?, since requestDate: Date
  ) async {
    guard let head = sink.head,
      let response = resumable(
        head, hop, continuing: sink.isContinued ? old : nil, requestDate: requestDate,
        responseDate: configuration.currentDate())
    else { return }
    // If the file does not return the body, the body is lost; the caller gets the error of the transfer.
    guard let body = try? await sink.body.finish().data, body.count >= configuration.minimumPartialByteCount
    else { return }
    guard let partial = HTTPPartialBody(response: response, body: body) else { return }
    await storage.setPartialBody(partial, for: key)
  }
}
