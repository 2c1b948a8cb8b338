public import Ozu
import OzuBase
import OzuHTTP
import OzuSharedStores

/// Answers requests for pictures over HTTP. A web framework, or the listener of this module, passes them on.
///
/// ```swift
/// let service = try ImageService(addressing: MyAddresses())
/// let response = await service.respond(to: ServiceRequest(method: "GET", target: "/cat/320.webp"))
/// ```
///
/// A picture in memory is answered at once. Every other request needs one of a limited number of places; without
/// one the answer is 503, at once. The pipeline does the work on its own queues: a request that waits for an origin
/// occupies no place of a decoder. Equal requests share their work, with leases also among the machines of a fleet.
///
/// An answer has a weak entity tag, which depends on the source's bytes and the recipe, and is the same on all
/// machines. A client that sends this tag gets 304, and nothing is decoded.
///
/// | Path | Answer |
/// |---|---|
/// | `/health` | 200 while the process is alive |
/// | `/ready` | 200 while it takes requests, with a line for each cache or store that fails; 503 once it is to end (`beginDraining()`) |
/// | `/metrics` | counts and times as Prometheus reads them |
/// | `/`, `/playground/…` | a page to try options on, where `Configuration.playground` has one |
/// | others | a picture, by the grammar of `addressing` |
public final class ImageService: ServiceResponding {
  /// The settings of the service.
  public let configuration: Configuration
  /// The pipeline that makes the pictures.
  public let pipeline: ImagePipeline
  /// The grammar of the addresses, and how often it was replaced.
  private let grammar: Mutex<(addressing: any PictureAddressing, number: Int)>
  let admission: ServiceAdmission
  let metrics: ServiceMetrics
  let addresses: RememberedAddresses
  let fills: FillCoordinator?
  private let connections = ConnectionCounts()
  let sharedFills = SharedWork<ImageStoreKey, Result<EncodedImage, ImageError>>()

  /// Makes a service. Nothing is opened or started before the first request.
  ///
  /// - Parameter addressing: the grammar of its addresses.
  /// - Throws: `ServiceConfigurationError` for settings that would give strangers access to private data.
  public init(
    addressing: any PictureAddressing, configuration: Configuration = Configuration()
  ) throws(ServiceConfigurationError) {
    try configuration.check()
    grammar = Mutex((addressing, 0))
    self.configuration = configuration
    _ = MetricsPage.startTime
    let metrics = ServiceMetrics()
    var pipelineConfiguration = configuration.pipeline
    pipelineConfiguration.caching.onDiskError = {
      [onDiskError = configuration.pipeline.caching.onDiskError] in
      metrics.noteDiskError()
      onDiskError($0)
    }
    pipelineConfiguration.network.httpClient = CountingClient(
      inner: pipelineConfiguration.network.httpClient, metrics: metrics)
    pipeline = ImagePipeline(pipelineConfiguration)
    admission = ServiceAdmission(limit: configuration.maximumPendingCount)
    self.metrics = metrics
    addresses = RememberedAddresses(maximumCount: configuration.rememberedAddressCount)
    fills = configuration.leases.map { FillCoordinator(leases: $0, policy: configuration.fillPolicy) }
  }

  /// The grammar of the addresses.
  public var addressing: any PictureAddressing { grammar.withLock { $0.addressing } }

  /// The grammar, and the number by which an address that was read by an earlier one is known.
  var currentGrammar: (addressing: any PictureAddressing, number: Int) { grammar.withLock { $0 } }

  /// Reads all further addresses by another grammar: other keys, other rules. Requests that are being answered are answered. Sources
  /// that failed or were refused before are asked for again, because they may be allowed now.
  public func replaceAddressing(by addressing: any PictureAddressing) {
    grammar.withLock { $0 = (addressing, $0.number + 1) }
    pipeline.forgetFailures()
  }

