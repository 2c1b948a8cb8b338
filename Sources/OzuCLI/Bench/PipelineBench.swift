import Foundation
import Ozu
import OzuHTTP
import OzuSynchronization

/// What a request costs in the pipeline itself: the client answers at once and the decoder makes one pixel, so
/// that what is left is keys, locks, tasks and hops.
///
/// Figures are processor time of the whole process, user and system, per request.
enum PipelineBench {
  static let name = "pipeline"

  static func run(_ options: BenchOptions) async throws -> BenchReport {
    let rounds = options.rounds
    var report = BenchReport(benchmark: name)
    let yardstick = try await rows(rounds, "task-create-and-await", "yardstick:task", count: 20_000) {
      count in
      for index in 0..<count { _ = await Task.detached { index }.value }
    }
    report.rows.append(yardstick)
    report.rows += try await memoryHits(rounds)
    report.rows += try await coldLoads(rounds)
    report.rows += try await sharedAndCancelled(rounds)
    report.rows += try await prefetching(rounds)
    return report
  }

  // MARK: Cases

  private static func memoryHits(_ rounds: Int) async throws -> [BenchReport.Row] {
    let pipeline = pipeline()
    let requests = requests(1000)
    for request in requests { _ = try await pipeline.image(for: request) }
    return [
      try await rows(rounds, "memory-hit-synchronous", count: 200_000) { count in
        for index in 0..<count where pipeline.cachedImage(for: requests[index % 1000]) == nil {
          throw Missed()
        }
      },
      try await rows(rounds, "memory-hit-awaited", count: 100_000) { count in
        for index in 0..<count { _ = try await pipeline.image(for: requests[index % 1000]) }
      },
    ]
  }

  private static func coldLoads(_ rounds: Int) async throws -> [BenchReport.Row] {
    let requests = requests(2000)
    return [
      try await rows(rounds, "cold-load-serial", count: requests.count) { _ in
        let pipeline = pipeline()
        for request in requests { _ = try await pipeline.image(for: request) }
      },
      try await rows(rounds, "cold-load-burst", count: requests.count) { _ in
        let pipeline = pipeline()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for request in requests { group.addTask { _ = try await pipeline.image(for: request) } }
          try await group.waitForAll()
        }
      },
    ]
  }

  private static func sharedAndCancelled(_ rounds: Int) async throws -> [BenchReport.Row] {
    let count = 10_000
    let request = requests(1)[0]
    let many = requests(count)
    return [
      try await rows(rounds, "coalesced", count: count) { count in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<count { group.addTask { _ = try await pipeline.image(for: request) } }
          while client.heldCount == 0 { await Task.yield() }
          client.release()
          try await group.waitForAll()
        }
      },
      try await rows(rounds, "start-and-cancel", count: count) { _ in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        let tasks = many.map { pipeline.task(for: $0) }
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.image }
        client.release()
      },
      try await rows(rounds, "change-priority-of-coalesced", count: count) { count in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        let tasks = (0..<count).map { _ in pipeline.task(for: request) }
        for task in tasks { task.priority = .high }
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.image }
        client.release()
      },
    ]
  }

  private static func prefetching(_ rounds: Int) async throws -> [BenchReport.Row] {
    let many = requests(10_000)
    return [
      try await rows(rounds, "prefetch-start-and-stop", count: many.count) { _ in
        let client = InstantClient(isHeld: true)
        let prefetcher = ImagePrefetcher(pipeline: pipeline(client))
        prefetcher.start(many)
        prefetcher.stop(many)
        client.release()
      }
    ]
  }

  // MARK: Parts

  private struct Missed: Error {}

  private static func pipeline(_ client: InstantClient = InstantClient()) -> ImagePipeline {
    ImagePipeline {
      $0.httpClient = client
      $0.diskStorage = .none
      $0.codecs.register(decoder: OnePixelDecoder())
      $0.memoryCache.costLimit = 64 << 20
    }
  }

  private static func requests(_ count: Int) -> [ImageRequest] {
    (0..<count).compactMap { index in
      URL(string: "https://example.com/albums/holiday/photographs/\(index)/large.jpg").map {
        ImageRequest(url: $0)
      }
    }
  }

  /// Runs a case so many times, after once that does not count; the work gets the number of requests to make.
  private static func rows(
    _ rounds: Int, _ name: String, _ subject: String = "ozu", count: Int, _ work: (Int) async throws -> Void
  ) async throws -> BenchReport.Row {
    var samples: [Double] = []
    for round in 0...rounds {
      let start = ProcessTime.now
      try await work(count)
      let time = ProcessTime.now - start
      if round > 0 { samples.append(time / .microseconds(1) / Double(count)) }
    }
    return BenchReport.Row(name: name, subject: subject, metric: "cpu_us_per_request", samples: samples)
  }
}

/// The processor time of this process.
enum ProcessTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// Answers every request with a few bytes that look like a PNG, at once or when it is released.
private final class InstantClient: HTTPClient {
  private static let body: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private struct State {
    var isHeld: Bool
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(isHeld: Bool = false) {
    state = Mutex(State(isHeld: isHeld))
  }

  var heldCount: Int { state.withLock { $0.held.count } }

  func release() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHeld { state.held.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    let head = HTTPResponseHead(status: 200, url: request.url)
    try sink.begin(head)
    try sink.append(Self.body.span.bytes)
    return HTTPResponse(head: head, bodyByteCount: Self.body.count)
  }
}

/// Makes one pixel of anything that begins like a PNG.
private struct OnePixelDecoder: ImageDecoding {
  let types = [ImageType.png]
  private static let pixel = Bitmap(size: PixelSize(1, 1)) { _, _ in Pixel(red: 1, green: 2, blue: 3) }

  func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    ImageHeader(type: .png, storedSize: PixelSize(1, 1))
  }

  func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    Self.pixel
  }
}
