import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// A download that only the origin can answer, as hints say, is in the queue of the downloads from the
/// beginning, and checks its source and the caches when it has a place.
@Suite("A download that waits for its place")
struct WaitingDownloadTests {
  /// Events while it waits.
  enum Event: String, CaseIterable, CustomTestStringConvertible {
    case nothing
    /// The original has been stored.
    case original
    /// Another request has received the answer that there is no such picture.
    case failure

    var testDescription: String { rawValue }
  }

  @Test(
    "waits for the scheme, host and port of its address, however that is written",
    arguments: [
      ("http://a", "HTTP://A:80/?q", true), ("https://a.example/x", "https://u:p@A.example:443#f", true),
      ("https://a.example", "https://u@a.example?q", true), ("http://a.example", "https://a.example", false),
      ("http://a.example:81", "http://a.example", false), ("http://a.example", "http://b.example", false),
    ])
  func origins(first: String, second: String, areEqual: Bool) throws {
    let origins = try [first, second].map { text -> JobOrigin in
      let url = try #require(URL(string: text))
      var own = ImageURLRequest(url: url)
      own.keyHeaders = ["X@y"]
      // A load reads it from its key.
      for source in [ImageSource.url(url), .request(own)] {
        #expect(JobOrigin(canonical: source.key) == JobOrigin(url))
      }
      return JobOrigin(url)
    }
    #expect(!origins.contains(JobOrigin.none))
    #expect((origins[0] == origins[1]) == areEqual)
  }

  @Test(
    "takes what has been stored meanwhile, and does not ask for what has failed", arguments: Event.allCases)
  func meanwhile(event: Event) async throws {
    let fixture = Fixture()
    let pipeline = fixture.pipeline
    // An open disk has hints.
    _ = try await pipeline.image(for: try fixture.serve("first.jpg"))
    await pipeline.flush()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url)
    pipeline.suspend(.data)
    let task = pipeline.task(for: url)
    #expect(pipeline.waitingCount(on: .data) == 1)
    switch event {
    case .nothing: break
    case .original:
      let other = Fixture { $0.testing.currentDate = { fixture.date } }
      try other.serve("a.jpg")
      let work = await JobAwaiter(other.pipeline.context.runner, .normal).work(of: nil) {
        JobStart(FetchWork(request, other.pipeline.context, LoadEpoch()))
      }
      let fetched = try #require(work as? FetchWork).outcome.get()
      pipeline.caches.store(
        try #require(fetched.claimOriginal()), for: request, by: pipeline.context.epochs.right(to: request))
    case .failure:
      pipeline.context.failures.note(
        .httpStatus(404, source: ""), of: request, freshUntil: nil, now: Date())
    }
    pipeline.resume(.data)
    let result = await Result { () async throws(ImageError) in try await task.response }
    #expect(fixture.client.requestCount(for: url) == (event == .nothing ? 1 : 0))
    switch event {
    case .nothing: #expect(try result.get().source == .network)
    case .original: #expect(try result.get().source == .original)
    case .failure:
      #expect(throws: ImageError.httpStatus(404, source: "")) { try result.get() }
    }
  }

  @Test("is released when it is over, with any answer", arguments: [false, true])
  func release(isValidation: Bool) async throws {
    let fixture = Fixture { $0.caching.memoryCache.costLimit = 1 }
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=0") }
    if isValidation {
      _ = try await fixture.pipeline.image(for: url)
      await fixture.pipeline.flush()
    }
    weak var fetch: FetchWork?
    do {
      fixture.pipeline.suspend(.data)
      let task = fixture.pipeline.task(for: url)
      try await eventually(fixture.pipeline.waitingCount(on: .data) == 1)
      fetch = fixture.pipeline.snapshots.compactMap { $0.payload as? FetchWork }.first
      #expect(fetch != nil)
      fixture.pipeline.resume(.data)
      _ = try await task.image
    }
    await fixture.pipeline.flush()
    try await eventually(fetch == nil)
  }
}
