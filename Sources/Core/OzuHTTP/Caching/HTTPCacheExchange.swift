import OzuBase

/// One request to a cache: looks at the stored responses, decides, asks the origin, stores the answer.
///
/// It has two parts, because only the second one needs the network: `plan` is a pure decision about stored
/// responses, and `ask` is the exchange. A caller that limits its exchanges limits its calls of `ask`.
package struct HTTPCacheExchange: Sendable {
  package let cache: HTTPCache
  package var request: HTTPRequest
  var mode: HTTPCacheMode
  package let key: HTTPCacheKey
  let policy: HTTPCachePolicy
  var storing: HTTPCache.Storing
  var onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
  /// The client that sends the requests.
  package var client: any HTTPClient
  /// The storage: that of the cache, or one that belongs to this exchange.
  package var storage: any HTTPCacheStorage
  /// The number of the last invalidation of the key when the exchange began.
  let invalidation: Int
  /// The epoch of the source for a caller that removes what is stored by itself: validations of different epochs are not joined.
  package var epoch = 0
  /// Receives the responses while they arrive, each piece after the cache has taken it.
  package var observer: (any HTTPBodyObserving)?
  /// Waits before a retry. Nil waits by the clock of the cache.
  package var owner: (any HTTPExchangeOwner)?
  /// Ends each transfer after the first bytes; nil for an exchange that needs the whole body.
  var prefix: HTTPBodyPrefix?

  var now: Date { cache.configuration.currentDate() }

  /// The next step for a request.
  package enum Plan: Sendable {
    /// Serve this answer. `isValidated` says whether to validate it in the background afterwards.
    case answer(HTTPCachedResponse, isValidated: Bool)
    case ask(OriginRequest)
  }

  package struct OriginRequest: Sendable {
    let decision: HTTPCacheDecision
    /// The stored responses to validate, and the one that would be served.
    fileprivate var entries: [HTTPCacheEntry] = []
    fileprivate var choice: Int?
    /// The response that may be served if the origin fails.
    fileprivate var fallback: HTTPCacheEntry?
    /// When the exchange began; nil for its first request.
    fileprivate var start: ContinuousClock.Instant?

    /// Whether nothing is stored for the request.
    package var isForNew: Bool { entries.isEmpty && fallback == nil }
  }

  /// Whether the stored responses matter for this request.
  package var readsStorage: Bool {
    mode != .noStore && mode != .reload && (request.method == .get || request.method == .head)
  }

  /// The next step, given the stored responses.
  package func plan(_ stored: [HTTPCacheEntry]) -> Plan {
    let entries = readsStorage ? stored : []
    let decision = policy.decide(
      stored: entries.map(\.response), request: request, mode: mode, now: now)
    let chosen = decision.choice.map { entries[$0] }
    switch decision.action {
    case .serve, .serveAndValidate:
      if let chosen {
        let place = HTTPDecision(decision.isStale ? .stale : .cache, reason: decision.reason)
        return .answer(serve(chosen, place), isValidated: decision.action == .serveAndValidate)
      }
    case .refuse:
      let head = HTTPResponseHead(status: 504, url: request.url)
      return .answer(answer(head, HTTPDecision(.cache, reason: decision.reason)), isValidated: false)
    case .validate, .fetch, .bypass: break
    }
    let isConditional = decision.action == .validate && !request.hasPrecondition
    return .ask(
      OriginRequest(
        decision: decision, entries: isConditional ? entries : [],
        choice: isConditional ? decision.choice : nil, fallback: chosen))
  }

  /// Looks at the storage, decides, and asks the origin if needed.
  func run() async throws(HTTPError) -> HTTPCachedResponse {
    switch plan(readsStorage ? await storage.entries(for: key) : []) {
    case .answer(let response, let isValidated):
      if isValidated { cache.validateInBackground(self) { await validate() } }
      return response
    case .ask(let originRequest): return try await ask(originRequest)
    }
  }

  /// Validates a response that was served stale, and stores the answer. Failures are ignored.
  package func validate() async {
    var exchange = self
    (exchange.mode, exchange.storing, exchange.onProgress) = (.noCache, .atOnce, nil)
    // They are about what the caller has: an answer to them would say nothing about what is stored.
    for name in HTTPRequest.preconditions { exchange.request.headers.remove(name: name) }
    _ = try? await exchange.run()
  }

  /// Asks the origin, and stores the answer.
  package func ask(_ originRequest: OriginRequest) async throws(HTTPError) -> HTTPCachedResponse {
    let (decision, entries) = (originRequest.decision, originRequest.entries)
    let start = originRequest.start ?? cache.configuration.now()
    let stored = entries.map(\.response)
    let origin = HTTPOriginExchange(
      exchange: self, stored: stored, choice: originRequest.choice,
      resumes: decision.action != .bypass && mode != .reload)
    // The stored response in place of a failure of the origin: of a status, or of an exchange without one.
    func standIn(_ failure: Result<Int, HTTPError>) -> HTTPCachedResponse? {
      let isDisconnected: Bool
      switch failure {
      case .success(let status):
        guard [500, 502, 503, 504].contains(status) else { return nil }
        isDisconnected = false
      case .failure(let error):
        guard error.isDisconnection else { return nil }
        isDisconnected = true
      }
      return originRequest.fallback.flatMap { entry in
        policy.reasonToServeStale(
          entry.response, request: request, mode: mode, isDisconnected: isDisconnected, now: now
        ).map { serve(entry, HTTPDecision(.stale, reason: $0)) }
      }
    }
    let result: HTTPOriginAnswer
    do throws(HTTPError) {
      result = try await origin.run(since: originRequest.start, isRetried: { standIn($0) == nil })
    } catch {
      if let stale = standIn(.failure(error)) { return stale }
      throw error
    }
    if let stale = standIn(.success(result.head.status)) { return stale }
    if result.head.status == 304, !stored.isEmpty, !request.hasPrecondition {
      guard let index = policy.validated(by: result.head, among: stored, choice: originRequest.choice) else {
        // The 304 confirms a response that is not stored: request the whole one.
        return try await ask(
          OriginRequest(decision: decision, fallback: originRequest.fallback, start: start))
      }
      return await revalidated(entries[index], result, decision)
    }
    return await received(result, decision, replacing: originRequest.fallback)
  }

  private func revalidated(
    _ entry: HTTPCacheEntry, _ result: HTTPOriginAnswer, _ decision: HTTPCacheDecision
  ) async -> HTTPCachedResponse {
    var updated = HTTPCacheEntry(
      response: policy.updated(
        entry.response, by: result.head, for: result.request, requestDate: result.requestDate,
        responseDate: result.responseDate), body: entry.body)
    updated.response.redirectsFreshUntil = result.redirectsFreshUntil
    // A response that other fields selected goes on answering requests with them, and this request gets a copy.
    let isOwn = HTTPVary(entry.response.headers).matches(request, stored: entry.response.selectingHeaders)
    let reason = await renew(updated, replacing: isOwn ? entry.response : nil)
    let validator = entry.response.entityTag != nil ? "ETag" : "Last-Modified"
    let suffix = "revalidated by \(validator)" + (reason.map { "; not kept: \($0)" } ?? "")
    return serve(
      updated, HTTPDecision(.revalidated, reason: "\(decision.reason), \(suffix)"),
      isValidated: true, reasonNotStored: reason)
  }

  func received(
    _ result: HTTPOriginAnswer, _ decision: HTTPCacheDecision, replacing old: HTTPCacheEntry?
  ) async -> HTTPCachedResponse {
    let changed = policy.invalidated(by: request, result.head)
    // The key of the request may have a name instead of the address.
    var keys: Set<HTTPCacheKey> = changed.isEmpty ? [] : [key]
    for url in changed {
      keys.formUnion(HTTPCacheKey.all(for: url, credentialsOf: request, rules: cache.configuration.keyRules))
    }
    for key in keys {
      cache.beginInvalidation(of: key)
      await storage.removeEntries(for: key)
    }
    if request.method == .head, decision.action != .bypass { await confirm(by: result) }
    let reason = policy.reasonNotToStore(result.head, for: request, mode: mode)
    var stored = policy.stored(
      result.head, for: result.request, requestDate: result.requestDate, responseDate: result.responseDate)
    stored.redirectsFreshUntil = result.redirectsFreshUntil
    stored.url = cache.known(stored.url)
    let body = result.body.data
    var entry: HTTPCacheEntry?
    if reason == nil {
      stored.bodyIdentity = result.body.identity ?? HTTPBodyIdentity.of(body)
      let new = HTTPCacheEntry(response: stored, body: body)
      if storing == .atOnce {
        await store { await storage.store(new, replacing: nil, for: key) }
      } else {
        entry = new
      }
    } else if request.method == .get, decision.action != .bypass, (200..<300).contains(result.head.status),
      !request.hasPrecondition, old != nil || request.allowsContentDecoding || !result.head.hasContentCoding
    {
      // The stored response is known to be outdated, and the new one may not be stored. One in a coding that its request wanted says
      // nothing about a variant without it.
      await storage.removeEntries(for: key)
    }
    // What is not stored has no identity to compare: it may be a part, or an answer without a body.
    let isSame = reason == nil ? old.map { $0.response.bodyIdentity == stored.bodyIdentity } : nil
    let change = isSame.map { $0 ? ", sent again unchanged" : ", changed" } ?? ""
    let suffix = change + (reason.map { "; not kept: \($0)" } ?? "")
    let decision = HTTPDecision(.network, reason: decision.reason + suffix)
    let control = stored.cacheControl
    return HTTPCachedResponse(
      head: result.head, body: body, decision: decision,
      freshUntil: reason == nil ? policy.freshUntil(stored, control) : .distantPast,
      receptionDate: stored.responseDate, mayUseOffline: policy.mayUseOffline(control),
      bodyIdentity: stored.bodyIdentity,
      reasonNotStored: reason, unstored: entry)
  }

  /// Stores an answer, unless the key has been invalidated since it was asked for (RFC 9111 §4.4). If that happens meanwhile, the
  /// answer is removed again.
  private func store(_ work: () async -> Void) async {
    guard cache.invalidation(of: key) == invalidation else { return }
    await work()
    if cache.invalidation(of: key) != invalidation { await storage.removeEntries(for: key) }
  }

  /// An answer to HEAD renews stored responses, or shows that they are outdated (RFC 9111 §4.3.5).
  private func confirm(by result: HTTPOriginAnswer) async {
    let entries = await storage.entries(for: key)
    let stored = entries.map(\.response)
    guard let choice = HTTPCachePolicy.choice(among: stored, for: request, now: result.responseDate) else {
      return
    }
    let old = entries[choice]
    guard policy.confirms(result.head, old.response) else {
      // Other statuses say nothing about it: the answer to the request's own condition, or of a server that refuses HEAD.
      if result.head.status == 200 { await storage.removeEntries(for: key) }
      return
    }
    let updated = policy.updated(
      old.response, by: result.head, for: result.request, requestDate: result.requestDate,
      responseDate: result.responseDate)
    await renew(HTTPCacheEntry(response: updated, body: old.body), replacing: old.response)
  }

  /// Stores a response that the origin has confirmed, or removes it if its new fields forbid to store it.
  ///
  /// - Parameter old: the response as it is stored; `nil` for one that stays beside the renewed one.
  /// - Returns: the reason why it is removed.
  @discardableResult
  private func renew(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?) async -> String? {
    let reason = policy.reasonNotToKeep(entry.response, for: request)
    if reason == nil {
      await store {
        guard let old else { return await storage.store(entry, replacing: nil, for: key) }
        await storage.refresh(entry, replacing: old, for: key)
      }
    } else {
      await storage.removeEntries(for: key)
    }
    return reason
  }
}

