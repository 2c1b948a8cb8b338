import Dispatch
import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Code of the app runs outside all locks of the pipeline", .timeLimit(.minutes(15)))
struct ReentryTests {
  private let reentry = Reentry()

  private func fixture(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> Fixture {
    let fixture = Fixture(configure)
    reentry.pipeline.change { $0 = fixture.pipeline }
    return fixture
  }

  // MARK: Calls

  @Test("the clock may call the pipeline wherever it is read")
  func clock() async throws {
    let reentry = reentry
    let fixture = fixture {
      $0.isProgressiveDecodingEnabled = true
      $0.concurrentFetches = 2
      $0.now = {
        reentry.call()
        return ContinuousClock.now
      }
    }
    defer { reentry.forget() }
    let gate = Gate()
    let tasks = try (0..<40).map { number in
      let url = try fixture.serve("\(number).jpg") { $0.dripping(2000, through: gate) }
      return fixture.pipeline.task(for: ImageRequest(url: url, resize: Fixture.small))
    }
    reentry.task.change { $0 = tasks[39] }
    let previews = tasks[39].previews
    try await eventually(gate.waitingCount == 2)
    // More than the start limiter lets pass for free.
    for task in tasks.prefix(30) { task.cancel() }
    gate.open()
    for task in tasks.suffix(10) { #expect(try await task.image.size == PixelSize(32, 24)) }
    for await preview in previews { #expect(preview.picture.isPreview) }
    #expect(reentry.count > 0)
  }

  /// Calls the pipeline at every event.
  private struct Observer: ImagePipelineObserving {
    let reentry: Reentry

    func requestBegan(_ request: ObservedRequest) { reentry.call() }
    func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
      reentry.call()
    }
    func stageBegan(_ stage: ObservedStage) { reentry.call() }
    func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) { reentry.call() }
    func cacheHit(_ entry: ObservedEntry) { reentry.call() }
    func cacheMissed(_ entry: ObservedEntry) { reentry.call() }
    func cacheStored(_ entry: ObservedEntry) { reentry.call() }
    func cacheEvicted(_ eviction: ObservedEviction) { reentry.call() }
  }

  @Test("observers may call the pipeline at every event")
  func observers() async throws {
    let fixture = fixture {
      $0.observers = [Observer(reentry: reentry)]
      $0.isProgressiveDecodingEnabled = true
      $0.memoryCache.costLimit = 4 * 32 * 24 * 3
    }
    defer { reentry.forget() }
    for number in 0..<8 {
      let url = try fixture.serve("\(number).jpg")
      let request = ImageRequest(url: url, resize: Fixture.small, processors: [CountingStep("a")])
      let task = fixture.pipeline.task(for: request)
      reentry.task.change { $0 = task }
      _ = try await task.image
      _ = fixture.pipeline.cachedImage(for: request)
    }
    let held = fixture.pipeline.task(for: try fixture.serve("held.jpg") { $0.held(by: Gate()) })
    held.cancel()
    await fixture.pipeline.flush()
    #expect(reentry.count > 100)
  }

  /// At the first preview cancels the task, and waits until its load has ended.
  private final class PreviewObserver: ImagePipelineObserving {
    let reentry: Reentry
    /// Whether the load ended while the observer was waiting.
    let hasEnded = Shared<Bool?>(nil)

    init(_ reentry: Reentry) { self.reentry = reentry }

    func cacheStored(_ entry: ObservedEntry) {
      guard entry.layer == .memory, let pipeline = reentry.pipeline.value, let task = reentry.task.value,
        hasEnded.value == nil
      else { return }
      reentry.call()
      task.cancel()
      let end = ContinuousClock.now + .seconds(60)
      var isOver = false
      while !isOver, ContinuousClock.now < end {
        isOver = !pipeline.diagnostics().jobs.contains { $0.kind == .load }
      }
      hasEnded.change { $0 = isOver }
    }
  }

  @Test("an observer may cancel the load at a preview, and blocks no other thread")
  func preview() async throws {
    let observer = PreviewObserver(reentry)
    let fixture = fixture {
      $0.observers = [observer]
      $0.isProgressiveDecodingEnabled = true
      $0.codecs = ImagePipeline.Configuration().codecs
    }
    defer { reentry.forget() }
    let gate = Gate()
    let body = try PatternPicture(PixelSize(640, 480), tint: 2).data(as: .jpeg)
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(body).dripping(body.count / 2, through: gate))
    let task = fixture.pipeline.task(for: url)
    reentry.task.change { $0 = task }
    await gate.arrivals(1)
    gate.admit()
    try await eventually(observer.hasEnded.value != nil)
    #expect(observer.hasEnded.value == true)
    #expect(task.result != nil)
  }

  // MARK: Wake-ups

  /// Calls the pipeline when a task that it runs is woken.
  private final class Executor: TaskExecutor {
    let reentry: Reentry

    init(_ reentry: Reentry) { self.reentry = reentry }

    func enqueue(_ job: consuming ExecutorJob) {
      reentry.call()
      let job = UnownedJob(job)
      DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test("the executor of a task that reads events may call the pipeline")
  func readers() async throws {
    let fixture = fixture()
    defer { reentry.forget() }
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.dripping(500, through: gate) }
    let task = fixture.pipeline.task(for: url)
    reentry.task.change { $0 = task }
    let events = task.events
    let seen = Shared<[Bool]>([])
    let executor = Executor(reentry)
    let reader = Task(executorPreference: executor) {
      for await event in events {
        seen.change { seen in
          if case .finished = event { seen.append(true) } else { seen.append(false) }
        }
      }
    }
    // One event at a time, so that each wakes the reader.
    for count in 1...3 {
      await gate.arrivals(count)
      gate.admit()
      try await eventually(seen.value.count >= count)
    }
    gate.open()
    _ = try await task.image
    await reader.value
    #expect(seen.value.count { $0 } == 1)
    #expect(seen.value.last == true)
    #expect(reentry.count > 3)
  }

