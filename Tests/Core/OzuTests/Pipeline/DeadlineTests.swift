import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Deadlines")
struct DeadlineTests {
  private static func stage(_ outcome: Result<ImageResponse, any Error>) -> ImageStage? {
    guard case .failure(let error) = outcome else { return nil }
    return (error as? ImageError)?.stage
  }

  private enum Kind: CaseIterable { case picture, data, file, source, header }

  /// Runs an answer until it is held at a gate, and lets its deadline pass. The download may begin before the answer knows
  /// its subscription, and so its stage.
  private func end<Kind: Answering>(
    _ answer: Kind, _ gate: Gate, _ timer: Gate
  ) async throws -> ImageError? {
    answer.run()
    await gate.arrivals(1)
    await timer.arrivals(1)
    let inner = answer.answer.state.withLock { $0.sideState?.inner } ?? answer
    try await eventually(inner.answer.state.withLock { $0.subscription != nil })
    timer.open()
    do throws(ImageError) {
      _ = try await answer.value
      return nil
    } catch {
      return error
    }
  }

  /// An interceptor that changes nothing.
  private struct Passing: ImageInterceptor {
    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      try await next.load(request)
    }
  }

  @Test(
    "the deadline of a request, of the pipeline and of a stage end pictures, bytes, files and headers alike",
    arguments: Kind.allCases, ["own", "own, intercepted", "total, intercepted", "network"])
  private func kinds(_ kind: Kind, _ limit: String) async throws {
    let (timer, gate) = (Gate(), Gate())
    let fixture = Fixture {
      $0.testing.sleep = { _ in try await timer.pass() }
      if limit.hasSuffix("intercepted") { $0.interceptors = [Passing()] }
      if limit.hasPrefix("total") { $0.stageTimeouts = [.total: .seconds(5)] }
      if limit == "network" { $0.stageTimeouts = [.network: .seconds(5)] }
    }
    var request = ImageRequest(url: try fixture.serve("a.jpg") { $0.held(by: gate) })
    if limit.hasPrefix("own") { request.deadline = .seconds(5) }
    let pipeline = fixture.pipeline
    let error =
      switch kind {
      case .picture: try await end(ImageTask(request, keyed: nil, pipeline: pipeline), gate, timer)
      case .data: try await end(ImageDataTask(request, pipeline: pipeline), gate, timer)
      case .file: try await end(EncodingTask(request, as: .jpeg, pipeline: pipeline), gate, timer)
      case .source: try await end(SourceTask(request, .picture, pipeline: pipeline), gate, timer)
      case .header: try await end(SourceTask(request, .header, pipeline: pipeline), gate, timer)
      }
    #expect(error?.kind == .deadlineExceeded && error?.stage == .network)
    try await eventually(fixture.client.cancelledCount >= 1)
  }

  @Test("other requests that share the work continue")
  func sharing() async throws {
    let (timer, gate) = (Gate(), Gate())
    let fixture = Fixture { $0.testing.sleep = { _ in try await timer.pass() } }
    let request = ImageRequest(url: try fixture.serve("a.jpg") { $0.held(by: gate) })
    var hurried = request
    hurried.deadline = .seconds(5)
    let patient = fixture.pipeline.task(for: request)
    await gate.arrivals(1)
    let task = Task { [hurried] in try await fixture.pipeline.response(for: hurried) }
    await timer.arrivals(1)
    try await eventually(fixture.pipeline.loadSubscriberCount >= 2)
    timer.open()
    #expect(Self.stage(await task.result) == .network)
    gate.open()
    _ = try await patient.image
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a request that ends in time has no error")
  func inTime() async throws {
    let timer = Gate()
    let fixture = Fixture {
      $0.testing.sleep = { _ in try await timer.pass() }
      for stage in ImageStage.allCases { $0.stageTimeouts[stage] = .seconds(10_000) }
    }
    _ = try await fixture.pipeline.image(for: try fixture.serve("a.jpg"))
  }

  @Test("no decoder is free in time")
  func wait() async throws {
    let timer = Gate()
    let fixture = Fixture {
      $0.testing.sleep = { _ in try await timer.pass() }
      $0.stageTimeouts = [.wait: .seconds(1)]
    }
    let url = try fixture.serve("a.jpg")
    fixture.pipeline.suspend(.decode)
    let task = Task { try await fixture.pipeline.response(for: ImageRequest(url: url)) }
    await fixture.pipeline.waiting(1, for: .decode)
    timer.open()
    #expect(Self.stage(await task.result) == .wait)
    #expect(fixture.pipeline.stepCount == 0)
  }

  @Test(
    "a decode and a processor that take too long, by the injected clock",
    arguments: [ImageStage.decode, .process])
  func work(_ stage: ImageStage) async throws {
    let clock = ManualClock()
    let fixture = Fixture {
      $0.testing.now = clock.now
      $0.stageTimeouts = [stage: .seconds(1)]
      if stage == .decode { $0.decoding.codecs.register(decoder: SlowDecoder(clock: clock)) }
    }
    let step = CountingStep("slow") { clock.advance(by: .seconds(2)) }
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, processors: stage == .process ? [step] : [])
    let outcome = await Task { try await fixture.pipeline.response(for: request) }.result
    #expect(Self.stage(outcome) == stage)
    #expect(await fixture.cachedCounts().memory == 0)
  }
}

/// A decoder during whose work two seconds pass.
private struct SlowDecoder: ImageDecoding {
  let clock: ManualClock
  let types: [ImageType] = [.jpeg]

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    WatchedFile(try CodecRegistry.standard.open(data, limits: limits)) {
      [clock] (context) throws(ImageDecodingError) in
      clock.advance(by: .seconds(2))
      try context.checkpoint()
    }
  }
}
