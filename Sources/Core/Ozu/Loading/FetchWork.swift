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
    /// A fetcher.
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
  private(set) var outcome: Result<FetchedData, ImageError>
  private(set) var id: SlotID?
  private var state = State.begin
  /// The server or the kind of fetcher that it asks.
  private(set) var origin = JobOrigin.none
  var start: JobInstant?

  init(_ request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, isForHeader: Bool = false) {
    self.request = request
    self.epoch = epoch
    self.context = context
    self.isForHeader = isForHeader
    let showsBytes = !isForHeader && context.configuration.decoding.isProgressiveDecodingEnabled
    bodyObserver =
      showsBytes && (request.source.webURL != nil || request.source.isStreamed)
      ? BodyObserver(byteLimit: context.configuration.network.largeBodyByteCount) : nil
    outcome = .failure(.unfinished)
  }

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
      origin = JobOrigin(url)
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
  var fileStation: StationID { isForHeader ? .disk : .files }

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
    self.outcome = outcome
    if case .success = outcome { return .finish(succeeded: true) }
    return .finish(succeeded: false)
  }
}

// MARK: Other sources

extension FetchWork: SizeSource {
  func sizeIsWanted() { progressEvents.sizeIsWanted() }

  private func read(_ path: String) throws(ImageError) -> FetchedData {
    let file = context.events.observeFile(name) { () throws(ImageError) in
      try FileReader.read(path, limit: configuration.decoding.limits.encodedByteCount)
    }
    let (data, stamp) = try file.get()
    return FetchedData(
      .data(data), source: .original, time: time(.read), stamp: stamp,
      file: FileIdentity(stamp.number(of: path)))
  }

  private func readOriginal(
    _ fetcher: any ImageFetching, from tiers: ImageCaches.Tiers
  ) throws(ImageError) -> JobStep {
    if let data = context.caches.original(for: request, from: tiers) {
      return finish(
        .success(FetchedData(.data(data), source: .original, time: time(.read), isFromStore: true)))
    }
    guard tiers == .near, context.caches.mayHave(.original(request), in: .far) else {
      return try ask(fetcher)
    }
    return go(.levels, .readingOriginal(fetcher, .far))
  }

  private func ask(_ fetcher: any ImageFetching) throws(ImageError) -> JobStep {
    if request.cachePolicy == .cacheOnly { throw .notCached(name) }
    return go(.network, .asking(.fetcher(fetcher)))
  }

  private func fetched(
    by fetcher: any ImageFetching, _ priority: ImagePriority
  ) async -> Result<FetchedData, ImageError> {
    start = context.instant
    do {
      var lifetime: SourceLifetime?
      let content = try await context.events.observeFetcher(name) {
        guard let canvas = fetcher as? CanvasFetcher else { return try await fetcher.fetch() }
        guard let pipeline = context.pipeline.value else { throw CancellationError() }
        let drawn = try await canvas.drawn(
          by: pipeline, priority: priority, cachePolicy: request.cachePolicy)
        lifetime = drawn.lifetime
        return .picture(drawn.picture)
      }
      let now = configuration.testing.currentDate()
      // Without an identity of a body it is never renewed, but drawn again of pictures that are.
      let rules = lifetime.map { lifetime -> FetchedData.Rules in
        let validity = OriginalValidity(
          receptionDate: now, freshUntil: now.addingTimeInterval(lifetime.freshSeconds), bodyIdentity: "",
          mayUseOffline: lifetime.mayUseOffline)
        return .derived(validity, allowsStoring: lifetime.allowsStoring)
      }
      return .success(FetchedData(content, source: .network, time: time(.network), rules: rules))
    } catch let error as ImageError {
      return .failure(error)
    } catch is CancellationError {
      return .failure(.cancelled(name))
    } catch {
      return .failure(.fetchFailed(name, underlying: error))
    }
  }

  /// Applies the app's `dataTransformation`, on a decoding thread because it may take as long as a decode.
  func transform(_ fetched: FetchedData) -> JobStep {
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

extension JobOrigin {
  /// Scheme, host and port of a web address.
  init(_ url: URL) {
    self = (try? HTTPOrigin(of: url)).map { JobOrigin(hashing: $0) } ?? .none
  }

  /// The kind of a fetcher: its type.
  init(_ fetcher: any ImageFetching) { self.init(hashing: ObjectIdentifier(type(of: fetcher))) }
}
