import Foundation
import Ozu
import OzuHTTP
import OzuSynchronization

/// A level of storage in a bucket of S3, or of a service that speaks as S3 does: large, lasting and slower than Redis, for
/// what is cold.
///
/// ```swift
/// let bucket = S3Configuration(
///   endpoint: URL(string: "https://s3.eu-central-1.amazonaws.com")!, bucket: "pictures", region: "eu-central-1",
///   credentials: S3Credentials(accessKey: name, secretKey: secret))
/// let store = try S3Store(bucket)
/// let pipeline = ImagePipeline { $0.caching.stores = [store] }
/// ```
///
/// - No load fails for it, and none waits longer than `S3Configuration.deadline` for a step. A service that fails several times
///   in a row is left alone for a while.
/// - Entries have the same form as in Redis: what does not fit is a miss, and is removed.
/// - Objects have no time to live: a lifecycle rule of the bucket removes old ones.
///
/// Requests are signed by libcurl (AWS Signature Version 4). One lock guards the breaker and the counts of the service.
public final class S3Store: Sendable {
  /// Why a store cannot be made.
  public struct InvalidConfiguration: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line that says what is wrong.
    public let description: String
  }

  private struct State {
    var breaker: CircuitBreaker
    var counts = SharedStoreNodeStatistics.Counts()
    var lastError: String?
  }

  /// What it was made of.
  public let configuration: S3Configuration
  let requests: S3Requests
  let counts = SharedStoreCounts()
  let news: SharedStoreNews
  /// The service as messages name it.
  let node: String
  private let client: any HTTPClient
  private let state: Mutex<State>

  /// Makes a store. Connects to nothing yet.
  ///
  /// - Throws: `InvalidConfiguration` when the endpoint is no address of http or https, or bucket or prefix have characters
  ///   that would have to be escaped.
  public convenience init(_ configuration: S3Configuration) throws(InvalidConfiguration) {
    try self.init(configuration, client: CurlClient(configuration: configuration.connections))
  }

  init(_ configuration: S3Configuration, client: any HTTPClient) throws(InvalidConfiguration) {
    guard ["http", "https"].contains(configuration.endpoint.scheme?.lowercased()),
      let host = configuration.endpoint.host(), ["", "/"].contains(configuration.endpoint.path()),
      configuration.endpoint.query() == nil
    else {
      throw InvalidConfiguration(
        description: "the endpoint is no address of a service, such as https://s3.example.com")
    }
    guard
      configuration.bucket.map({ S3Configuration.isPlain($0) && !$0.isEmpty && !$0.contains("/") }) ?? true
    else {
      throw InvalidConfiguration(description: "the bucket's name has characters that no bucket has")
    }
    guard S3Configuration.isPlain(configuration.keyPrefix), !configuration.keyPrefix.hasPrefix("/") else {
      throw InvalidConfiguration(
        description: "the prefix has other characters than letters, digits, -, _, ., ~ and single /")
    }
    self.configuration = configuration
    self.client = client
    requests = S3Requests(configuration: configuration)
    node = host + (configuration.bucket.map { "/\($0)" } ?? "")
    news = SharedStoreNews(now: configuration.now, configuration.onEvent)
    state = Mutex(State(breaker: CircuitBreaker(configuration.breaker)))
  }

  /// What it did so far, and how the service is.
  public var statistics: SharedStoreStatistics {
    let service = state.withLock {
      SharedStoreNodeStatistics(
        name: node, state: $0.breaker.state, counts: $0.counts, lastError: $0.lastError)
    }
    return counts.statistics(nodes: [service])
  }

  var isPermitting: Bool {
    let now = configuration.now()
    return state.withLock { $0.breaker.isPermitting(at: now) }
  }

  func keeps(_ kind: ImageStoreKind) -> Bool { kind.isShared(keepingOriginals: configuration.keepsOriginals) }

  /// Makes an exchange, and notes how it ended. Blocks, for little more than the deadline at most.
  ///
  /// - Parameter accepted: statuses that are answers. Others are errors.
  func exchange(_ request: HTTPRequest, accepted: Set<Int>) throws(S3Error) -> (status: Int, body: Data) {
    let now = configuration.now()
    let permit = state.withLock { state in
      let permit = state.breaker.permit(at: now)
      if permit == nil { state.counts.leftAlone += 1 } else { state.counts.commands += 1 }
      return permit
    }
    guard let permit else { throw .leftAlone }
    if permit.isProbe { news.tell(.nodeChanged(node, .halfOpen, nil)) }
    let result = outcome(of: request, accepted: accepted)
    end(permit, result)
    return try result.get()
  }

  private func outcome(
    of request: HTTPRequest, accepted: Set<Int>
  ) -> Result<(status: Int, body: Data), S3Error> {
    let answer = BlockingAnswer<Result<(Data, HTTPResponse), HTTPError>>()
    let task = Task.detached { [client] in
      do throws(HTTPError) {
        let (body, response) = try await client.data(for: request)
        answer.set(.success((body, response)))
      } catch {
        answer.set(.failure(error))
      }
    }
    // The client keeps the deadline. It is kept here too for when the cooperative pool is busy with something else.
    guard let result = answer.wait(atMost: configuration.deadline + .milliseconds(50)) else {
      task.cancel()
      return .failure(.timedOut(configuration.deadline))
    }
    switch result {
    case .failure(let error):
      if case .timedOut = error.reason { return .failure(.timedOut(configuration.deadline)) }
      return .failure(.transport(error))
    case .success((let body, let response)):
      if accepted.contains(response.status) { return .success((response.status, body)) }
      let text = String(decoding: body.prefix(4096), as: UTF8.self)
      let code = S3Listing.texts(of: "Code", in: text).first ?? ""
      return .failure(.refused(status: response.status, code: code))
    }
  }

  private func end(_ permit: CircuitBreaker.Permit, _ result: Result<(status: Int, body: Data), S3Error>) {
    let now = configuration.now()
    let error: S3Error? = if case .failure(let error) = result { error } else { nil }
    let change = state.withLock { state -> SharedStoreNodeState? in
      let before = state.breaker.state
      switch error {
      case .timedOut: state.counts.timedOut += 1
      case .refused: state.counts.refused += 1
      case .some: state.counts.lost += 1
      case nil: break
      }
      if let error { state.lastError = "\(error)" }
      if error?.isFailure == true {
        state.breaker.fail(permit, at: now)
      } else {
        state.breaker.succeed(permit)
      }
      return before == state.breaker.state ? nil : state.breaker.state
    }
    if let change { news.tell(.nodeChanged(node, change, error.map { "\($0)" })) }
  }
}
