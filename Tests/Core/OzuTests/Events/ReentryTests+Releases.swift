import OzuTesting
import Testing

@testable import Ozu

/// The release of objects of the app.
extension ReentryTests {
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
