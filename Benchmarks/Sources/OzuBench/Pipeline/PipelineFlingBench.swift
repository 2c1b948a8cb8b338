import Ozu
import OzuHTTP
import Synchronization

/// The cost of a cancelled load: a list scrolls fast, and each screen of 200 pictures is requested and cancelled, without
/// a pause. Processor time of the whole process for each load, its end included.
enum PipelineFlingBench {
  static let name = "fling-of-200"
  private static let screenful = 200

  static func row(_ rounds: Int) async throws -> BenchReport.Row {
    let requests = PipelineBench.requests(10_000)
    var samples: [Double] = []
    for round in 0...rounds {
      let pipeline = pipeline()
      let start = ProcessTime.now
      await fling(requests, pipeline)
      let time = ProcessTime.now - start
      if round > 0 { samples.append(time / .microseconds(1) / Double(requests.count)) }
    }
    let pipeline = pipeline()
    let footprint = await Footprint.of { await fling(requests, pipeline) }
    return BenchReport.Row(
      name: name, subject: "ozu", metric: "cpu_us_per_request", samples: samples,
      peakByteCount: footprint.peakByteCount,
      allocationCount: footprint.allocationCount.map { Double($0) / Double(requests.count) }, digits: 3)
  }

  private static func fling(_ requests: [ImageRequest], _ pipeline: ImagePipeline) async {
    for first in stride(from: 0, to: requests.count, by: screenful) {
      let tasks = requests[first..<min(first + screenful, requests.count)].map { pipeline.task(for: $0) }
      for task in tasks { task.cancel() }
      for task in tasks { _ = try? await task.image }
    }
  }

  private static func pipeline() -> ImagePipeline {
    ImagePipeline {
      $0.network.httpClient = EndlessClient()
      $0.caching.diskStorage = .none
    }
  }
}

/// Never answers, and ends a request when it is cancelled, as when a connection is closed.
private final class EndlessClient: HTTPClient {
  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    let exchange = Exchange()
    await withTaskCancellationHandler {
      await withCheckedContinuation { exchange.wait($0) }
    } onCancel: {
      exchange.end()
    }
    throw HTTPError(.cancelled, url: request.url)
  }

  private final class Exchange: Sendable {
    private struct State {
      var waiter: CheckedContinuation<Void, Never>?
      var isOver = false
    }

    private let state = Mutex(State())

    func wait(_ waiter: CheckedContinuation<Void, Never>) {
      let isOver = state.withLock { state in
        if !state.isOver { state.waiter = waiter }
        return state.isOver
      }
      if isOver { waiter.resume() }
    }

    func end() {
      let waiter = state.withLock { state in
        state.isOver = true
        return state.waiter.take()
      }
      waiter?.resume()
    }
  }
}