  @Test("the executor of a task that reads the ends of prefetches may stop them")
  func prefetchReaders() async throws {
    let fixture = fixture()
    defer { reentry.forget() }
    let gate = Gate()
    let requests = try (0..<4).map {
      ImageRequest(url: try fixture.serve("\($0).jpg") { $0.held(by: gate) })
    }
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    /// Stops the prefetches when a task that it runs is woken for the second time; the first time is its start.
    final class Stopping: TaskExecutor {
      let prefetcher: ImagePrefetcher
      let count = Shared(0)

      init(_ prefetcher: ImagePrefetcher) { self.prefetcher = prefetcher }

      func enqueue(_ job: consuming ExecutorJob) {
        if count.change({
          $0 += 1; return $0 > 1
        }) {
          prefetcher.stopAll()
        }
        let job = UnownedJob(job)
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      }
    }
    let outcomes = prefetcher.start(requests)
    let reader = Task(executorPreference: Stopping(prefetcher)) {
      var count = 0
      for await _ in outcomes { count += 1 }
      return count
    }
    await gate.arrivals(2)
    gate.admit()
    #expect(await reader.value == 4)
    #expect(prefetcher.count == 0)
  }

  // MARK: Releases

  private func tracer(_ count: Shared<Int>) -> Tracer {
    Tracer { [reentry] in
      reentry.call()
      count.change { $0 += 1 }
    }
  }

  @Test("an object of a request that a memory hit replaces may call the pipeline when it is released")
  func hits() async throws {
    let fixture = fixture()
    defer { reentry.forget() }
    let format = CacheFormat("a", size: PixelSize(32, 24), diskCapacity: 1 << 20)
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: format))
    await fixture.pipeline.flush()
    fixture.pipeline.suspend(.store)
    let released = Shared(0)
    for _ in 0..<3 {
      var request = ImageRequest(url: url, format: format)
      request.userInfo["tracer"] = tracer(released)
      #expect(fixture.pipeline.cachedImage(for: request) != nil)
    }
    // The last hit waits to be marked on disk.
    #expect(released.value == 2)
    fixture.pipeline.resume(.store)
    await fixture.pipeline.flush()
    try await eventually(released.value == 3)
    #expect(reentry.count == 3)
  }

  /// Tries its own request before that of the app.
  private struct Twice: ImageInterceptor {
    let first: @Sendable (ImageRequest) -> ImageRequest
    let gate: Gate

    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      if let response = try? await next.load(first(request)) { return response }
      try? await gate.pass()
      return try await next.load(request)
    }
  }

  @Test("an object of a request that an interceptor has tried may call its task when it is released")
  func intercepted() async throws {
    let released = Shared(0)
    let between = Gate()
    let makeTracer: @Sendable () -> Tracer = { [self] in tracer(released) }
    let fixture = fixture {
      $0.interceptors = [
        Twice(
          first: { _ in
            var other = ImageRequest(url: Fixture.url("missing.jpg"))
            other.userInfo["tracer"] = makeTracer()
            return other
          }, gate: between)
      ]
    }
    defer { reentry.forget() }
    let gate = Gate()
    let task = fixture.pipeline.task(for: try fixture.serve("a.jpg") { $0.held(by: gate) })
    reentry.task.change { $0 = task }
    await between.arrivals(1)
    // The load has ended and released the first request; the task has not.
    try await eventually(fixture.pipeline.diagnostics().jobs.isEmpty)
    for _ in 0..<100 { await Task.yield() }
    between.open()
    await gate.arrivals(1)
    try await eventually(released.value == 1)
    gate.open()
    #expect(try await task.image.size == PixelSize(320, 240))
    #expect(reentry.count >= 1)
  }

  /// A processor with an object.
  private struct Step: ImageProcessing {
    let identifier: String
    var tracer: Tracer?

    func process(
      _ bitmap: BGRABitmap, context: ProcessingContext
    ) throws(ProcessingError) -> BGRABitmap { bitmap }
  }

  @Test("a processor whose step another load shares may call the pipeline when it is released")
  func processors() async throws {
    let fixture = fixture()
    defer { reentry.forget() }
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=600") }
    fixture.pipeline.suspend(.decode)
    func renderCount() -> Int { fixture.pipeline.diagnostics().jobs.count { $0.kind == .render } }
    func loadCount() -> Int { fixture.pipeline.diagnostics().jobs.count { $0.kind == .load } }
    func load(_ last: String, _ tracer: Tracer? = nil) -> ImageTask {
      fixture.pipeline.task(
        for: ImageRequest(
          url: url, processors: [Step(identifier: "a", tracer: tracer), Step(identifier: last)]))
    }
    let released = Shared(0)
    var first: ImageTask? = load("b", tracer(released))
    try await eventually(renderCount() == 3)
    let second = load("c")
    // The decode and step "a" are those of the first.
    try await eventually(renderCount() == 4)
    first?.cancel()
    first = nil
    try await eventually(renderCount() == 3 && loadCount() == 1)
    for _ in 0..<100 { await Task.yield() }
    #expect(released.value == 0)
    second.cancel()
    try await eventually(released.value == 1)
    #expect(reentry.count == 1)
    fixture.pipeline.resume(.decode)
  }
}
