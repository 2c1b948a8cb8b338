import Foundation
import OzuHTTP
import OzuSynchronization

/// The job that fetches the bytes of a source: from the disk cache, a file, the network or a fetcher.
///
/// Decisions that need no disk access are made at once. The job asks for a place among the reads only if the data may
/// be there, and for a place among the downloads only if the origin must be asked.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class FetchWork: JobWork, @unchecked Sendable {
  /// The next action of the job.
  enum Action {
    case access
    case readFile(String)
    case readOriginal(any ImageFetching, isFar: Bool)
    indirect case readResponses(HTTPCacheExchange, isFar: Bool)
    case connect(URL)
    indirect case ask(HTTPCacheExchange, HTTPCacheExchange.OriginRequest)
    case fetch(any ImageFetching)
    case transform(FetchedData)
  }

  let request: ImageRequest
  let progressEvents = ProgressBroadcast()
  /// Passes on the bytes while they arrive; `nil` if no previews are made.
  let bodyObserver: BodyObserver?
  /// Whether only the header of the picture is wanted. Then no more bytes are downloaded than the header needs.
  let isForHeader: Bool
  /// The header, if it was known before the whole file was there.
  var header: ImageHeader? {
    get { known?.header }
    set { known = newValue.map(KnownHeader.init) }
  }
  private var known: KnownHeader?

  /// A separate object, because a header is large and few downloads store one.
  private final class KnownHeader: Sendable {
    let header: ImageHeader

    init(_ header: ImageHeader) { self.header = header }
  }

  let context: LoadContext
  /// The epochs in which the bytes were asked for.
  let epoch: LoadEpoch
  /// Replaces the HTTP client if the fetcher streams.
  private(set) var fetcherClient: FetcherClient?
  private(set) var outcome: Result<FetchedData, ImageError>
  var next = Action.access
  /// The server or the kind of fetcher that it asks.
  private(set) var origin = JobOrigin.none
  var start: JobInstant?
  /// The identifier of the job, while an exchange runs.
  var id: SlotID?
  /// The priority of the running exchange. A separate object, so that a client that retains its requests retains
  /// nothing else.
  let priority = Mutex<FetchPriority?>(nil)

  init(_ request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, isForHeader: Bool = false) {
    self.request = request
    self.epoch = epoch
    self.context = context
    self.isForHeader = isForHeader
    let showsBytes = !isForHeader && context.configuration.decoding.isProgressiveDecodingEnabled
    bodyObserver =
      showsBytes && (request.source.webURL != nil || request.source.isStreamed) ? BodyObserver() : nil
    outcome = .failure(.cancelled(""))
  }

  var configuration: ImagePipeline.Configuration { context.configuration }
  var name: String { request.source.name }

  // MARK: Steps

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    // Decoding a `data:` URL takes time in proportion to its length.
    request.source.isDataURL ? .go(.decode, size: 0) : access()
  }

  private func access() -> JobStep {
    start = configuration.instant
    do throws(ImageError) {
      switch try configuration.sources.access(request.source) {
      case .bytes(let data):
        return transform(FetchedData(.data(data), source: .original, timings: StageTimings()))
      case .picture(let picture):
        return finish(.success(FetchedData(.picture(picture), source: .original, timings: StageTimings())))
      case .file(let path): return go(.readFile(path), in: fileStation)
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
        if request.readsOriginals, let pendingWrite { return .depend(pendingWrite) }
        if request.readsOriginals, context.caches.mayHave(.original(request)) {
          return go(.readOriginal(fetcher, isFar: false), in: fileStation)
        }
        if request.readsOriginals { context.caches.noteAbsence(.original(request)) }
        return try ask(fetcher)
      }
    } catch {
      return finish(.failure(error))
    }
  }

  /// The station that reads whole files. A header needs no decoder, so it does not wait for the back-pressure of
  /// `files`.
  var fileStation: StationID { isForHeader ? .disk : .files }

  /// The last pending write of this source's original, if there is one.
  var pendingWrite: JobDependence? { context.backlog.writing(originalOf: request.key.source) }

  override func run(_ job: RunningJob) -> JobStep {
    if cancellation.isRaised { return finish(.failure(.cancelled(name))) }
    do throws(ImageError) {
      switch next {
      case .access: return access()
      case .readFile(let path): return transform(try read(path))
      case .readOriginal(let fetcher, let isFar):
        guard let data = context.caches.original(for: request, from: isFar ? .far : .near) else {
          return isFar || !context.caches.mayHave(.original(request), in: .far)
            ? try ask(fetcher) : go(.readOriginal(fetcher, isFar: true), in: .levels)
        }
        return finish(
          .success(FetchedData(.data(data), source: .original, timings: timings(.read), isFromStore: true)))
      case .readResponses(let exchange, let isFar):
        let stored = context.caches.responses(for: exchange.key, from: isFar ? .far : .near)
        if stored.isEmpty, !isFar, context.caches.mayHave(.responses(exchange.key), in: .far) {
          return go(.readResponses(exchange, isFar: true), in: .levels)
        }
        return try plan(exchange, stored)
      case .transform(let fetched): return finish(transformed(fetched))
      case .connect, .ask, .fetch: preconditionFailure("network actions run in a suspending task")
      }
    } catch {
      return finish(.failure(error))
    }
  }

  override func perform(_ job: RunningJob) async -> JobStep {
    if case .access = next {
      // The job was queued here without a look at its source (`JobStart.station`). It now has a place, which it keeps
      // if it needs one.
      switch access() {
      case .go(.network, _, _): break
      case let step: return step
      }
    }
    switch next {
    case .connect(let url):
      start = configuration.instant
      do throws(ImageError) {
        let exchange = try exchange(with: url)
        guard case .ask(let originRequest) = exchange.plan([]) else {
          return finish(.failure(.notCached(name)))
        }
        return await answer(exchange, originRequest, job)
      } catch {
        return finish(.failure(error))
      }
    case .ask(let exchange, let originRequest): return await answer(exchange, originRequest, job)
    case .fetch(let fetcher):
      return finish(await HeldPlace.hold(resumable(job.id), of: self) { await fetched(by: fetcher) })
    default: preconditionFailure("blocking actions run on a thread")
    }
  }

  override func note(_ level: ImagePriority) { priority.withLock { $0 }?.set(level) }

  override func didLeaveGraph() {
    // A job that is removed from a queue was not cancelled before, but its task may wait there for a place that it had given
    // back, and its code may go on. Without the flag the next wait for a place would never end. Of a finished job no code runs.
    cancellation.raise()
    progressEvents.close()
    // A planned exchange holds this object for its progress; this breaks the cycle.
    next = .access
  }

  func go(_ action: Action, in station: StationID, size: Int = 0) -> JobStep {
    next = action
    return .go(station, size: size, origin: origin)
  }

  /// The running job, as it takes its place again after a pause.
  func resumable(_ id: SlotID) -> RunningJob {
    RunningJob(id: id, station: .network, input: nil, runner: context.runner, origin: origin)
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
      .data(data), source: .original, timings: timings(.read), stamp: stamp,
      file: FileIdentity(stamp.number(of: path)))
  }

  private func ask(_ fetcher: any ImageFetching) throws(ImageError) -> JobStep {
    if request.cachePolicy == .cacheOnly { throw .notCached(name) }
    return go(.fetch(fetcher), in: .network)
  }

  private func fetched(by fetcher: any ImageFetching) async -> Result<FetchedData, ImageError> {
    start = configuration.instant
    do {
      let content = try await context.events.observeFetcher(name) { try await fetcher.fetch() }
      return .success(FetchedData(content, source: .network, timings: timings(.network)))
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
    return go(.transform(fetched), in: .decode, size: data.count)
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

  func timings(_ stage: ImageStage) -> StageTimings {
    var timings = StageTimings()
    if let start { timings.add(stage, start.duration(to: configuration.instant)) }
    return timings
  }
}
