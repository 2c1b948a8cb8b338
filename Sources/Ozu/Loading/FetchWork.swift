import Foundation
import OzuHTTP
import OzuSynchronization

/// Brings the bytes of a source: from the disk cache, a file, the network or a fetcher.
///
/// What is known without a look at the disk is decided at once; a place among the reads is asked for where there may be
/// something, and one among the downloads only when the origin must be asked.
///
/// `Sendable`: what is not constant is written by one call of the runner and read by later ones, or when the job is over.
final class FetchWork: JobWork, @unchecked Sendable {
  /// What is done next.
  enum Chore {
    case access
    case readFile(String)
    case readOriginal(any ImageFetching, isFar: Bool)
    indirect case readResponses(HTTPCacheExchange, isFar: Bool)
    case connect(URL)
    indirect case ask(HTTPCacheExchange, HTTPCacheExchange.Question)
    case fetch(any ImageFetching)
    case transform(FetchedData)
  }

  let request: ImageRequest
  let news = NewsBoard()
  /// Where the bytes can be seen while they come; `nil` where no previews are made.
  let tap: BodyTap?
  /// Whether only the header of the picture is wanted, and no more is downloaded than it takes.
  let isForHeader: Bool
  /// The header, where it was known before the whole was there.
  var header: ImageHeader? {
    get { known?.header }
    set { known = newValue.map(KnownHeader.init) }
  }
  private var known: KnownHeader?

  /// Apart, because a header is large, and few downloads have one.
  private final class KnownHeader: Sendable {
    let header: ImageHeader

    init(_ header: ImageHeader) { self.header = header }
  }

  let context: LoadContext
  /// What stands in the place of the client, for a fetcher that streams.
  private(set) var fetcherClient: FetcherClient?
  private(set) var outcome: Result<FetchedData, ImageError>
  var next = Chore.access
  var start: JobInstant?
  /// Its number, while an exchange is under way.
  var id: SlotID?
  /// Of the exchange that is under way. An object of its own: a client that keeps requests keeps nothing else.
  let priority = Mutex<FetchPriority?>(nil)

  init(_ request: ImageRequest, _ context: LoadContext, isForHeader: Bool = false) {
    self.request = request
    self.context = context
    self.isForHeader = isForHeader
    let showsBytes = !isForHeader && context.configuration.decoding.isProgressiveDecodingEnabled
    tap = showsBytes && (request.source.webURL != nil || request.source.isStreamed) ? BodyTap() : nil
    outcome = .failure(.cancelled(""))
  }

  var configuration: ImagePipeline.Configuration { context.configuration }
  var name: String { request.source.name }

  // MARK: The way

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    // To read a picture out of its own address takes as long as it is.
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
      case .network(let url): return try look(for: url)
      case .fetcher(let fetcher as any ImageStreaming):
        let client = FetcherClient(fetcher, name: name, events: context.events)
        fetcherClient = client
        return try look(for: client.request(limit: configuration.decoding.limits.encodedByteCount).url)
      case .fetcher(let fetcher):
        if request.readsOriginals, let pendingWrite { return .depend(pendingWrite) }
        if request.readsOriginals, context.caches.mayHaveOriginal(for: request) {
          return go(.readOriginal(fetcher, isFar: false), in: fileStation)
        }
        if request.readsOriginals { context.caches.noteAbsence(ofOriginal: request) }
        return try ask(fetcher)
      }
    } catch {
      return finish(.failure(error))
    }
  }

  /// Where whole files are read. What a header needs of them waits for no decoder.
  var fileStation: StationID { isForHeader ? .disk : .files }

  /// What waits until the levels have what was loaded of this source last.
  var pendingWrite: JobDependence? { context.backlog.writing(originalOf: request.key.source) }

  override func run(_ job: RunningJob) -> JobStep {
    if cancellation.isRaised { return finish(.failure(.cancelled(name))) }
    do throws(ImageError) {
      switch next {
      case .access: return access()
      case .readFile(let path): return transform(try read(path))
      case .readOriginal(let fetcher, let isFar):
        guard let data = context.caches.original(for: request, isFar: isFar) else {
          return isFar || !context.caches.mayHaveFarOriginal(for: request)
            ? try ask(fetcher) : go(.readOriginal(fetcher, isFar: true), in: .levels)
        }
        return finish(
          .success(FetchedData(.data(data), source: .original, timings: timings(.read), isFromStore: true)))
      case .readResponses(let exchange, let isFar):
        let stored = context.caches.responses(for: exchange.key, of: request, isFar: isFar)
        if stored.isEmpty, !isFar, context.caches.mayHaveFarOriginal(for: request) {
          return go(.readResponses(exchange, isFar: true), in: .levels)
        }
        return try plan(exchange, stored)
      case .transform(let fetched): return finish(transformed(fetched))
      case .connect, .ask, .fetch: preconditionFailure("only a task that suspends asks")
      }
    } catch {
      return finish(.failure(error))
    }
  }

  override func perform(_ job: RunningJob) async -> JobStep {
    if case .access = next {
      // It has stood in this queue unseen (`JobStart.station`), and has the place that it may ask for now.
      switch access() {
      case .go(.network, _): break
      case let step: return step
      }
    }
    switch next {
    case .connect(let url):
      start = configuration.instant
      do throws(ImageError) {
        let exchange = try exchange(with: url)
        guard case .ask(let question) = exchange.plan([]) else { return finish(.failure(.notCached(name))) }
        return await answer(exchange, question, job)
      } catch {
        return finish(.failure(error))
      }
    case .ask(let exchange, let question): return await answer(exchange, question, job)
    case .fetch(let fetcher): return finish(await fetched(by: fetcher))
    default: preconditionFailure("what blocks runs on a thread")
    }
  }

  override func note(_ level: ImagePriority) { priority.withLock { $0 }?.set(level) }

  override func left() {
    // Its task may wait for a place that will not come.
    cancellation.dropWaiter()
    news.close()
    // An exchange that was planned tells its progress to this object.
    next = .access
  }

  func go(_ chore: Chore, in station: StationID, size: Int = 0) -> JobStep {
    next = chore
    return .go(station, size: size)
  }

  func finish(_ outcome: Result<FetchedData, ImageError>) -> JobStep {
    self.outcome = outcome
    if case .success = outcome { return .finish(succeeded: true) }
    return .finish(succeeded: false)
  }
}

// MARK: Other sources

extension FetchWork: SizeSource {
  func sizeIsWanted() { news.sizeIsWanted() }

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

  /// What the app makes of the bytes; on a decoding thread, because it may be as much work.
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
