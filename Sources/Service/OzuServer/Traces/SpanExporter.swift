import Dispatch
public import OzuBase
public import OzuHTTP

/// Sends spans to a collector of traces, as OTLP over HTTP in JSON: OpenTelemetry's collector, Jaeger, Tempo and others take it.
///
/// ```swift
/// var configuration = ImageService.Configuration()
/// configuration.spans = SpanExporter(URL(string: "http://127.0.0.1:4318/v1/traces")!)
/// ```
///
/// A request is a span, and the stages of a new picture are spans below it. A trace that the request is a part of (`traceparent`)
/// continues; its flag says whether spans are wanted. Other requests begin a trace.
///
/// Nothing waits for it. A request adds its span to a queue of 2,048 at most; what finds no room is dropped, and counted. A queue of
/// its own encodes and sends, once a second or when 512 spans wait, and does nothing on Swift's cooperative pool. What the collector
/// refuses, or does not take within five seconds, is counted and not sent again.
///
/// One lock guards the state. Nothing is called under it.
public final class SpanExporter: Sendable {
  /// The number of spans so far.
  public struct Counts: Hashable, Sendable {
    /// Spans that the collector has taken.
    public var sent = 0
    /// Spans that found no room in the queue.
    public var dropped = 0
    /// Spans that the collector has refused, or did not take in time.
    public var failed = 0
  }

  fileprivate struct State {
    var spans: [ServiceSpan] = []
    var counts = Counts()
    var isPlanned = false
    var isSending = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private static let largestCount = 2048
  private static let batchCount = 512
  private static let interval = DispatchTimeInterval.seconds(1)

  /// The part of the requests without a trace of their own that begin one, from 0 to 1.
  public let share: Double
  private let request: HTTPRequest
  private let resource: String
  private let client: any HTTPClient
  private let executor = QueueExecutor(label: "ozu.spans")
  private let state = Mutex(State())

  /// Makes an exporter. Nothing is sent before the first span.
  ///
  /// - Parameters:
  ///   - endpoint: the address that takes traces, such as `http://127.0.0.1:4318/v1/traces`.
  ///   - name: the name of the service in traces. Default: `ozu`.
  ///   - version: the version of the program. Default: empty, for none.
  ///   - share: the part of the requests without a trace of their own that begin one, from 0 to 1. Default: 1.
  ///   - headers: further header fields, such as a login. Default: none.
  ///   - client: sends the spans. Default: a client that connects to any network.
  public init(
    _ endpoint: URL, name: String = "ozu", version: String = "", share: Double = 1,
    headers: HTTPHeaders = HTTPHeaders(), client: (any HTTPClient)? = nil
  ) {
    self.share = share
    self.client = client ?? DefaultHTTPClient(configuration: HTTPClientConfiguration())
    let limit = Duration.seconds(5)
    var request = HTTPRequest(
      url: endpoint, method: .post, headers: headers,
      timeouts: HTTPTimeouts(connect: limit, idle: limit, total: limit), maximumBodyByteCount: 64 << 10,
      redirectPolicy: .manual)
    request.headers["Content-Type"] = "application/json"
    self.request = request
    var attributes = [ServiceSpan.attribute("service.name", name)]
    if !version.isEmpty { attributes.append(ServiceSpan.attribute("service.version", version)) }
    resource = attributes.joined(separator: ",")
  }

  /// The number of spans so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// Takes a span. Never waits.
  func offer(_ span: ServiceSpan) {
    let action = state.withLock { state -> Action in
      guard state.spans.count < Self.largestCount else {
        state.counts.dropped += 1
        return .none
      }
      state.spans.append(span)
      return state.next(Self.batchCount)
    }
    perform(action)
  }

  /// Sends what waits, and returns when it is sent or has failed: within some seconds.
  public func flush() async {
    await withCheckedContinuation { continuation in
      let action = state.withLock { state -> Action in
        state.waiters.append(continuation)
        return state.isSending ? .none : state.begin()
      }
      perform(action)
    }
  }

  fileprivate enum Action {
    case none, plan, send
  }

  private func perform(_ action: Action) {
    switch action {
    case .none: break
    case .plan:
      executor.queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
        guard let self else { return }
        perform(state.withLock { state in state.isSending ? .none : state.begin() })
      }
    case .send: Task(executorPreference: executor) { [self] in await send() }
    }
  }

  /// Sends a batch. Runs on the queue.
  private func send() async {
    let spans = state.withLock { state in
      let batch = Array(state.spans.prefix(Self.batchCount))
      state.spans.removeFirst(batch.count)
      return batch
    }
    let isTaken = spans.isEmpty ? true : await post(spans)
    let (action, waiters) = state.withLock { state -> (Action, [CheckedContinuation<Void, Never>]) in
      if isTaken { state.counts.sent += spans.count } else { state.counts.failed += spans.count }
      state.isSending = false
      // A collector that takes nothing is not asked again at once, and nobody waits for it.
      let isDone = !isTaken || state.spans.isEmpty
      let waiters = isDone ? state.waiters : []
      if isDone { state.waiters = [] }
      if !state.waiters.isEmpty { return (state.begin(), waiters) }
      return (state.spans.isEmpty ? Action.none : state.plan(), waiters)
    }
    for waiter in waiters { waiter.resume() }
    perform(action)
  }

  private func post(_ spans: [ServiceSpan]) async -> Bool {
    let objects = spans.flatMap(\.objects).joined(separator: ",")
    var request = request
    request.body = Data(
      ("{\"resourceSpans\":[{\"resource\":{\"attributes\":[\(resource)]},"
        + "\"scopeSpans\":[{\"scope\":{\"name\":\"ozu\"},\"spans\":[\(objects)]}]}]}").utf8)
    guard let (_, response) = try? await client.data(for: request) else { return false }
    return (200..<300).contains(response.status)
  }
}

extension SpanExporter.State {
  /// What follows after a span was added.
  fileprivate mutating func next(_ batchCount: Int) -> SpanExporter.Action {
    if isSending { return .none }
    return spans.count >= batchCount ? begin() : plan()
  }

  fileprivate mutating func begin() -> SpanExporter.Action {
    (isSending, isPlanned) = (true, false)
    return .send
  }

  fileprivate mutating func plan() -> SpanExporter.Action {
    guard !isPlanned else { return .none }
    isPlanned = true
    return .plan
  }
}

private final class QueueExecutor: TaskExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .utility) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