  /// The pages of the service itself alone, for a listener at an address of its own: `/health`, `/ready` and `/metrics`.
  public var statusPages: any ServiceResponding { StatusPages(service: self) }

  /// The rule for a listener that takes the uploads of the playground; `nil` without one.
  public var uploads: UploadRule? {
    var rule = configuration.playground?.uploads
    rule?.retryAfter = configuration.retryAfter
    return rule
  }

  /// The connections of its listeners by state. `/metrics` shows them.
  public var connectionCounts: ConnectionCounts? { connections }

  /// Makes `/ready` answer 503 from now on, so that no more requests are sent here. Requests are still answered.
  public func beginDraining() { metrics.isDraining.store(true, ordering: .relaxed) }

  /// Answers one request.
  public func respond(to request: ServiceRequest) async -> ServiceResponse {
    switch begin(request) {
    case .response(let response): return response
    case .work(let work): return await work()
    }
  }

  /// Counts and logs an answer, and completes it.
  func finish(
    _ answer: ServiceAnswer, of request: ServiceRequest, since start: ContinuousClock.Instant
  ) -> ServiceResponse {
    let id = RequestIdentity.number(of: request) ?? configuration.newRequestNumber()
    note(answer, of: request, id: id, since: start)
    var response = answer.response
    response.headers.add(name: RequestIdentity.field, value: id)
    for field in configuration.responseFields {
      // Caches in front must go on telling formats apart.
      let own = field.name.isEqualIgnoringASCIICase(to: "Vary") ? response.headers["Vary"] : nil
      response.headers[field.name] = own.map { "\($0), \(field.value)" } ?? field.value
    }
    return response
  }

  private func note(
    _ answer: ServiceAnswer, of request: ServiceRequest, id: String?, since start: ContinuousClock.Instant
  ) {
    let duration = start.duration(to: configuration.pipeline.testing.now())
    // An answer to HEAD is sent without its body.
    let byteCount = request.method == "HEAD" ? 0 : answer.response.body.count
    metrics.end(answer, byteCount: byteCount, after: duration)
    guard configuration.log != nil || request.trace != nil else { return }
    var request = request
    if configuration.readsForwardedAddress, let address = RequestIdentity.forwardedAddress(of: request) {
      request.remoteAddress = address
    }
    let record = ServiceLogRecord(
      request, answer, byteCount: byteCount, id: id, duration: duration,
      date: configuration.pipeline.testing.currentDate())
    configuration.log?(record)
    if let spans = configuration.spans, let trace = request.trace, trace.isSampled {
      spans.offer(ServiceSpan(trace: trace, record: record, timings: answer.timings))
    }
  }

  /// The answer to a request that is for a page of the service, or not GET or HEAD.
  func page(for request: ServiceRequest) async -> ServiceAnswer {
    if let answer = await configuration.playground?.answer(to: request, of: self) { return answer }
    guard request.isReading else { return ServiceAnswer(ServiceFailure.notReading) }
    if let answer = await statusPage(for: request) { return answer }
    return await picture(for: request)
  }

  /// The answer for a page about the service itself, with the metrics; `nil` for all other paths.
  private func statusPage(for request: ServiceRequest) async -> ServiceAnswer? {
    guard request.target == "/metrics", configuration.showsMetrics else { return ownAnswer(to: request) }
    return ServiceAnswer(.service, .metrics(await metricsText()))
  }

  /// The answer for a page about the service itself that needs no waiting; `nil` for all other paths.
  func ownAnswer(to request: ServiceRequest) -> ServiceAnswer? {
    switch request.target {
    case "/health": return ServiceAnswer(.service, .line("alive"))
    case "/ready":
      return metrics.isDraining.load(ordering: .relaxed)
        ? ServiceAnswer(ServiceFailure(status: 503, reason: "draining"), kind: .service)
        : ServiceAnswer(.service, .line((["ready"] + problems).joined(separator: "\n")))
    default: return nil
    }
  }

