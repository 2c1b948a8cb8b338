import Foundation
import OzuHTTP

/// What comes from the web: through the HTTP cache, whose storage is the levels below memory.
extension FetchWork {
  /// Through the HTTP cache, whose storage is the disk cache. A new original is stored only after its picture has been
  /// made. What no store has, as the hints know, is asked for without a look there.
  func look(for url: URL) throws(ImageError) -> JobStep {
    if request.cachePolicy == .cacheOnly, !request.readsOriginals { throw .notCached(name) }
    try refuseFailed()
    if request.httpMode != .reload, request.httpMode != .noStore {
      if let pendingWrite { return .depend(pendingWrite) }
      if context.caches.mayHaveOriginal(for: request) {
        return go(.readResponses(try exchange(with: url), isFar: false), in: fileStation)
      }
      context.caches.noteAbsence(ofOriginal: request)
    }
    if request.cachePolicy == .cacheOnly { throw .notCached(name) }
    return go(.connect(url), in: .network)
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
        news.report(LoadProgress(receivedByteCount: received, expectedByteCount: expected))
      }
      if let fetcherClient { exchange.client = fetcherClient }
      return exchange
    } catch {
      throw ImageError(error, source: name)
    }
  }

  /// Asks the origin: for the beginning, where that may be enough, or for the whole.
  func answer(
    _ exchange: HTTPCacheExchange, _ question: HTTPCacheExchange.Question, _ job: RunningJob
  ) async -> JobStep {
    let exchange = prepared(exchange, job)
    if isForHeader, question.isForNew, fetcherClient == nil, configuration.decoding.dataTransformation == nil,
      let step = await askForHeader(exchange, question, job)
    {
      return step
    }
    do throws(HTTPError) {
      return settle(.success(try await exchange.ask(question)))
    } catch {
      return settle(.failure(error))
    }
  }

  /// The exchange with what makes it a part of this job.
  private func prepared(_ exchange: HTTPCacheExchange, _ job: RunningJob) -> HTTPCacheExchange {
    let live = FetchPriority(job.level)
    priority.withLock { $0 = live }
    // It may have changed before anybody could be told.
    if let level = job.runner.look({ $0.level(of: job.id) }) { live.set(level) }
    var exchange = exchange
    exchange.request.priority = live.transportPriority
    exchange.request.livePriority = HTTPLivePriority(live)
    if !isForHeader {
      let watch = SizeWatch(context, job: job.id, exchange: exchange, fetch: self)
      news.setSizeSource(watch)
      exchange.client = TappedClient(watch: watch)
    }
    // It holds this object alone, and so takes no memory of its own.
    id = job.id
    exchange.pause = { [self] delay in
      guard let id else { return false }
      let job = RunningJob(id: id, station: .network, input: nil, runner: context.runner)
      return await job.runner.pause(job, of: self) { (try? await configuration.testing.sleep(delay)) != nil }
    }
    return exchange
  }

  /// What has failed for good a moment ago is not tried again, unless the request insists.
  private func refuseFailed() throws(ImageError) {
    guard request.cachePolicy == .useCaches else { return }
    let date = configuration.testing.currentDate()
    if let error = context.failures.failure(for: request.key.source, now: date) { throw error }
  }

  func plan(
    _ exchange: HTTPCacheExchange, _ stored: [HTTPCacheEntry]
  ) throws(ImageError) -> JobStep {
    switch exchange.plan(stored) {
    case .answer(let answer, let isValidated):
      if isValidated { validate(exchange) }
      return settle(.success(answer))
    case .ask(let question): return go(.ask(exchange, question), in: .network)
    }
  }

  /// Behind the caller's back, in a place among the downloads.
  private func validate(_ exchange: HTTPCacheExchange) {
    let (runner, level) = (context.runner, request.priority)
    exchange.cache.validateInBackground(exchange.key) {
      await runner.perform(on: .network, priority: level) { await exchange.validation.run() }
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
      context.failures.forgetIfReloaded(request)
      let isNetwork = answer.decision.place == .network || answer.decision.place == .revalidated
      return transform(
        FetchedData(
          .data(answer.body), source: ImageResponse.Source(answer.decision.place),
          timings: timings(isNetwork ? .network : .read), http: answer,
          isFromStore: answer.decision.place != .network, hasOwnPolicy: request.httpPolicy != nil))
    }
  }

  private func note(_ error: ImageError, freshUntil: Date?) {
    guard request.cachePolicy.writesCaches else { return }
    context.failures.note(
      error, for: request.key.source, freshUntil: freshUntil, now: configuration.testing.currentDate())
  }

  /// An answer that there is nothing counts for its own lifetime, else for 60 seconds; a day at most.
  private func absenceEnd(_ answer: HTTPCachedResponse) -> Date {
    let now = configuration.testing.currentDate()
    let control = CacheControl(answer.head.headers)
    if control.contains("no-store") || control.contains("no-cache") { return now }
    let isExplicit = control.contains("max-age") || answer.head.headers.contains(name: "Expires")
    let end = isExplicit ? answer.freshUntil : now.addingTimeInterval(60)
    return min(end, now.addingTimeInterval(24 * 3600))
  }
}
