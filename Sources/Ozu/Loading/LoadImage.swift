import Foundation
import OzuHTTP
import OzuSynchronization

/// The job that answers a request that the memory cache could not answer.
///
/// It works through the list of `stages`. Each stage says where the job goes and what it does there, or finds nothing
/// and leaves the request to the next stage. A load holds no thread and no Swift task while it waits for a place or
/// for another job, so a load that is cancelled before it starts has cost only a few table entries.
///
/// Stored data is trusted only if it decodes: a rendition or an original that does not decode is removed, and the
/// load continues with the next source.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class LoadImage: JobWork, @unchecked Sendable {
  /// Continues after a wait; `nil` leaves the request to the next stage.
  typealias Then = (LoadImage, Wake) -> JobStep?

  /// The stages of a load, the cheapest answer first.
  private static let stages: [@Sendable (LoadImage) -> JobStep?] = [
    { $0.lookIntoMemory() },
    { $0.readRendition() },
    { $0.noteMiss() },
    { $0.processPrefix() },
    { $0.deriveFromLarger() },
    { $0.waitForLarger() },
    { $0.fetchSource() },
  ]

  /// The reason why a wait ended: the other job finished, or the deadline passed.
  struct Wake {
    var input: JobWork?
    var overdue: Int?
  }

  let request: ImageRequest
  let context: LoadContext
  /// The epochs in which the load was asked for.
  let epoch: LoadEpoch
  let progressEvents = ProgressBroadcast()
  let previewState = Mutex(PreviewState())

  private(set) var outcome: Result<FinishedLoad, ImageError>
  var cachedResult = CachedResult()
  /// Whether the bytes come from an earlier fetch that another load still holds.
  var isFetchReused = false
  /// The origin of its download, if only that can answer.
  var origin = JobOrigin.none
  /// Its identifier in `KnownVariants`, if smaller pictures can be derived from the result.
  var variantID: Int?
  private(set) var id: SlotID?
  private var stage = 0
  private var then: Then?

  /// The bytes of the source from which the picture was made, for code that holds the work itself. Before the load
  /// begins: bytes that it need not fetch.
  var fetched: FetchedData?

  init(_ request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, fetched: FetchedData? = nil) {
    self.request = request
    self.epoch = epoch
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

  /// Continues when the job has a place in a station.
  func go(_ station: StationID, then: @escaping Then) -> JobStep {
    self.then = then
    return .go(station, size: 0)
  }

  /// Continues when another job is over.
  func wait(for other: JobDependence, then: @escaping Then) -> JobStep {
    self.then = then
    return .depend(other)
  }

  /// Runs a first step and then processors. The last step makes the picture of the request; the results of the steps
  /// before it can be shared with other requests.
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
    let sharing = context.sharingNumber()
    let number = sharing == 0 && request.recipe.hasHooks ? request.formatNumber : sharing
    let chain = StepWork.Chain(
      from: origin, of: request.source, context, last: (last, request.key.rendition), earlier: earlier,
      start: configuration.instant, number: number,
      resultStore: isForEncoding ? origin as? FetchedData : nil)
    let other = StepWork.dependence(on: chain, deadline: context.deadline(.wait))
    return wait(for: other) { load, wake in
      if wake.overdue != nil {
        return then(load, .failure(.deadlineExceeded(load.request.source.name, stage: .wait)))
      }
      guard let step = wake.input as? StepWork else { return load.fail(.cancelled(load.request.source.name)) }
      return then(load, step.outcome)
    }
  }

  /// Whether the picture is made for an encoded image (`EncodingGoal`). Other files of the same source often follow
  /// at once.
  private var isForEncoding: Bool {
    configuration.isCoalescingEnabled && request.readLayers == .originals && request.writeLayers == .originals
      && !request.recipe.hasHooks
  }

  /// An origin of steps that no other load shares.
  final class Origin: Sendable {}

  // MARK: Beginning and end

  private func begin() {
    if canBeDerivedFrom { variantID = context.variants.begin(request, epoch) }
  }

  /// Finishes with the picture.
  func finish(_ loaded: LoadedPicture) -> JobStep {
    outcome = .success(FinishedLoad(loaded, at: configuration.instant))
    end()
    return .finish(succeeded: true)
  }

  /// Finishes with the picture, after the writes for which the backlog has no room yet.
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

  override func didLeaveGraph() {
    end()
    progressEvents.close()
    then = nil
  }

  private func end() {
    endPreviews()
    if let variantID { context.variants.end(variantID, of: request.key.source) }
    variantID = nil
  }

  /// Whether smaller pictures may be derived from this one.
  private var canBeDerivedFrom: Bool {
    configuration.caching.isDerivationEnabled && request.resize != nil && request.recipe.servesOthers
      && request.cachePolicy == .useCaches && request.writesMemory
  }

  /// Subscribes to the progress of the download, or of the load of a larger picture.
  override func waits(for other: JobWork) {
    switch other {
    case let fetch as FetchWork:
      progressEvents.setSizeSource(fetch)
      fetch.progressEvents.add(self)
      beginPreviews(of: fetch)
    case let larger as LoadImage:
      progressEvents.setSizeSource(larger)
      larger.progressEvents.add(self)
    default: break
    }
  }
}

extension LoadImage: ProgressListener, SizeSource {
  func sizeIsWanted() { progressEvents.sizeIsWanted() }

  func receive(_ event: ProgressEvent) { progressEvents.relay(event) }

  var wantsSize: Bool { progressEvents.wantsSize }
}

extension ImageError {
  /// Whether the load ended because it was cancelled or its deadline passed, and not because of the source or the
  /// data.
  var isCancelledOrLate: Bool {
    kind == .cancelled || kind == .deadlineExceeded
  }
}