  /// The answer of a listener for the pages of the service alone, which has metrics in any case.
  fileprivate func statusAnswer(to request: ServiceRequest) -> ServiceAnswer {
    guard request.isReading else { return ServiceAnswer(ServiceFailure.notReading) }
    return ownAnswer(to: request)
      ?? ServiceAnswer(ServiceFailure(status: 404, reason: "there is no such page"), kind: .service)
  }

  fileprivate func metricsText() async -> String {
    await metrics.text(
      pipeline: pipeline, pendingCount: admission.count, pendingLimit: configuration.maximumPendingCount,
      connections: connections, stores: sharedStores, spans: configuration.spans?.counts,
      version: configuration.version)
  }

  private var sharedStores: [(name: String, statistics: SharedStoreStatistics)] {
    configuration.pipeline.caching.stores.compactMap { store in
      switch store {
      case let redis as RedisStore: (redis.name, redis.statistics)
      case let bucket as S3Store: (bucket.name, bucket.statistics)
      default: nil
      }
    }
  }

  /// The caches and stores without which the service works, more slowly: a line each, without addresses.
  private var problems: [String] {
    var lines = sharedStores.compactMap { name, statistics -> String? in
      let count = statistics.nodes.count { $0.state != .closed }
      return count == 0 ? nil : "\(name): \(count) of \(statistics.nodes.count) servers not asked"
    }
    if metrics.diskErrorCount > 0 { lines.append("cache: has had errors") }
    return lines
  }

  /// Counts and logs a request that the listener refuses, and completes the answer.
  @discardableResult
  public func noteRefusal(
    of request: ServiceRequest, _ response: ServiceResponse, reason: String
  ) -> ServiceResponse {
    metrics.begin()
    metrics.noteRefusal(reason)
    return finish(
      ServiceAnswer(.failed, response, failure: reason), of: request,
      since: configuration.pipeline.testing.now())
  }
}

/// Answers requests for the pages of a service, and no others.
private struct StatusPages: ServiceResponding {
  let service: ImageService

  func respond(to request: ServiceRequest) async -> ServiceResponse {
    guard isForMetrics(request) else { return service.statusAnswer(to: request).response }
    return .metrics(await service.metricsText())
  }

  func begin(_ request: ServiceRequest) -> ServiceBeginning {
    isForMetrics(request)
      ? .work { await respond(to: request) } : .response(service.statusAnswer(to: request).response)
  }

  private func isForMetrics(_ request: ServiceRequest) -> Bool {
    request.target == "/metrics" && request.isReading
  }
}

/// An answer and its data for the log.
struct ServiceAnswer: Sendable {
  /// The origin of the answer.
  enum Kind: String, CaseIterable {
    /// From the service itself: its health and its metrics.
    case service
    /// From the memory of this process.
    case memory
    /// From a store.
    case store
    /// Made for this request.
    case made
    /// The client has it already.
    case unchanged
    /// There was no place.
    case refused
    /// There is no picture.
    case failed
  }

  let kind: Kind
  let response: ServiceResponse
  /// The complete description of the failure, which may contain details that the client must not see.
  var failure: String?
  /// The source, without secrets.
  var source: String?
  /// What is not as it should be in a picture that was made for this request.
  var notes: [String] = []
  var timings: StageTimings?

  init(_ kind: Kind, _ response: ServiceResponse, source: String? = nil, failure: String? = nil) {
    (self.kind, self.response, self.source, self.failure) = (kind, response, source, failure)
  }

  /// Strangers can invent as many of these addresses as they like, so no cache may keep the answer.
  init(_ refusal: AddressRefusal) {
    self.init(ServiceFailure(status: refusal.status, reason: refusal.reason))
  }

  init(_ failure: ServiceFailure, kind: Kind = .failed, detail: String? = nil) {
    self.kind = kind
    response = failure.response
    self.failure = detail ?? failure.reason
  }
}

