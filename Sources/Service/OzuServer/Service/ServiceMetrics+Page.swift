import Ozu
import OzuBase
import OzuSharedStores

extension ServiceMetrics {
  func text(
    pipeline: ImagePipeline, pendingCount: Int, pendingLimit: Int, connections: ConnectionCounts,
    stores: [(name: String, statistics: SharedStoreStatistics)], spans: SpanExporter.Counts?, version: String
  ) async -> String {
    let contents = await pipeline.cacheContents()
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
    Self.write(connections, to: &page)
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
    Self.write(contents, to: &page)
    Self.write(state, to: &page)
    Self.write(stores, to: &page)
    if let spans {
      page.counts(
        "ozu_trace_spans_total", "Spans for the collector of traces.", "result",
        ["sent": spans.sent, "dropped": spans.dropped, "failed": spans.failed])
    }
    page.writeProcess(version: version)
    return page.text
  }

  /// Nothing behind a web framework, which has the connections.
  private static func write(_ connections: ConnectionCounts, to page: inout MetricsPage) {
    guard let counts = connections.connections else { return }
    page.head("ozu_connections", "gauge", "Open connections, by what they are doing.")
    for state in ConnectionCounts.State.allCases {
      page.line("ozu_connections", ["state": state.rawValue], Double(counts[state] ?? 0))
    }
    page.value("ozu_connections_limit", "gauge", "The most open connections.", connections.limit)
  }

  /// What the caches hold, and what left them for lack of room.
  private static func write(_ contents: CacheContents, to page: inout MetricsPage) {
    let caches = [("memory", contents.encodedMemory)] + (contents.disk.map { [("disk", $0)] } ?? [])
    page.head("ozu_cache_bytes", "gauge", "Bytes in a cache of this process.")
    for (name, part) in caches { page.line("ozu_cache_bytes", ["cache": name], Double(part.byteCount)) }
    page.head("ozu_cache_limit_bytes", "gauge", "The most bytes in a cache of this process.")
    for (name, part) in caches { page.line("ozu_cache_limit_bytes", ["cache": name], Double(part.byteLimit)) }
    page.head("ozu_cache_entries", "gauge", "Entries in a cache of this process.")
    for (name, part) in caches { page.line("ozu_cache_entries", ["cache": name], Double(part.entryCount)) }
    page.head("ozu_cache_evictions_total", "counter", "Entries that left a cache for lack of room.")
    for (name, part) in caches {
      page.line("ozu_cache_evictions_total", ["cache": name], Double(part.evictionCount))
    }
  }

  private static func write(_ state: State, to page: inout MetricsPage) {
    page.counts(
      "ozu_refused_heads_total", "Requests that were refused by their heads.", "reason", state.refusals)
    page.counts(
      "ozu_decoder_failures_total", "Pictures whose decoder crashed, ended, was stopped or did not start.",
      "reason", state.decoderFailures)
    page.counts(
      "ozu_origin_answers_total", "Exchanges with origins, by the class of their status.", "status",
      state.originAnswers)
  }

  private static func write(
    _ stores: [(name: String, statistics: SharedStoreStatistics)], to page: inout MetricsPage
  ) {
    guard !stores.isEmpty else { return }
    page.head("ozu_shared_store_reads_total", "counter", "Reads of a store that machines share.")
    for (store, statistics) in stores {
      for (result, count) in [
        ("hit", statistics.hits), ("miss", statistics.misses), ("damaged", statistics.damaged),
      ] {
        page.line("ozu_shared_store_reads_total", ["store": store, "result": result], Double(count))
      }
    }
    let nodes = stores.flatMap { store in store.statistics.nodes.map { (store: store.name, node: $0) } }
    page.head("ozu_shared_store_commands_total", "counter", "Commands to its servers, by how they ended.")
    for (store, node) in nodes {
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
    page.head("ozu_shared_store_duration_seconds", "histogram", "Times of commands to its servers.")
    for (store, node) in nodes {
      page.histogram(
        "ozu_shared_store_duration_seconds", [("store", store), ("node", node.name)],
        bounds: SharedStoreTimes.bounds, counts: node.times.counts, sum: node.times.sum)
    }
    page.head("ozu_shared_store_state", "gauge", "Whether a server is asked: 0 closed, 1 half-open, 2 open.")
    for (store, node) in nodes {
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
    page.histogram(name, labels, bounds: bounds, counts: times.counts, sum: times.sum)
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
