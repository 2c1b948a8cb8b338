import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Interceptors run around the whole load")
struct InterceptorTests {
  /// Records its calls under a name.
  private struct Watcher: ImageInterceptor {
    let name: String
    let notes: Shared<[String]>

    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      notes.change { $0.append("\(name) in") }
      do throws(ImageError) {
        let response = try await next.load(request)
        notes.change { $0.append("\(name) \(response.source.rawValue)") }
        return response
      } catch {
        notes.change { $0.append("\(name) \(error.kind)") }
        throw error
      }
    }
  }

  /// Answers some URLs itself.
  private struct Answerer: ImageInterceptor {
    let picture: Picture

    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      guard request.source.name.hasSuffix("placeholder") else { return try await next.load(request) }
      return ImageResponse(picture, for: request, source: .memory)
    }
  }

  /// Sends requests to another URL.
  private struct Redirector: ImageInterceptor {
    let url: URL

    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      try await next.load(ImageRequest(url: url, resize: request.resize))
    }

    func interceptData(
      _ request: ImageRequest, next: ImageLoadChain<Data>
    ) async throws(ImageError) -> Data {
      try await next.load(ImageRequest(url: url))
    }

    func interceptEncoded(
      _ request: ImageRequest, as format: OutputFormat, next: ImageLoadChain<EncodedImage>
    ) async throws(ImageError) -> EncodedImage {
      try await next.load(ImageRequest(url: url, resize: request.resize))
    }
  }

  /// Retries a number of times.
  private struct Retrier: ImageInterceptor {
    let count: Int

    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      for _ in 1..<count {
        do throws(ImageError) { return try await next.load(request) } catch {}
      }
      return try await next.load(request)
    }
  }

  /// Loads when the gate has let it pass, or when it has been cancelled there.
  private struct Late: ImageInterceptor {
    let gate: Gate
    let count: Shared<Int>

    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      try? await gate.pass()
      defer { count.change { $0 += 1 } }
      return try await next.load(request)
    }
  }

  @Test("a task that was cancelled before its interceptor loads keeps neither itself nor the pipeline")
  func released() async throws {
    weak var pipeline: ImagePipeline?
    weak var task: ImageTask?
    let (gate, count) = (Gate(), Shared(0))
    do {
      let fixture = Fixture { $0.interceptors = [Late(gate: gate, count: count)] }
      let running = fixture.pipeline.task(for: try fixture.serve("a.jpg"))
      (pipeline, task) = (fixture.pipeline, running)
      await gate.arrivals(1)
      running.cancel()
      try await eventually(count.value == 1)
    }
    try await eventually(task == nil && pipeline == nil)
  }

  private enum Way: String, CaseIterable {
    case image, task, callback, prefetcher
  }

  @Test("interceptors run in their order, for every kind of call", arguments: Way.allCases)
  private func order(_ way: Way) async throws {
    let notes = Shared<[String]>([])
    let fixture = Fixture {
      $0.interceptors = [Watcher(name: "first", notes: notes), Watcher(name: "second", notes: notes)]
    }
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url)
    switch way {
    case .image: _ = try await fixture.pipeline.image(for: request)
    case .task: _ = try await fixture.pipeline.task(for: request).image
    case .callback:
      _ = await withCheckedContinuation { continuation in
        fixture.pipeline.loadImage(for: request, queue: .global()) { continuation.resume(returning: $0) }
      }
    case .prefetcher:
      let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
      for await _ in prefetcher.start([request]) {}
    }
    #expect(notes.value == ["first in", "second in", "second network", "first network"])
  }

  @Test("interceptors also run for pictures in memory, but not for the synchronous lookup")
  func memory() async throws {
    let notes = Shared<[String]>([])
    let fixture = Fixture { $0.interceptors = [Watcher(name: "a", notes: notes)] }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    notes.change { $0 = [] }
    #expect(fixture.pipeline.cachedImage(for: url) != nil)
    #expect(notes.value == [])
    _ = try await fixture.pipeline.image(for: url)
    #expect(notes.value == ["a in", "a memory"])
  }

  @Test("an interceptor may answer; the later ones and the network are not asked")
  func answering() async throws {
    let notes = Shared<[String]>([])
    let answer = Picture.color(.white)
    let fixture = Fixture {
      $0.interceptors = [Answerer(picture: answer), Watcher(name: "behind", notes: notes)]
    }
    let response = try await fixture.pipeline.response(for: ImageRequest(url: Fixture.url("placeholder")))
    #expect(response.picture.isColor(.white))
    #expect(response.source == .memory)
    #expect(notes.value == [])
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("an interceptor may change the request, also one for bytes")
  func changing() async throws {
    let target = Fixture.url("b.jpg")
    let fixture = Fixture { $0.interceptors = [Redirector(url: target)] }
    try fixture.serve("b.jpg")
    let picture = try await fixture.pipeline.image(
      for: ImageRequest(url: Fixture.url("a.jpg"), resize: Fixture.small))
    #expect(picture.size == PixelSize(32, 24))
    let data = try await fixture.pipeline.data(for: Fixture.url("a.jpg"))
    #expect(data == (try Fixture.photo.data(as: .jpeg)))
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .disk)
    for await outcome in prefetcher.start([ImageRequest(url: Fixture.url("c.jpg"))]) {
      guard case .done = outcome.ending else {
        Issue.record("\(outcome.ending)")
        continue
      }
    }
    #expect(Set(fixture.client.requests.map(\.url)) == [target])
  }

  @Test("a file of another source is not made from the bytes that were fetched for the request")
  func changingWithBytes() async throws {
    let fixture = Fixture { $0.interceptors = [Redirector(url: Fixture.url("b.jpg"))] }
    try fixture.serve("b.jpg")
    let other = PatternPicture(PixelSize(40, 30), tint: 3)
    fixture.client.reply(to: Fixture.url("a.jpg"), with: .ok(try other.data(as: .jpeg)))
    let request = ImageRequest(url: Fixture.url("a.jpg"))
    let original = try await fixture.pipeline.original(of: request)
    let file = try await fixture.pipeline.encoded(for: request, as: .png, from: original)
    #expect(file.size == PixelSize(320, 240))
  }

  @Test("an interceptor may retry; errors pass through all of them")
  func retrying() async throws {
    let notes = Shared<[String]>([])
    let fixture = Fixture {
      $0.interceptors = [Retrier(count: 3), Watcher(name: "a", notes: notes)]
    }
    let url = Fixture.url("a.jpg")
    let body = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply(
      to: url, with: [.failure(.connectionLost), .failure(.connectionLost), .ok(body)])
    _ = try await fixture.pipeline.image(for: url)
    #expect(notes.value == ["a in", "a transport", "a in", "a transport", "a in", "a network"])
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: Fixture.url("none")) }
    #expect(notes.value.suffix(2) == ["a in", "a httpStatus"])
  }

  @Test("cancelling a task cancels what its interceptors await")
  func cancelling() async throws {
    let notes = Shared<[String]>([])
    let fixture = Fixture { $0.interceptors = [Watcher(name: "a", notes: notes)] }
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let task = fixture.pipeline.task(for: url)
    await gate.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    // The task has ended; its interceptors are cancelled a moment later.
    try await eventually(notes.value.count >= 2)
    #expect(notes.value == ["a in", "a cancelled"])
  }

  @Test("observers receive the request as the app made it")
  func observing() async throws {
    let recorder = EventRecorder()
    let fixture = Fixture {
      $0.interceptors = [Redirector(url: Fixture.url("b.jpg"))]
      $0.observers = [recorder]
    }
    try fixture.serve("b.jpg")
    _ = try await fixture.pipeline.image(for: Fixture.url("a.jpg"))
    #expect(recorder.events.first?.description == "request https://example.com/a.jpg")
    #expect(recorder.count { $0.isBegin(of: .network, source: "https://example.com/b.jpg") } == 1)
  }
}
