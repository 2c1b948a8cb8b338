import Foundation
import OzuHTTP
import OzuSynchronization

/// The job that answers a request which memory could not.
///
/// Its way is the list of `stages`: each says where the job goes and what is done there, or finds nothing and leaves the
/// request to the next. A load holds no thread and no Swift task while it waits for a place or for another job; so one
/// that is called off before its turn has cost a few entries in tables.
///
/// What a store has is believed only as far as it decodes: a rendition or an original that does not is removed, and the
/// load goes on to the next source.
///
/// `Sendable`: what is not constant is written by one call of the runner and read by later ones, or when the job is over.
final class LoadImage: JobWork, @unchecked Sendable {
  /// Goes on after a wait; `nil` leaves the request to the next stage.
  typealias Then = (LoadImage, Wake) -> JobStep?

  /// The way of a request, the cheapest answer first.
  private static let stages: [@Sendable (LoadImage) -> JobStep?] = [
    { $0.lookIntoMemory() },
    { $0.readRendition() },
    { $0.noteMiss() },
    { $0.processPrefix() },
    { $0.deriveFromLarger() },
    { $0.waitForLarger() },
    { $0.fetchSource() },
  ]

  /// What ends a wait: another job, or its deadline.
  struct Wake {
    var input: JobWork?
    var overdue: Int?
  }

  let request: ImageRequest
  let context: LoadContext
  let news = NewsBoard()
  let previewState = Mutex(PreviewState())

  private(set) var outcome: Result<FinishedLoad, ImageError>
  var made = Made()
  /// Whether the bytes were fetched by another load before this one wanted them.
  var isFetchLive = false
  /// Its number among the loads that are noted as running.
  var relative: Int?
  private(set) var id: SlotID?
  private var stage = 0
  private var then: Then?

  /// The bytes of the source that the picture is made of; for who asks the work itself what it was. Before the load has
  /// begun, those that it need not fetch.
  var fetched: FetchedData?

  init(_ request: ImageRequest, _ context: LoadContext, fetched: FetchedData? = nil) {
    self.request = request
    self.fetched = fetched
    self.context = context
    outcome = .failure(.cancelled(""))
  }

  var configuration: ImagePipeline.Configuration { context.configuration }
  var storagePolicy: StoragePolicy { request.storagePolicy ?? configuration.caching.storagePolicy }

  // MARK: From stage to stage

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    guard let then else {
      id = job.id
      begin()
      return advance()
    }
    self.then = nil
    return then(self, Wake(input: job.input, overdue: overdue)) ?? advance()
  }

  override func run(_ job: RunningJob) -> JobStep {
    guard let then else { return fail(.cancelled(request.source.name)) }
    self.then = nil
    return then(self, Wake()) ?? advance()
  }

  private func advance() -> JobStep {
    while stage < Self.stages.count {
      stage += 1
      if let step = Self.stages[stage - 1](self) { return step }
    }
    preconditionFailure("the last stage has an answer")
  }

  /// Goes on in a place of a station.
  func go(_ station: StationID, then: @escaping Then) -> JobStep {
    self.then = then
    return .go(station, size: 0)
  }

  /// Goes on when another job is over.
  func wait(for other: JobDependence, then: @escaping Then) -> JobStep {
    self.then = then
    return .depend(other)
  }

  /// The result of a step and of processors after it: the last of them makes the picture of the request, and those before
  /// it pictures that others may want too.
  func render(
    _ first: RenderStep, _ processors: ArraySlice<any ImageProcessing> = [],
    from origin: any AnyObject & Sendable,
    then: @escaping (LoadImage, Result<Rendered, ImageError>) -> JobStep?
  ) -> JobStep {
    var (last, earlier) = (first, [(RenderStep, CacheKey)]())
    if let processor = processors.last {
      let steps = [first] + processors.dropLast().map(RenderStep.process)
      earlier = Array(zip(steps, request.recipeKeys(beforeLast: steps.count)))
      last = .process(processor)
    }
    let way = StepWork.Way(
      from: origin, of: request.source, context, last: (last, request.key.rendition), earlier: earlier,
      start: configuration.instant, number: context.sharingNumber(),
      keeper: isForEncoding ? origin as? FetchedData : nil)
    let other = StepWork.dependence(on: way, deadline: context.deadline(.wait))
    return wait(for: other) { load, wake in
      if wake.overdue != nil {
        return then(load, .failure(.deadlineExceeded(load.request.source.name, stage: .wait)))
      }
      guard let step = wake.input as? StepWork else { return load.fail(.cancelled(load.request.source.name)) }
      return then(load, step.outcome)
    }
  }

  /// Whether what is made is for a file, and others of the source may follow at once (`EncodingGoal`).
  private var isForEncoding: Bool {
    configuration.isCoalescingEnabled && request.readLayers == .originals && request.writeLayers == .originals
  }

  /// What steps start from, when it is nobody else's.
  final class Origin: Sendable {}

  // MARK: Beginning and end

  private func begin() {
    if isRelative { relative = context.relatives.begin(request) }
  }

  /// Ends with the picture.
  func finish(_ loaded: LoadedPicture) -> JobStep {
    outcome = .success(FinishedLoad(loaded, at: configuration.instant))
    end()
    return .finish(succeeded: true)
  }

  /// Ends with the picture, behind what the caches have no room for yet.
  func finish(_ loaded: LoadedPicture, after writes: [JobDependence]) -> JobStep {
    guard let first = writes.first else { return finish(loaded) }
    return wait(for: first) { load, _ in load.finish(loaded, after: Array(writes.dropFirst())) }
  }

  func fail(_ error: ImageError) -> JobStep {
    removePreview()
    outcome = .failure(error)
    end()
    return .finish(succeeded: false)
  }

  override func left() {
    end()
    news.close()
    then = nil
  }

  private func end() {
    endPreviews()
    if let relative { context.relatives.end(relative, of: request.key.source) }
    relative = nil
  }

  /// Whether smaller pictures may be made from this one.
  private var isRelative: Bool {
    configuration.caching.isDerivationEnabled && request.resize != nil && request.processors.isEmpty
      && request.convertsColors && request.cachePolicy == .useCaches && request.writesMemory
  }

  /// Hears of the download, and of a larger picture that is loaded.
  override func waits(for other: JobWork) {
    switch other {
    case let fetch as FetchWork:
      news.setSizeSource(fetch)
      fetch.news.add(self)
      beginPreviews(of: fetch)
    case let larger as LoadImage:
      news.setSizeSource(larger)
      larger.news.add(self)
    default: break
    }
  }
}

extension LoadImage: NewsListener, SizeSource {
  func sizeIsWanted() { news.sizeIsWanted() }

  func hear(_ news: JobNews) { self.news.relay(news) }

  var wantsSize: Bool { news.wantsSize }
}

extension ImageError {
  /// Whether the load ended because nobody waits any longer, and not because of what it found.
  var isEndOfInterest: Bool {
    kind == .cancelled || kind == .deadlineExceeded
  }
}
