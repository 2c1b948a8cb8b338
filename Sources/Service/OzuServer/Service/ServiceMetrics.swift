import Ozu
import OzuBase
import OzuImaging
import OzuSharedStores

/// The counts and times of a service, in the text format of Prometheus.
final class ServiceMetrics: Sendable {
  /// The upper bounds of the histogram's buckets, in seconds.
  private static let bounds = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  private struct Times {
    var counts = [Int](repeating: 0, count: ServiceMetrics.bounds.count + 1)
    var sum = 0.0

    mutating func add(_ seconds: Double) {
      counts[ServiceMetrics.bounds.firstIndex { seconds <= $0 } ?? ServiceMetrics.bounds.count] += 1
      sum += seconds
    }
  }

  /// A stage of making pictures of a format. There are few of both, so there are few lines.
  private struct Step: Hashable, Comparable {
    let stage: String
    let format: String

    static func < (a: Step, b: Step) -> Bool { (a.stage, a.format) < (b.stage, b.format) }
  }

  private struct State {
    var statuses: [Int: Int] = [:]
    var steps: [Step: Times] = [:]
    var times: [ServiceAnswer.Kind: Times] = [:]
    var byteCount = 0
    var underWayCount = 0
    var diskErrorCount = 0
  }

  /// Whether requests should be sent to other machines.
  let isDraining = Atomic(false)
  private let state = Mutex(State())

  func begin() { state.withLock { $0.underWayCount += 1 } }

  func end(_ answer: ServiceAnswer, after duration: Duration) {
    let seconds = duration / .seconds(1)
    state.withLock { state in
      state.underWayCount -= 1
      state.statuses[answer.response.status, default: 0] += 1
      state.byteCount += answer.response.body.count
      state.times[answer.kind, default: Times()].add(seconds)
    }
  }

  /// Counts the times of the stages of a new picture.
  func note(_ timings: StageTimings, of type: ImageType) {
    state.withLock { state in
      for entry in timings.entries {
        let step = Step(stage: entry.stage.rawValue, format: type.rawValue)
        state.steps[step, default: Times()].add(entry.duration / .seconds(1))
      }
    }
  }

  /// Counts an error of the disk cache; each kind comes once.
  func noteDiskError() { state.withLock { $0.diskErrorCount += 1 } }

  /// The kinds of errors that the disk cache has had.
  var diskErrorCount: Int { state.withLock { $0.diskErrorCount } }

  /// The complete page, including the counts of the pipeline.
  func text(
    pipeline: ImagePipeline, pendingCount: Int, pendingLimit: Int,
    stores: [(name: String, statistics: SharedStoreStatistics)], version: String
  ) -> String {
    let state = state.withLock { $0 }
    var page = MetricsPage()
    page.head("ozu_requests_total", "counter", "Answers by status.")
    for (status, count) in state.statuses.sorted(by: { $0.key < $1.key }) {
      page.line("ozu_requests_total", ["status": "\(status)"], Double(count))
    }
    page.head("ozu_request_duration_seconds", "histogram", "Times until the answer, by where it came from.")
    for kind in ServiceAnswer.Kind.allCases {
      if let times = state.times[kind] {
        Self.write(times, "ozu_request_duration_seconds", [("result", kind.rawValue)], to: &page)
      }
    }
    page.head(
      "ozu_step_duration_seconds", "histogram",
      "Times of the stages of new pictures, with waiting, by the format that was written.")
    for (step, times) in state.steps.sorted(by: { $0.key < $1.key }) {
      Self.write(
        times, "ozu_step_duration_seconds", [("step", step.stage), ("format", step.format)], to: &page)
    }
    page.value("ozu_response_bytes_total", "counter", "Bytes of bodies.", state.byteCount)
    page.value("ozu_requests_under_way", "gauge", "Requests without an answer yet.", state.underWayCount)
    page.value(
      "ozu_requests_pending", "gauge", "Requests that hold a place in the queue.", pendingCount)
    page.value("ozu_requests_pending_limit", "gauge", "The most requests that may wait.", pendingLimit)
    page.value(
      "ozu_draining", "gauge", "Whether requests are to be sent elsewhere.",
      isDraining.load(ordering: .relaxed) ? 1 : 0)
    Self.write(pipeline.statistics, to: &page)
    page.head("ozu_queue_running", "gauge", "Work that runs at the moment, by kind.")
    let queues = pipeline.diagnostics().queues
    for queue in queues {
      page.line("ozu_queue_running", ["kind": queue.kind.rawValue], Double(queue.runningCount))
    }
    page.head("ozu_queue_waiting", "gauge", "Work that waits for its turn, by kind.")
    for queue in queues {
      page.line("ozu_queue_waiting", ["kind": queue.kind.rawValue], Double(queue.waitingCount))
    }
    page.value(
      "ozu_disk_cache_errors_total", "counter",
      "Kinds of errors that the disk cache has had; each is in the log once.",
      state.diskErrorCount)
    for (name, statistics) in stores { Self.write(statistics, of: name, to: &page) }
    page.writeProcess(version: version)
    return page.text
  }

