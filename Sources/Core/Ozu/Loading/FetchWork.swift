import OzuBase
import OzuHTTP

/// The job that fetches the bytes of a source: from the disk cache, a file, the network or a fetcher.
///
/// Decisions that need no disk access are made at once. The job asks for a place among the reads only if the data may
/// be there, and for a place among the downloads only if the origin must be asked.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class FetchWork: ReportingWork, @unchecked Sendable {
  /// The states of the job, by the thing that it waits for: in all cases but the first a place.
  enum State {
    /// To be asked for the first time, or for a pending write of its original.
    case begin
    /// To read a file, the original of a fetcher, or the stored responses.
    case readingFile(String)
    case readingOriginal(any ImageFetching, ImageCaches.Tiers)
    indirect case readingResponses(HTTPCacheExchange, ImageCaches.Tiers)
    /// To ask the source, in a Swift task.
    case asking(Question)
    /// To apply the app's `dataTransformation`.
    case transforming(FetchedData)
  }

  /// What is asked.
  enum Question {
    /// The origin, for what no store has.
    case origin(URL)
    /// The origin, as the stored responses allow.
    indirect case exchange(HTTPCacheExchange, HTTPCacheExchange.OriginRequest)
    case fetcher(any ImageFetching)
  }

  let request: ImageRequest
  /// Passes on the bytes while they arrive; `nil` if no previews are made.
  let bodyObserver: BodyObserver?
  /// Whether only the header of the picture is wanted. Then no more bytes are downloaded than the header needs.
  let isForHeader: Bool
  let context: LoadContext
  /// The epochs in which the bytes were asked for.
  let epoch: LoadEpoch
  /// Replaces the HTTP client if the fetcher streams.
  private(set) var fetcherClient: FetcherClient?
  private var result: Result<FetchedData, ImageError>?
  private(set) var id: SlotID?
  private var state = State.begin
  /// The server or the kind of fetcher that it asks.
  private(set) var origin: JobOrigin
  var start: JobInstant?

  /// - Parameter origin: its origin, if the load has read it from the address already.
  init(
    _ request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, isForHeader: Bool = false,
    origin: JobOrigin = .none
  ) {
    self.request = request
    self.epoch = epoch
    self.context = context
    self.isForHeader = isForHeader
    self.origin = origin
    let showsBytes = !isForHeader && context.configuration.decoding.isProgressiveDecodingEnabled
    bodyObserver =
      showsBytes && (request.source.webURL != nil || request.source.isStreamed)
      ? BodyObserver(byteLimit: context.configuration.network.largeBodyByteCount) : nil
  }

  var outcome: Result<FetchedData, ImageError> { result ?? .failure(.unfinished) }

  /// The dependence on the fetch of a request, or of its header alone, within the limit of its stage.
  static func dependence(
    on request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, isForHeader: Bool = false
  ) -> JobDependence {
    let number = context.sharingNumber(epoch, request)
    let key = isForHeader ? JobKey.header(request, number: number) : .fetch(request, number: number)
    return JobDependence(key: key, deadline: context.deadline(.network)) {
      JobStart(FetchWork(request, context, epoch, isForHeader: isForHeader))
    }
  }

  var configuration: ImagePipeline.Configuration { context.configuration }
  var name: String { request.source.name }

  override var title: (kind: PipelineDiagnostics.Kind, name: String)? { (.download, name) }
  override var awaitedAs: PipelineDiagnostics.Waiting { .download }

  override func stage(in station: StationID?, isRunning: Bool) -> ImageStage { .network }

  // MARK: From state to state

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    if case .slot = event, cancellation.isRaised { return finish(.failure(.cancelled(name))) }
    do throws(ImageError) {
      switch state {
      case .begin:
        // Decoding a `data:` URL takes time in proportion to its length.
        if job.station == nil, request.source.isDataURL { return go(.decode, .begin) }
        return try access()
      case .readingFile(let path): return transform(try read(path))
      case .readingOriginal(let fetcher, let tiers): return try readOriginal(fetcher, from: tiers)
      case .readingResponses(let exchange, let tiers): return try readResponses(exchange, from: tiers)
      case .transforming(let fetched): return finish(transformed(fetched))
      case .asking(let question): return go(.network, .asking(question))
      }
    } catch {
      return finish(.failure(error))
    }
  }

  override func perform(_ job: RunningJob) async -> JobStep {
    id = job.id
    // A job may be queued here without a look at its source (`JobStart.station`). It now has a place, which it keeps if
    // it needs one.
    let step = next(.slot(after: nil), job)
    guard case .go(.network, _, _) = step, case .asking(let question) = state else { return step }
    do throws(ImageError) {
      switch question {
      case .origin(let url):
        let (exchange, originRequest) = try plan(for: url)
        return await answer(exchange, originRequest, job)
      case .exchange(let exchange, let originRequest): return await answer(exchange, originRequest, job)
      case .fetcher(let fetcher):
        return finish(
          await HeldPlace.hold(resumable(job.id), of: self) { await fetched(by: fetcher, job.level) })
      }
    } catch {
      return finish(.failure(error))
    }
  }

  private func access() throws(ImageError) -> JobStep {
    start = context.instant
    switch try configuration.sources.access(request.source) {
    case .bytes(let data):
      return transform(FetchedData(.data(data), source: .original))
    case .picture(let picture):
      return finish(.success(FetchedData(.picture(picture), source: .original)))
    case .file(let path): return go(fileStation, .readingFile(path))
    case .network(let url):
      if origin == .none { origin = JobOrigin(url) }
      return try look(for: url)
    case .fetcher(let fetcher as any ImageStreaming):
      origin = JobOrigin(fetcher)
      let client = FetcherClient(fetcher, name: name, events: context.events)
      fetcherClient = client
      return try look(for: client.request(limit: configuration.decoding.limits.encodedByteCount).url)
    case .fetcher(let fetcher):
      origin = JobOrigin(fetcher)
      guard request.readsOriginals else { return try ask(fetcher) }
      if let pendingWrite { return .depend(pendingWrite) }
      guard context.caches.mayHave(.original(request)) else {
        context.caches.noteAbsence(.original(request))
        return try ask(fetcher)
      }
      return go(fileStation, .readingOriginal(fetcher, .near))
    }
  }

  /// The station that reads whole files. A header needs no decoder, so it does not wait for the back-pressure of
  /// `files`.
  private var fileStation: StationID { isForHeader ? .disk : .files }

  /// The last pending write of this source's original, if there is one.
  var pendingWrite: JobDependence? { context.backlog.writing(originalOf: request.key.source) }

  override func didLeaveGraph() {
    // A job that is removed from a queue was not cancelled before, but its task may wait there for a place that it had given
    // back, and its code may go on. Without the flag the next wait for a place would never end. Of a finished job no code runs.
    cancellation.raise()
    progressEvents.close()
    // A planned exchange holds this object for its progress; this breaks the cycle.
    state = .begin
  }

  /// Goes on as `next` when the job has a place in a station.
  func go(_ station: StationID, _ next: State, size: Int = 0) -> JobStep {
    state = next
    return .go(station, size: size, origin: origin)
  }

  /// The running job, as it takes its place again after a pause.
  func resumable(_ id: SlotID) -> RunningJob {
    RunningJob(id: id, station: .network, runner: context.runner, origin: origin)
  }

  func finish(_ outcome: Result<FetchedData, ImageError>) -> JobStep {
    result = outcome
    if case .success = outcome { return .finish(succeeded: true) }
    return .finish(succeeded: false)
  }
}

