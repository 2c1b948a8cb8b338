import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

// The client of "A client of your own" in the documentation of OzuHTTP, word for word.

/// Answers with the files of the app.
struct BundledClient: HTTPClient {
  let files: [String: Data]

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    let body = files[request.url.path()]
    let limit = request.maximumBodyByteCount
    guard body?.count ?? 0 <= limit else { throw HTTPError(.bodyTooLarge(limit: limit), url: request.url) }

    var head = HTTPResponseHead(status: body == nil ? 404 : 200, url: request.url)
    head.headers = ["Content-Length": "\(body?.count ?? 0)", "Cache-Control": "max-age=60"]
    try sink.begin(head)
    var rest = body ?? Data()
    while !rest.isEmpty {
      try await sink.untilReady()
      let piece = rest.prefix(64 << 10)
      try sink.append(piece.bytes)
      rest = rest.dropFirst(piece.count)
    }
    return HTTPResponse(head: head, bodyByteCount: body?.count ?? 0)
  }
}

@Suite("A client of one's own, as documented", .timeLimit(.minutes(15)))
struct OwnClientTests {
  private let client = BundledClient(files: ["/a.bin": patternedBytes(200_000)])

  @Test("the documentation contains exactly this code")
  func documented() throws {
    let file = URL(filePath: #filePath)
    let article = Repository.url("Sources/Core/OzuHTTP/OzuHTTP.docc/Transferring.md")
    let test = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(test.range(of: "/// Answers with the files"))
    let end = try #require(test.range(of: "\n}\n", range: start.lowerBound..<test.endIndex))
    let sample = test[start.lowerBound..<end.upperBound]
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n\(sample)```"))
  }

  @Test("it answers alone, and behind the cache")
  func behindTheCache() async throws {
    let cache = HTTPCache(client: client, storage: InMemoryHTTPCacheStorage())
    let request = HTTPRequest(url: url("https://example.com/a.bin"))
    #expect(try await client.data(for: request).body == patternedBytes(200_000))
    #expect(try await cache.response(for: request).decision.place == .network)
    let second = try await cache.response(for: request)
    #expect(second.decision.place == .cache)
    #expect(second.body == patternedBytes(200_000))
    #expect(try await client.data(from: url("https://example.com/b.bin")).response.status == 404)
  }

  @Test("it obeys the limit, back-pressure and cancellation, as every client must")
  func duties() async throws {
    let request = HTTPRequest(url: url("https://example.com/a.bin"), maximumBodyByteCount: 199_999)
    #expect(await failure(of: request, by: client) == .bodyTooLarge(limit: 199_999))

    let slow = SlowSink()
    let client = client
    let task = Task { try await client.send(HTTPRequest(url: url("https://example.com/a.bin")), into: slow) }
    try await eventually(slow.heldCount == 1)
    slow.release()
    try await eventually(slow.heldCount == 2)
    #expect(slow.byteCount == 128 << 10)
    task.cancel()
    await #expect(throws: HTTPError(.cancelled)) { try await task.value }
    #expect(slow.byteCount == 128 << 10)
  }
}

/// A sink that takes one piece, and is ready for the next only when the test resumes it.
private final class SlowSink: HTTPBodySink {
  private struct State {
    var byteCount = 0
    var heldCount = 0
    var isOpen = true
    var resumption: HTTPBodyResumption?
  }

  private let state = Mutex(State())

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let count = bytes.byteCount
    state.withLock { state in
      state.byteCount += count
      state.isOpen = false
    }
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    state.withLock { state in
      if state.isOpen { return true }
      state.resumption = resumption
      state.heldCount += 1
      return false
    }
  }

  func release() {
    let resumption = state.withLock { state in
      state.isOpen = true
      return state.resumption
    }
    resumption?.resume()
  }

  var heldCount: Int { state.withLock { $0.heldCount } }
  var byteCount: Int { state.withLock { $0.byteCount } }
}