  private static func write(_ statistics: SharedStoreStatistics, of store: String, to page: inout MetricsPage)
  {
    page.head("ozu_shared_store_reads_total", "counter", "Reads of a store that machines share.")
    for (result, count) in [
      ("hit", statistics.hits), ("miss", statistics.misses), ("damaged", statistics.damaged),
    ] {
      page.line("ozu_shared_store_reads_total", ["store": store, "result": result], Double(count))
    }
    page.head("ozu_shared_store_commands_total", "counter", "Commands to its servers, by how they ended.")
    for node in statistics.nodes {
      let counts = node.counts
      for (result, count) in [
        ("begun", counts.commands), ("timed_out", counts.timedOut), ("lost", counts.lost),
        ("refused", counts.refused), ("circuit_open", counts.circuitOpen), ("dropped", counts.dropped),
      ] {
        page.line(
          "ozu_shared_store_commands_total", ["store": store, "node": node.name, "result": result],
          Double(count))
      }
    }
    page.head("ozu_shared_store_state", "gauge", "Whether a server is asked: 0 closed, 1 half-open, 2 open.")
    for node in statistics.nodes {
      let state: Double =
        switch node.state {
        case .closed: 0
        case .halfOpen: 1
        case .open: 2
        }
      page.line("ozu_shared_store_state", ["store": store, "node": node.name], state)
    }
  }

  private static func write(
    _ times: Times, _ name: String, _ labels: [(String, String)], to page: inout MetricsPage
  ) {
    var sum = 0
    for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], times.counts) {
      sum += count
      page.line("\(name)_bucket", labels + [("le", bound)], Double(sum))
    }
    page.line("\(name)_sum", labels, times.sum)
    page.line("\(name)_count", labels, Double(sum))
  }

  private static func write(_ statistics: PipelineStatistics, to page: inout MetricsPage) {
    page.value("ozu_decodes_total", "counter", "Pictures decoded.", statistics.decodes)
    page.value("ozu_encodes_total", "counter", "Files encoded.", statistics.encodes)
    page.value(
      "ozu_coalesced_total", "counter", "Requests that shared the work of an equal one.", statistics.coalesced
    )
    page.value("ozu_origin_requests_total", "counter", "Exchanges with origins.", statistics.networkLoads)
    page.value(
      "ozu_origin_failures_total", "counter", "Exchanges with origins that failed or were interrupted.",
      statistics.networkFailures)
    page.value("ozu_origin_bytes_total", "counter", "Bytes from origins.", statistics.downloadedByteCount)
    page.value("ozu_store_hits_total", "counter", "Files that a store had.", statistics.encoded.hits)
    page.value("ozu_store_misses_total", "counter", "Files that no store had.", statistics.encoded.misses)
    page.value(
      "ozu_store_dropped_writes_total", "counter", "Writes to stores that were dropped.",
      statistics.droppedStoreWrites)
  }
}
