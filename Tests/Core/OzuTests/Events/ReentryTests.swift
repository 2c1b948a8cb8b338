import Dispatch
import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Code of the app runs outside all locks of the pipeline", .timeLimit(.minutes(15)))
struct ReentryTests {
  let reentry = Reentry()

  func fixture(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> Fixture {
    let fixture = Fixture(configure)
    reentry.pipeline.change { $0 = fixture.pipeline }
    return fixture
  }

  // MARK: Calls

  @Test("the clock may call the pipeline wherever it is read")
  func clock() async throws {
    let reentry = reentry
    let fixture = fixture {
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.network.concurrentFetches = 2
      $0.testing.now = {
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
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.caching.memoryCache.costLimit = 4 * 32 * 24 * 3
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

  /// Calls the pipeline whenever it is asked what it writes.
  private struct AskedEncoder: ImageEncoding {
    let reentry: Reentry

    var type: ImageType {
      reentry.call()
      return .png
    }
    var keepsAlpha: Bool { true }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      try CodecRegistry.standard.encode(bitmap, as: .png, options: options)
    }
  }

  @Test("an encoder may call the pipeline wherever it is asked what it writes")
  func encoder() async throws {
    let fixture = fixture { $0.decoding.codecs.register(encoder: AskedEncoder(reentry: reentry)) }
    defer { reentry.forget() }
    let url = try fixture.serve("a.jpg")
    #expect(try await fixture.pipeline.encoded(for: url, as: .png).type == .png)
    #expect(reentry.count > 0)
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
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.decoding.codecs = ImagePipeline.Configuration().decoding.codecs
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
      /// How often the task has run until it waited again.
      let runCount = Shared(0)

      init(_ prefetcher: ImagePrefetcher) { self.prefetcher = prefetcher }

      func enqueue(_ job: consuming ExecutorJob) {
        if count.change({
          $0 += 1; return $0 > 1
        }) {
          prefetcher.stopAll()
        }
        let job = UnownedJob(job)
        DispatchQueue.global().async {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
          self.runCount.change { $0 += 1 }
        }
      }
    }
    let outcomes = prefetcher.start(requests)
    let executor = Stopping(prefetcher)
    let reader = Task(executorPreference: executor) {
      var count = 0
      for await _ in outcomes { count += 1 }
      return count
    }
    await gate.arrivals(2)
    // A task that has not begun to wait is not woken.
    try await eventually(executor.runCount.value == 1)
    gate.admit()
    #expect(await reader.value == 4)
    #expect(prefetcher.count == 0)
  }

}
