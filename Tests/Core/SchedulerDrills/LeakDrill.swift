import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting

/// Random operations on pipelines that come and go: `OzuSchedulerDrills leaks [seconds] [seed]`.
///
/// Each round makes pipelines with a disk cache, a client and interceptors of their own, and loads, prefetches, cancels
/// and removes at random. The sources answer, fail, hang, ask the pipeline themselves, and ignore their cancellation.
/// At the end of a round every pipeline must be released, and at the end of the drill the process must have the
/// descriptors that it began with, and its memory within a fifth. It began when a part of the rounds was over: before
/// that, pools and tables grow to their size.
struct LeakDrill {
  /// A condition that did not become true.
  struct Leak: Error, CustomStringConvertible {
    let description: String
  }

  private var random: SeededGenerator
  private let server: LoopbackServer
  private let picture: Data
  private let folder: URL
  private var roundCount = 0
  private var operationCount = 0

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    server = try LoopbackServer()
    picture = try PatternPicture(PixelSize(width: 160, height: 120)).data(as: .jpeg)
    folder = FileManager.default.temporaryDirectory.appending(path: "ozu-leaks-\(getpid())")
  }

  /// Runs for a number of seconds.
  mutating func run(seconds: Int) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (start, length) = (ContinuousClock.now, Duration.seconds(seconds))
    while roundCount < 20 || start.duration(to: .now) < length / 5 { try await round() }
    let before = Usage.now
    let warmUpCount = roundCount
    while roundCount < 2 * warmUpCount || start.duration(to: .now) < length { try await round() }
    // Connections of released clients end on their own threads.
    try await comesAbout("\(before.descriptorCount) descriptors") {
      Usage.now.descriptorCount <= before.descriptorCount
    }
    let after = Usage.now
    print(
      "\(roundCount) rounds, \(operationCount) operations: \(before.descriptorCount) descriptors and "
        + "\(before.byteCount >> 20) MB after \(warmUpCount) rounds, then \(after.descriptorCount) and "
        + "\(after.byteCount >> 20) MB")
    guard after.byteCount <= before.byteCount + before.byteCount / 5 else {
      throw Leak(description: "the memory has grown by more than a fifth")
    }
  }

  private func comesAbout(_ name: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while !condition() {
      guard ContinuousClock.now < end else {
        throw Leak(description: "round \(roundCount): not within 30 s: \(name), now \(Usage.now)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  // MARK: One round

  /// The pipeline and the tasks of a round, which must be gone at its end.
  private final class Held {
    weak var pipeline: ImagePipeline?
    let options: String
    var tasks: [() -> ImageTask?] = []
    let waits = Waits()

    init(_ pipeline: ImagePipeline, _ options: String) {
      self.pipeline = pipeline
      self.options = options
    }

    func note(_ task: ImageTask) { tasks.append { [weak task] in task } }

    /// The rest that is still there; nil if the pipeline is gone.
    var rest: String? {
      guard let pipeline else { return nil }
      let tasks = tasks.compactMap { $0() }.map {
        "\n  task of \($0.request.source), \($0.result as Any? ?? "running")"
      }
      return "\n\(options), \(waits.counts.withLock { $0 })\(tasks.joined())\n\(pipeline.diagnostics())"
    }
  }

  /// Calls that have not returned, by their names.
  private final class Waits: Sendable {
    let counts = Mutex<[String: Int]>([:])

    func during<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async rethrows -> Value {
      counts.withLock { $0[name, default: 0] += 1 }
      defer { counts.withLock { $0[name] = $0[name].flatMap { $0 > 1 ? $0 - 1 : nil } } }
      return try await body()
    }
  }

  private mutating func round() async throws {
    roundCount += 1
    let gate = Gate()
    server.routeRest { [picture] request in
      switch request.path.hashValue & 7 {
      case 0: .status(404)
      case 1: .noAnswer()
      case 2, 3: .ok(picture, type: "image/jpeg").held(by: gate)
      default: .ok(picture, type: "image/jpeg")
      }
    }
    var held: [Held] = []
    for number in 0..<Int.random(in: 1...3, using: &random) {
      let (pipeline, options) = makePipeline(number)
      let made = Held(pipeline, options)
      held.append(made)
      await operate(pipeline, gate, made)
    }
    // Fetchers that ignore their cancellation wait there.
    gate.open()
    let pipelines = held
    do {
      try await comesAbout("all pipelines are released") { pipelines.allSatisfy { $0.pipeline == nil } }
    } catch {
      throw Leak(description: "\(error)\(pipelines.compactMap(\.rest).joined())")
    }
  }

  private mutating func makePipeline(_ number: Int) -> (ImagePipeline, options: String) {
    let (hasInterceptor, hasDisk, isShared) = (
      Bool.random(using: &random), Bool.random(using: &random), Bool.random(using: &random)
    )
    let width = Int.random(in: 1...12, using: &random)
    let folder = folder.appending(path: "\(number)")
    let pipeline = ImagePipeline {
      $0.network.httpClient = DefaultHTTPClient(configuration: HTTPClientConfiguration())
      $0.network.retryPolicy = .none
      $0.network.networkMonitor = nil
      $0.network.concurrentFetches = width
      $0.network.concurrentFetchesPerOrigin = 3
      $0.network.isRateLimiterEnabled = false
      $0.isCoalescingEnabled = isShared
      $0.caching.memoryCache.costLimit = 1 << 20
      $0.caching.diskStorage = hasDisk ? .folder(folder, capacity: 4 << 20) : .none
      if hasInterceptor { $0.interceptors = [Passing()] }
    }
    return (
      pipeline, "interceptor \(hasInterceptor), disk \(hasDisk), coalescing \(isShared), width \(width)"
    )
  }

  private mutating func operate(_ pipeline: ImagePipeline, _ gate: Gate, _ made: Held) async {
    var tasks: [ImageTask] = []
    var prefetchers: [ImagePrefetcher] = []
    var waits: [Task<Void, Never>] = []
    let calls = made.waits
    for _ in 0..<Int.random(in: 10...80, using: &random) {
      operationCount += 1
      let request = anyRequest(gate, pipeline, calls)
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<4: tasks.append(pipeline.task(for: request))
      case 4:
        let task = pipeline.task(for: request)
        made.note(task)
        task.cancel()
      case 5: tasks.randomElement(using: &random)?.cancel()
      case 6: tasks.randomElement(using: &random)?.priority = anyPriority()
      case 7: tasks.append(pipeline.loadImage(for: request, queue: .global()) { _ in })
      case 8:
        waits.append(Task { _ = try? await calls.during("data") { try await pipeline.data(for: request) } })
      case 9:
        waits.append(
          Task { _ = try? await calls.during("header") { try await pipeline.header(for: request) } })
      case 10:
        waits.append(
          Task {
            _ = try? await calls.during("encoded") { try await pipeline.encoded(for: request, as: .png) }
          })
      case 11:
        let task = pipeline.task(for: request)
        waits.append(Task { await calls.during("events") { for await _ in task.events {} } })
        tasks.append(task)
      case 12:
        let prefetcher = ImagePrefetcher(
          pipeline: pipeline, destination: Bool.random(using: &random) ? .disk : .memory)
        prefetcher.start([request, anyRequest(gate, pipeline, calls)])
        prefetchers.append(prefetcher)
      case 13: prefetchers.randomElement(using: &random)?.stopAll()
      case 14: waits.randomElement(using: &random)?.cancel()
      default: if Int.random(in: 0..<4, using: &random) == 0 { await pipeline.removeAllImages() }
      }
    }
    for task in tasks { made.note(task) }
    if Bool.random(using: &random) { gate.admit(20) }
    for task in tasks where Bool.random(using: &random) { task.cancel() }
    for wait in waits { wait.cancel() }
  }

  private mutating func anyPriority() -> ImagePriority {
    ImagePriority.allCases.randomElement(using: &random) ?? .normal
  }

  private mutating func anyRequest(_ gate: Gate, _ pipeline: ImagePipeline, _ calls: Waits) -> ImageRequest {
    let number = Int.random(in: 0..<40, using: &random)
    let source: ImageSource =
      switch Int.random(in: 0..<8, using: &random) {
      case 0: .fetcher(Deaf(key: "deaf \(number)", gate: gate, calls: calls))
      case 1:
        .fetcher(
          Nested(
            keys: (0...number % 4).map { "nested \(number + $0)" }, picture: picture, pipeline: pipeline,
            calls: calls)
        )
      case 2:
        .fetcher(
          Nested(
            keys: ["cycle \(number)", "cycle", "cycle \(number)"], picture: picture, pipeline: pipeline,
            calls: calls))
      case 3: .data(picture, key: "data \(number)")
      default: .url(server.url("/\(number).jpg"))
      }
    var request = ImageRequest(source, priority: anyPriority())
    if Bool.random(using: &random) {
      request = request.resized(to: PixelSize(width: 8 << Int.random(in: 0..<3, using: &random), height: 32))
    }
    return request
  }

  // MARK: Parts of an app

  private struct Passing: ImageInterceptor {
    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      try await next.load(request)
    }
  }

  /// Ignores its cancellation.
  private struct Deaf: ImageFetching {
    let key: String
    let gate: Gate
    let calls: Waits

    func fetch() async throws -> FetchedImage {
      try await calls.during("deaf") {
        try await Task.detached { () async throws in try await gate.pass() }.value
      }
      throw CancellationError()
    }
  }

  /// Asks for the pictures of the next keys.
  private struct Nested: ImageFetching {
    let keys: [String]
    let picture: Data
    weak var pipeline: ImagePipeline?
    let calls: Waits
    var key: String { keys[0] }

    func fetch() async throws -> FetchedImage {
      if keys.count > 1, let pipeline {
        let next = Nested(keys: Array(keys[1...]), picture: picture, pipeline: pipeline, calls: calls)
        _ = try await calls.during("nested") { try await pipeline.image(for: ImageRequest(.fetcher(next))) }
      }
      return .data(picture)
    }
  }

  /// The resources of the process.
  private struct Usage {
    let descriptorCount: Int
    let byteCount: Int

    static var now: Usage {
      PeakMemory.trimHeap()
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let pageCount = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return Usage(descriptorCount: names.count, byteCount: pageCount * Int(getpagesize()))
    }
  }
}
