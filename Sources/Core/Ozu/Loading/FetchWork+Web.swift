import OzuBase
import OzuHTTP

/// Sources from the web. They go through the HTTP cache, whose storage is the levels below memory.
extension FetchWork {
  /// Begins with the stored responses, or with the origin if hints say that no store has any. A new original is
  /// stored only after its picture has been made.
  func look(for url: URL) throws(ImageError) -> JobStep {
    if request.cachePolicy == .cacheOnly, !request.readsOriginals { throw .notCached(name) }
    try refuseFailed()
    if request.httpMode != .reload, request.httpMode != .noStore {
      if let pendingWrite { return .depend(pendingWrite) }
      if context.caches.mayHave(.original(request)) {
        return go(fileStation, .readingResponses(try exchange(with: url), .near))
      }
      context.caches.noteAbsence(.original(request))
    }
    if request.cachePolicy == .cacheOnly { throw .notCached(name) }
    return go(.network, .asking(.origin(url)))
  }

  func exchange(with url: URL) throws(ImageError) -> HTTPCacheExchange {
    var sent =
      fetcherClient?.request(limit: context.configuration.decoding.limits.encodedByteCount)
      ?? request.exchange(with: url, context, priority: request.priority.transport)
    sent.hasPlace = true
    let cache = fetcherClient == nil ? context.httpCache : context.fetcherCache
    do throws(HTTPError) {
      var exchange = try cache.exchange(
        for: sent, mode: request.httpMode, resource: request.sourceKey, policy: request.httpPolicy,
        storing: .byCaller
      ) { [self] received, expected in
        progressEvents.report(LoadProgress(receivedByteCount: received, expectedByteCount: expected))
      }
      var storage = context.originalStorage.storing(
        by: context.epochs.right(toOriginalOf: request.key.source, in: epoch), if: request.writesOriginals)
      if let fetcherClient { (exchange.client, storage.keepsPartials) = (fetcherClient, false) }
      (exchange.storage, exchange.epoch) = (storage, epoch.source)
      return exchange
    } catch {
      throw ImageError(error, source: name)
    }
  }

  /// The exchange with the origin for what no store has.
  func plan(for url: URL) throws(ImageError) -> (HTTPCacheExchange, HTTPCacheExchange.OriginRequest) {
    start = context.instant
    let exchange = try exchange(with: url)
    guard case .ask(let originRequest) = exchange.plan([]) else { throw .notCached(name) }
    return (exchange, originRequest)
  }

  /// Asks the origin: for the beginning of the body if that may be enough for the header, otherwise for the whole.
  func answer(
    _ exchange: HTTPCacheExchange, _ originRequest: HTTPCacheExchange.OriginRequest, _ job: RunningJob
  ) async -> JobStep {
    let exchange = prepared(exchange, job)
    if isForHeader, originRequest.isForNew, fetcherClient == nil,
      configuration.decoding.dataTransformation == nil,
      let step = await askForHeader(exchange, originRequest, job)
    {
      return step
    }
    if fetcherClient == nil { return settle(await outcome(of: exchange, originRequest)) }
    return settle(
      await HeldPlace.hold(resumable(job.id), of: self) { await outcome(of: exchange, originRequest) })
  }

  private func outcome(
    of exchange: HTTPCacheExchange, _ originRequest: HTTPCacheExchange.OriginRequest
  ) async -> Result<HTTPCachedResponse, HTTPError> {
    do throws(HTTPError) {
      return .success(try await exchange.ask(originRequest))
    } catch {
      return .failure(error)
    }
  }

  /// Connects the exchange with this job: its priority, its progress, and its pauses.
  private func prepared(_ exchange: HTTPCacheExchange, _ job: RunningJob) -> HTTPCacheExchange {
    var exchange = exchange
    exchange.request.priority = job.level.transport
    if !isForHeader {
      let watch = SizeWatch(context, job: job.id, exchange: exchange, fetch: self)
      progressEvents.setSizeSource(watch)
      exchange.observer = watch
    }
    exchange.owner = self
    return exchange
  }