/// Receives the responses of an exchange while they arrive, on the transport's thread. It must only take the bytes and return.
package protocol HTTPBodyObserving: AnyObject, Sendable {
  /// A response begins; earlier bytes belong to another one.
  func begin(_ head: HTTPResponseHead)

  /// The next bytes of the body. They are valid only during the call.
  func append(_ bytes: RawSpan)
}

/// The owner of an exchange, who has something to do while it waits for its next attempt.
package protocol HTTPExchangeOwner: AnyObject, Sendable {
  /// Waits; returns false if the answer is not needed any more.
  func pause(_ delay: Duration) async -> Bool
}

/// Makes answers from stored responses.
extension HTTPCacheExchange {
  func serve(
    _ entry: HTTPCacheEntry, _ decision: HTTPDecision, isValidated: Bool = false,
    reasonNotStored: String? = nil
  ) -> HTTPCachedResponse {
    var head = policy.servedHead(of: entry.response, now: now, isValidated: isValidated)
    // The storage may keep less of the URL than the request has.
    if entry.response.isFrom(cache.known(request.url)) { head.url = request.url }
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
      // A copy, because a slice has other indices than a caller expects: `body[0]` would trap.
      body = range.bytes.map { Data(body.dropFirst($0.lowerBound).prefix($0.count)) } ?? Data()
      head.headers["Content-Length"] = String(body.count)
    }
    return HTTPCachedResponse(
      head: head, body: body, decision: decision,
      freshUntil: reasonNotStored == nil ? policy.freshUntil(entry.response, now: now) : .distantPast,
      receptionDate: entry.response.responseDate,
      mayUseOffline: policy.mayUseOffline(entry.response.cacheControl),
      bodyIdentity: entry.response.bodyIdentity,
      reasonNotStored: reasonNotStored, unstored: nil)
  }

  func answer(_ head: HTTPResponseHead, _ decision: HTTPDecision) -> HTTPCachedResponse {
    HTTPCachedResponse(
      head: head, body: Data(), decision: decision, freshUntil: .distantPast,
      receptionDate: .distantPast, mayUseOffline: false,
      bodyIdentity: "",
      reasonNotStored: nil, unstored: nil)
  }
}
