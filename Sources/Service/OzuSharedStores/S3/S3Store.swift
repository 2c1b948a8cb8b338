import Ozu
import OzuBase
import OzuHTTP

/// A level of storage in a bucket of S3 or of a compatible service: larger, more durable and slower than Redis, for
/// entries that are rarely needed.
///
/// ```swift
/// let bucket = S3Configuration(
///   endpoint: URL(string: "https://s3.eu-central-1.amazonaws.com")!, bucket: "pictures", region: "eu-central-1",
///   credentials: S3Credentials(accessKey: name, secretKey: secret))
/// let store = try S3Store(bucket)
/// let pipeline = ImagePipeline { $0.caching.stores = [store] }
/// ```
///
/// - No load fails because of it, and no step waits longer than `S3Configuration.deadline`. After several failures
///   in a row the service gets no requests for a while.
/// - Entries have the same form as in Redis: an entry that does not match is a miss and is removed.
/// - Objects have no time to live: a lifecycle rule of the bucket removes old ones.
///
/// libcurl signs the requests (AWS Signature Version 4). One lock guards the circuit breaker and the counts of the
/// service.
public final class S3Store: Sendable {
  /// The reason why a store cannot be made.
  public struct InvalidConfiguration: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// One line that says what is wrong.
    public let description: String
    /// The description.
    public var errorDescription: String? { description }