extension FetchWork: SizeSource {
  func sizeIsWanted() { progressEvents.sizeIsWanted() }

  /// Applies the app's `dataTransformation`, on a decoding thread because it may take as long as a decode.
  private func transform(_ fetched: FetchedData) -> JobStep {
    guard configuration.decoding.dataTransformation != nil, case .data(let data) = fetched.content else {
      return finish(.success(fetched))
    }
    return go(.decode, .transforming(fetched), size: data.count)
  }

  private func transformed(_ fetched: FetchedData) -> Result<FetchedData, ImageError> {
    guard let transform = configuration.decoding.dataTransformation, case .data(let data) = fetched.content
    else {
      return .success(fetched)
    }
    do {
      return .success(fetched.replacing(.data(try transform(data, request))))
    } catch {
      return .failure(.fetchFailed(name, underlying: error))
    }
  }

  /// The stage that ends now, and how long it took.
  func time(_ stage: ImageStage) -> (stage: ImageStage, duration: Duration)? {
    start.map { (stage: stage, duration: $0.duration(to: context.instant)) }
  }
}

/// Sources from the web. They go through the HTTP cache, whose storage is the levels below memory.
extension FetchWork {
  /// Begins with the stored responses, or with the origin if hints say that no store has any. A new original is
  /// stored only after its picture has been made.
  private func look(for url: URL) throws(ImageError) -> JobStep {
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

  private func exchange(with url: URL) throws(ImageError) -> HTTPCacheExchange {
    var sent =
      fetcherClient?.request(limit: context.configuration.decoding.limits.encodedByteCount)
      ?? context.exchange(for: request, with: url, priority: request.priority.transport)
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
  private func plan(for url: URL) throws(ImageError) -> (HTTPCacheExchange, HTTPCacheExchange.OriginRequest) {
    start = context.instant
    let exchange = try exchange(with: url)
    guard case .ask(let originRequest) = exchange.plan([]) else { throw .notCached(name) }
    return (exchange, originRequest)
  }

  /// Asks the origin: for the beginning of the body if that may be enough for the header, otherwise for the whole.
  private func answer(
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

  /// Throws the error of a recent lasting failure of the origin, unless the request reloads. That the bytes do not decode says nothing
  /// here, because loads of the bytes alone share this job (`LoadContext.failure(ofPicture:)`).
  private func refuseFailed() throws(ImageError) {
    guard request.cachePolicy == .useCaches else { return }
    let date = configuration.testing.currentDate()
    if let error = context.failures.failure(of: request, now: date), !error.isOfFile { throw error }
  }

  /// Answers with the stored responses, or asks the origin as they allow.
  private func readResponses(
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
        note(failure, freshUntil: answer.absenceEnd(configuration.testing.currentDate()))
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

extension JobOrigin {
  /// Scheme, host and port of a web address; `none` for other addresses.
  init(_ url: URL) { self.init(hash: WebAddress.originHash(of: url.absoluteString)) }

  /// The same of an address in its canonical form (`WebAddress.canonical`).
  init(canonical text: String) { self.init(hash: WebAddress.originHash(of: text, isCanonical: true)) }

  /// The kind of a fetcher: its type.
  init(_ fetcher: any ImageFetching) { self.init(hashing: ObjectIdentifier(type(of: fetcher))) }
}
