import Ozu
import OzuBase
import OzuHTTP
import OzuImaging

/// The counts and times of a service, in the text format of Prometheus.
final class ServiceMetrics: Sendable {
  /// The upper bounds of the histogram's buckets, in seconds.
  static let bounds = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  struct Times {
    var counts = [Int](repeating: 0, count: ServiceMetrics.bounds.count + 1)
    var sum = 0.0

    mutating func add(_ seconds: Double) {
      counts[ServiceMetrics.bounds.firstIndex { seconds <= $0 } ?? ServiceMetrics.bounds.count] += 1
      sum += seconds
    }
  }

  /// A stage of making pictures of a format. There are few of both, so there are few lines.
  struct Step: Hashable, Comparable {
    let stage: String
    let format: String

    static func < (a: Step, b: Step) -> Bool { (a.stage, a.format) < (b.stage, b.format) }
  }

  struct State {
    var statuses: [Int: Int] = [:]
    var steps: [Step: Times] = [:]
    var times: [ServiceAnswer.Kind: Times] = [:]
    var byteCount = 0
    var underWayCount = 0
    var diskErrorCount = 0
    /// The requests that were refused by their heads, by the reason.
    var refusals: [String: Int] = [:]
    /// The pictures that failed because their decoder did, by the reason.
    var decoderFailures: [String: Int] = [:]
    /// The answers of origins, by the class of their status.
    var originAnswers: [String: Int] = [:]
  }

  /// Whether requests should be sent to other machines.
  let isDraining = Atomic(false)
  let state = Mutex(State())

  func begin() { state.withLock { $0.underWayCount += 1 } }

  func end(_ answer: ServiceAnswer, byteCount: Int, after duration: Duration) {
    let seconds = duration / .seconds(1)
    state.withLock { state in
      state.underWayCount -= 1
      state.statuses[answer.response.status, default: 0] += 1
      state.byteCount += byteCount
      state.times[answer.kind, default: Times()].add(seconds)
    }
  }

  func note(_ timings: StageTimings, of type: ImageType) {
    state.withLock { state in
      for entry in timings.entries {
        let step = Step(stage: entry.stage.rawValue, format: type.rawValue)
        state.steps[step, default: Times()].add(entry.duration / .seconds(1))
      }
    }
  }

  /// The most reasons that are told apart. There are fewer; this keeps labels bounded if one of them ever has text of a client.
  static let largestReasonCount = 64

  func noteRefusal(_ reason: String) {
    state.withLock { state in
      let isKnown = state.refusals[reason] != nil || state.refusals.count < Self.largestReasonCount
      state.refusals[isKnown ? reason : "other", default: 0] += 1
    }
  }

  func note(_ failure: DecoderFailure) {
    let reason =
      switch failure {
      case .crashed: "crashed"
      case .ended: "ended"
      case .stopped(.time): "time"
      case .stopped(.cpuTime): "processor_time"
      case .stopped(.memory): "memory"
      case .wrongAnswer: "wrong_answer"
      case .unavailable: "unavailable"
      case .other: "other"
      }
    state.withLock { $0.decoderFailures[reason, default: 0] += 1 }
  }

  /// Counts an answer of an origin; `nil` for an exchange without one.
  func noteOriginAnswer(_ status: Int?) {
    let kind = status.map { (100..<600).contains($0) ? "\($0 / 100)xx" : "other" } ?? "none"
    state.withLock { $0.originAnswers[kind, default: 0] += 1 }
  }

  /// Counts an error of the disk cache; each kind comes once.
  func noteDiskError() { state.withLock { $0.diskErrorCount += 1 } }

  /// The kinds of errors that the disk cache has had.
  var diskErrorCount: Int { state.withLock { $0.diskErrorCount } }
}

/// Counts the answers of origins by the class of their status.
struct CountingClient: HTTPClient {
  let inner: any HTTPClient
  let metrics: ServiceMetrics

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    do throws(HTTPError) {
      let response = try await inner.send(request, into: sink)
      metrics.noteOriginAnswer(response.status)
      return response
    } catch {
      if error.reason != .cancelled { metrics.noteOriginAnswer(nil) }
      throw error
    }
  }
}