    static let noService = InvalidConfiguration(
      description: "the endpoint is not the address of a service, such as https://s3.example.com")
  }

  struct Answer {
    let status: Int
    let body: Data
    /// The entity tag of the object.
    let tag: String?
  }

  private struct State {
    var breaker: CircuitBreaker
    var counts = SharedStoreNodeStatistics.Counts()
    var times = SharedStoreTimes()
    var lastError: String?
  }

  /// The settings of the store.
  public let configuration: S3Configuration
  let requests: S3Requests
  let counts = SharedStoreCounts()
  let reporter: SharedStoreReporter
  /// The name of the service in messages.
  let node: String
  private let client: any HTTPClient
  private let state: Mutex<State>

  /// Makes a store. Does not connect yet.
  ///
  /// - Throws: `InvalidConfiguration` if the endpoint is not an address with http or https and nothing but a host and a port, or
  ///   if the bucket or the prefix has characters that would need escapes.
  public convenience init(_ configuration: S3Configuration) throws(InvalidConfiguration) {
    try self.init(configuration, client: CurlClient(configuration: configuration.connections))
  }

  init(_ configuration: S3Configuration, client: any HTTPClient) throws(InvalidConfiguration) {
    guard S3Configuration.isService(configuration.endpoint), let host = configuration.endpoint.host() else {
      throw .noService
    }
    guard
      configuration.bucket.map({ S3Configuration.isPlain($0) && !$0.isEmpty && !$0.contains("/") }) ?? true
    else {
      throw InvalidConfiguration(
        description: "the bucket's name has characters that the name of a bucket cannot have")
    }
    guard S3Configuration.isPlain(configuration.keyPrefix), !configuration.keyPrefix.hasPrefix("/") else {
      throw InvalidConfiguration(
        description: "the prefix has other characters than letters, digits, -, _, ., ~ and single /")
    }
    self.configuration = configuration
    self.client = client
    requests = S3Requests(configuration: configuration)
    node = host + (configuration.bucket.map { "/\($0)" } ?? "")
    reporter = SharedStoreReporter(now: configuration.now, configuration.onEvent)
    state = Mutex(State(breaker: CircuitBreaker(configuration.breaker)))
  }

  /// The counts so far, and the state of the service.
  public var statistics: SharedStoreStatistics {
    let service = state.withLock {
      SharedStoreNodeStatistics(
        name: node, state: $0.breaker.state, counts: $0.counts, times: $0.times, lastError: $0.lastError)
    }
    return counts.statistics(nodes: [service])
  }

  var isPermitting: Bool {
    let now = configuration.now()
    return state.withLock { $0.breaker.isPermitting(at: now) }
  }

  /// Asks the service for an object that does not exist, with the credentials. Blocks, for little more than the deadline at
  /// most.
  ///
  /// - Throws: `S3Error` if the service does not answer, refuses, or does not have the bucket.
  public func check() throws(S3Error) {
    // Not `HEAD`, whose answers have no code: a bucket that is missing would look as the object that is.
    let request = requests.get(configuration.keyPrefix + "check", byteCount: 1)
    let answer = try exchange(request, accepted: [200, 206, 404, 416])
    let code = S3Error.code(in: answer.body)
    if answer.status == 404, code == "NoSuchBucket" { throw .refused(status: answer.status, code: code) }
  }

  func keeps(_ kind: ImageStoreKind) -> Bool { kind.isShared(keepingOriginals: configuration.keepsOriginals) }

  /// Makes an exchange, and records its result. Blocks, for little more than the deadline at most.
  ///
  /// - Parameter accepted: the statuses that count as answers. Others are errors.
  func exchange(_ request: HTTPRequest, accepted: Set<Int>) throws(S3Error) -> Answer {
    let now = configuration.now()
    let permit = state.withLock { state in
      let permit = state.breaker.permit(at: now)
      if permit == nil { state.counts.circuitOpen += 1 } else { state.counts.commands += 1 }
      return permit
    }
    guard let permit else { throw .circuitOpen }
    if permit.isProbe { reporter.report(.nodeChanged(node: node, state: .halfOpen, error: nil)) }
    let result = outcome(of: request, accepted: accepted)
    end(permit, result, since: now)
    return try result.get()
  }

  private func outcome(
    of request: HTTPRequest, accepted: Set<Int>
  ) -> Result<Answer, S3Error> {
    let answer = BlockingAnswer<Result<(Data, HTTPResponse), HTTPError>>()
    let task = Task.detached { [client] in
      do throws(HTTPError) {
        let (body, response) = try await client.data(for: request)
        answer.set(.success((body, response)))
      } catch {
        answer.set(.failure(error))
      }
    }
    // The client enforces the deadline. This second limit applies if the cooperative pool is busy.
    guard let result = answer.wait(atMost: configuration.deadline + .milliseconds(50)) else {
      task.cancel()
      return .failure(.timedOut(configuration.deadline))
    }
    switch result {
    case .failure(let error):
      if case .timedOut = error.reason { return .failure(.timedOut(configuration.deadline)) }
      return .failure(.transport(error))
    case .success((let body, let response)):
      if accepted.contains(response.status) {
        return .success(Answer(status: response.status, body: body, tag: response.headers["ETag"]))
      }
      return .failure(.refused(status: response.status, code: S3Error.code(in: body)))
    }
  }

  private func end(
    _ permit: CircuitBreaker.Permit, _ result: Result<Answer, S3Error>, since start: ContinuousClock.Instant
  ) {
    let now = configuration.now()
    let error: S3Error? = if case .failure(let error) = result { error } else { nil }
    let change = state.withLock { state -> SharedStoreNodeState? in
      let before = state.breaker.state
      state.times.add(start.duration(to: now))
      switch error {
      case .timedOut: state.counts.timedOut += 1
      case .refused: state.counts.refused += 1
      case .some(let error) where error.isFailure: state.counts.lost += 1
      case .some, nil: break
      }
      if let error { state.lastError = "\(error)" }
      if error?.isFailure == true {
        state.breaker.fail(permit, at: now)
      } else {
        state.breaker.succeed(permit)
      }
      return before == state.breaker.state ? nil : state.breaker.state
    }
    if let error, case .refused = error, !error.isFailure {
      reporter.report(.refused(node: node, error: "\(error)"))
    }
    if let change { reporter.report(.nodeChanged(node: node, state: change, error: error.map { "\($0)" })) }
  }
}