extension ServiceResponse {
  fileprivate static func line(_ text: String) -> ServiceResponse {
    plain("\(text)\n", "text/plain; charset=utf-8")
  }

  fileprivate static func metrics(_ text: String) -> ServiceResponse {
    plain(text, "text/plain; version=0.0.4; charset=utf-8")
  }

  private static func plain(_ text: String, _ type: String) -> ServiceResponse {
    ServiceResponse(
      status: 200, headers: ["Content-Type": type, "Cache-Control": "no-store"], body: Data(text.utf8))
  }
}

/// Counts the requests that wait for their answers, and refuses more than a limit.
///
/// One origin gets at most half of the places, so that a slow one cannot take the places of all others.
final class ServiceAdmission: Sendable {
  private struct State {
    var count = 0
    var counts: [HTTPOrigin?: Int] = [:]
  }

  private let limit: Int
  private let limitOfOrigin: Int
  private let state = Mutex(State())

  /// - Parameter limit: the most requests that may wait, at least 2.
  init(limit: Int) {
    self.limit = max(2, limit)
    limitOfOrigin = self.limit / 2
  }

  var count: Int { state.withLock { $0.count } }

  /// Takes a place.
  ///
  /// - Parameter origin: the origin of the source; `nil` for a source without one.
  /// - Returns: whether there was a place. If so, `leave` frees it.
  func enter(_ origin: HTTPOrigin?) -> Bool {
    state.withLock { state in
      let ofOrigin = state.counts[origin, default: 0]
      guard state.count < limit, ofOrigin < limitOfOrigin else { return false }
      state.count += 1
      state.counts[origin] = ofOrigin + 1
      return true
    }
  }

  /// Whether `enter` would refuse now.
  ///
  /// - Parameter origin: computed only if the service is busy: before that no origin can have its half of the places.
  func isFull(for origin: @autoclosure () -> HTTPOrigin?) -> Bool {
    guard count >= limitOfOrigin else { return false }
    let origin = origin()
    return state.withLock { $0.count >= limit || $0.counts[origin, default: 0] >= limitOfOrigin }
  }

  func leave(_ origin: HTTPOrigin?) {
    state.withLock { state in
      state.count -= 1
      let rest = state.counts[origin, default: 1] - 1
      state.counts[origin] = rest == 0 ? nil : rest
    }
  }
}

/// Sources that were fetched and then refused. They are remembered for a while, so that their origins are not asked again at each
/// request: a disk cache keeps no such source, and clients of an error ask again.
extension ImageService {
  /// The failure to answer with, of which the pipeline remembers what lies in the source.
  ///
  /// - Parameter demand: everything beside the source that a refusal depends on.
  func newFailure(_ error: ImageError, of request: ImageRequest, for demand: String) -> ServiceFailure {
    let failure = failure(error)
    // A source that is absent is remembered by the pipeline, as long as its origin says. A file of this machine costs nothing to
    // read again.
    if [400, 403, 422].contains(failure.status), request.source.isRemote {
      pipeline.noteRefusal(error, of: request, for: demand)
    }
    return failure
  }

  /// The same failure, which clients keep no longer than its address is valid.
  func kept(_ failure: ServiceFailure, until end: Date?) -> ServiceFailure {
    guard let end else { return failure }
    var failure = failure
    let valid = end.timeIntervalSince(configuration.pipeline.testing.currentDate())
    (failure.lifetime, failure.mustRevalidate) = (min(failure.lifetime, Int(clamping: valid)), true)
    return failure
  }

  /// The failure to answer with. Nobody gets that of a request whose client has left: for counts and logs, it is no 503 of a busy
  /// service.
  func failure(_ error: ImageError) -> ServiceFailure {
    if error.kind == .cancelled, Task.isCancelled {
      return ServiceFailure(status: ServiceFailure.hasLeft, reason: "the request was cancelled")
    }
    return ServiceFailure(
      error, failureLifetime: configuration.failureLifetime, retryAfter: configuration.retryAfter)
  }
}