  /// Throws the error of a recent lasting failure of the source, unless the request reloads.
  private func refuseFailed() throws(ImageError) {
    guard request.cachePolicy == .useCaches else { return }
    let date = configuration.testing.currentDate()
    if let error = context.failures.failure(of: request, now: date) { throw error }
  }

  /// Answers with the stored responses, or asks the origin as they allow.
  func readResponses(
    _ exchange: HTTPCacheExchange, from tiers: ImageCaches.Tiers
  ) throws(ImageError) -> JobStep {
    let stored = context.caches.responses(for: exchange.key, from: tiers)
    if stored.isEmpty, tiers == .near, context.caches.mayHave(.responses(exchange.key), in: .far) {
      return go(.levels, .readingResponses(exchange, .far))
    }
    switch exchange.plan(stored) {
    case .answer(let answer, let isValidated):
      if isValidated { validate(exchange) }
      return settle(.success(answer))
    case .ask(let originRequest): return go(.network, .asking(.exchange(exchange, originRequest)))
    }
  }

  /// Revalidates in the background, with a place among the downloads.
  private func validate(_ exchange: HTTPCacheExchange) {
    let (runner, level, origin) = (context.runner, request.priority, origin)
    exchange.cache.validateInBackground(exchange) {
      await runner.perform(on: .network, origin: origin, priority: level) { await exchange.validate() }
    }
  }

  func settle(_ outcome: Result<HTTPCachedResponse, HTTPError>) -> JobStep {
    switch outcome {
    case .failure(let error):
      let failure = fetcherClient?.failure ?? ImageError(error, source: name)
      note(failure, freshUntil: nil)
      return finish(.failure(failure))
    case .success(let answer):
      guard (200..<300).contains(answer.status) else {
        if request.cachePolicy == .cacheOnly { return finish(.failure(.notCached(name))) }
        let failure = ImageError.httpStatus(answer.status, source: name)
        let isAbsence = answer.status == 404 || answer.status == 410
        note(failure, freshUntil: isAbsence ? absenceEnd(answer) : nil)
        return finish(.failure(failure))
      }
      context.failures.noteSuccess(of: request)
      let isNetwork = answer.decision.place == .network || answer.decision.place == .revalidated
      let fetched = FetchedData(
        .data(answer.body), source: ImageResponse.Source(answer.decision.place),
        time: time(isNetwork ? .network : .read),
        rules: .response(answer, hasOwnPolicy: request.httpPolicy != nil),
        isFromStore: answer.decision.place != .network)
      // A fetcher transforms its bytes itself.
      return fetcherClient == nil ? transform(fetched) : finish(.success(fetched))
    }
  }

  private func note(_ error: ImageError, freshUntil: Date?) {
    guard request.cachePolicy.writesCaches else { return }
    context.noteFailure(error, of: request, epoch, freshUntil: freshUntil)
  }

  /// The time until which a 404 or 410 is remembered: its own lifetime, otherwise 60 seconds; a day at most.
  private func absenceEnd(_ answer: HTTPCachedResponse) -> Date {
    let now = configuration.testing.currentDate()
    let control = CacheControl(answer.head.headers)
    if control.contains("no-store") || control.contains("no-cache") { return now }
    let isExplicit = control.contains("max-age") || answer.head.headers.contains(name: "Expires")
    let end = isExplicit ? answer.freshUntil : now.addingTimeInterval(60)
    return min(end, now.addingTimeInterval(24 * 3600))
  }
}

extension FetchWork: HTTPExchangeOwner {
  /// Gives the place of the job back, and takes one again for the next attempt.
  func pause(_ delay: Duration) async -> Bool {
    guard let id else { return false }
    return await context.runner.pause(resumable(id), of: self) {
      (try? await configuration.testing.sleep(delay)) != nil
    }
  }
}
