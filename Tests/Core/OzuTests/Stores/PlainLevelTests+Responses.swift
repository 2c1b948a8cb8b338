import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

/// HTTP responses in a simple store.
extension PlainLevelTests {
  @Test("a 304 changes the metadata and leaves the body")
  func revalidation() async throws {
    var reply = FakeHTTPReply.ok(try Fixture.photo.data(as: .jpeg))
    reply.headers = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    client.reply(
      to: url, with: [reply, .status(304, headers: ["Cache-Control": "max-age=6000", "ETag": "\"1\""])])
    let first = pipeline()
    _ = try await first.image(for: url)
    await first.flush()
    let key = ImageStoreKey(.original, ImageRequest(url: url).key.source)
    let stored = try #require(store[key])
    #expect(OriginalRecord(stored.metadata)?.response?.status == 200)

    clock.advance(by: .seconds(120))
    let second = pipeline()
    #expect(try await second.response(for: ImageRequest(url: url)).source == .revalidated)
    await second.flush()
    let renewed = try #require(store[key])
    #expect(renewed.metadata != stored.metadata)
    #expect(renewed.body == stored.body)
    #expect(store.calls.count { $0.operation == .write && $0.key == key } == 1)

    clock.advance(by: .seconds(120))
    #expect(try await pipeline().response(for: ImageRequest(url: url)).source == .original)
    #expect(client.requestCount(for: url) == 2)
  }

  @Test(
    "variants are stored beside each other; a response without Vary replaces all, and the next with it replaces that"
  )
  func variants() throws {
    let shelf = ResponseStore(store: store)
    let place = ImageStoreKey(.original, CacheKey("a"), label: "a")
    func entry(_ accept: String?, _ second: Double) -> HTTPCacheEntry {
      let date = Date(timeIntervalSince1970: second)
      let response = HTTPStoredResponse(
        status: 200, headers: accept == nil ? [:] : ["Vary": "Accept"], url: url, requestDate: date,
        responseDate: date, selectingHeaders: accept.map { ["Accept": $0] } ?? [:], bodyIdentity: "\(second)")
      return HTTPCacheEntry(response: response, body: Data((accept ?? "plain").utf8))
    }
    for (number, accept) in ["image/jpeg", "image/webp", "image/avif"].enumerated() {
      try shelf.store(entry(accept, Double(number)), replacing: nil, at: place)
    }
    #expect(
      try shelf.entries(for: place.key).map { String(decoding: $0.body, as: UTF8.self) } == [
        "image/jpeg", "image/webp", "image/avif",
      ])
    try store.remove(ImageStoreKey(.original, place.key))
    let count = store.calls.count
    #expect(try shelf.entries(for: place.key).isEmpty && store.calls.count == count + 1)

    try shelf.store(entry(nil, 9), replacing: nil, at: place)
    #expect(try shelf.entries(for: place.key).map(\.response.bodyIdentity) == ["9.0"])
    #expect(store.count(of: .original) == 1)

    // The origin begins to vary. The answer without Vary would hide the later ones, also one from before the clock was set back.
    try shelf.store(entry("image/webp", 8), replacing: nil, at: place)
    try shelf.store(entry("image/avif", 10), replacing: nil, at: place)
    #expect(try shelf.entries(for: place.key).map(\.response.bodyIdentity) == ["8.0", "10.0"])
  }

  /// An answer in the store, asked at second 10 and there at 12, and a later one.
  @Test(
    "of two answers the one asked for later stays, whichever arrives last; not one from a clock that was set back",
    arguments: [
      // (asked, answered, whether it is stored, whether it is when it confirms an earlier body)
      (9.0, 15.0, false, false), (9, 9.5, true, true), (11, 13, true, true), (10, 12, true, false),
    ])
  func order(asked: Double, answered: Double, isStored: Bool, confirms: Bool) throws {
    let place = ImageStoreKey(.original, CacheKey("a"), label: "a")
    func entry(_ body: String, _ asked: Double, _ answered: Double) -> HTTPCacheEntry {
      let response = HTTPStoredResponse(
        status: 200, headers: ["ETag": "\"\(body)\""], url: url,
        requestDate: Date(timeIntervalSince1970: asked),
        responseDate: Date(timeIntervalSince1970: answered), bodyIdentity: body)
      return HTTPCacheEntry(response: response, body: Data(body.utf8))
    }
    func body() throws -> String? {
      try ResponseStore(store: store).entries(for: place.key).first.map {
        String(decoding: $0.body, as: UTF8.self)
      }
    }
    let shelf = ResponseStore(store: store)
    try shelf.store(entry("there", 10, 12), replacing: nil, at: place)
    try shelf.store(entry("other", asked, answered), replacing: nil, at: place)
    #expect(try body() == (isStored ? "other" : "there"))

    try store.remove(place)
    try shelf.store(entry("there", 10, 12), replacing: nil, at: place)
    let confirmed = entry("earlier", asked, answered)
    try shelf.refresh(confirmed, replacing: entry("earlier", 1, 2).response, at: place)
    #expect(try body() == (confirms ? "earlier" : "there"))
  }

  @Test(
    "a request that writes no originals changes none: not when a 304 confirms it, not when the answer forbids to store"
  )
  func unwritten() async throws {
    var reply = FakeHTTPReply.ok(try Fixture.photo.data(as: .jpeg))
    reply.headers = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    var last = reply
    last.headers = ["Cache-Control": "no-store"]
    client.reply(
      to: url,
      with: [reply, .status(304, headers: ["Cache-Control": "max-age=6000", "ETag": "\"1\""]), last])
    let first = pipeline()
    _ = try await first.image(for: url)
    await first.flush()
    let key = ImageStoreKey(.original, ImageRequest(url: url).key.source)
    let stored = try #require(store[key])
    var request = ImageRequest(url: url)
    request.writeLayers = []
    for source in [ImageResponse.Source.revalidated, .network] {
      clock.advance(by: .seconds(120))
      let pipeline = pipeline()
      #expect(try await pipeline.response(for: request).source == source)
      await pipeline.flush()
      #expect(store[key]?.metadata == stored.metadata && store[key]?.body == stored.body)
    }
    #expect(client.requestCount(for: url) == 3)
  }

  enum Flaw: Sendable, Hashable {
    case requestDate(Double), responseDate(Double), deadline(Double), status(Int)
    case field(String, String)

    static let all =
      ([1e19, -1e19, .nan, .infinity, 1e308, -1, 7_258_118_401] as [Double]).flatMap {
        [Flaw.requestDate($0), Flaw.responseDate($0)]
      } + [Flaw.deadline(1e19), .status(0), .status(.max), .field("X", "a\r\nY: b"), .field("", "a")]

    func apply(to response: inout HTTPStoredResponse) {
      switch self {
      case .requestDate(let seconds): response.requestDate = Date(timeIntervalSince1970: seconds)
      case .responseDate(let seconds): response.responseDate = Date(timeIntervalSince1970: seconds)
      case .deadline(let seconds): response.redirectsFreshUntil = Date(timeIntervalSince1970: seconds)
      case .status(let status): response.status = status
      case .field(let name, let value): response.headers.add(name: name, value: value)
      }
    }
  }

  @Test(
    "an entry whose record has a value that no cache writes is a miss and removes itself",
    arguments: Flaw.all)
  func flawed(_ flaw: Flaw) async throws {
    try serve(["Cache-Control": "max-age=600", "ETag": "\"1\""])
    let first = pipeline()
    _ = try await first.image(for: url)
    await first.flush()
    let key = ImageStoreKey(.original, ImageRequest(url: url).key.source)
    let entry = try #require(store[key])
    var response = try #require(OriginalRecord(entry.metadata)?.response)
    flaw.apply(to: &response)
    try store.write(
      ImageStoreEntry(metadata: try #require(OriginalRecord(response)).data, body: entry.body), for: key)

    #expect(try ResponseStore(store: store).entries(for: key.key).isEmpty)
    #expect(store[key] == nil)
    try store.write(
      ImageStoreEntry(metadata: try #require(OriginalRecord(response)).data, body: entry.body), for: key)
    #expect(try await pipeline().response(for: ImageRequest(url: url)).source == .network)
    #expect(client.requestCount(for: url) == 2)
  }

  @Test("originals of fetchers are found after a restart")
  func fetcher() async throws {
    let calls = Shared(0)
    let fetcher = Counted(calls: calls, data: try Fixture.photo.data(as: .png))
    for _ in 0..<2 {
      let pipeline = pipeline()
      _ = try await pipeline.image(for: ImageRequest(.fetcher(fetcher)))
      await pipeline.flush()
    }
    #expect(calls.value == 1)
    #expect(store.count(of: .original) == 1)
  }

  @Test("the beginning of an interrupted transfer is kept and resumed")
  func resumption() async throws {
    let whole = try Fixture.noise()
    let half = 20_000
    try #require(whole.count > 2 * half)
    client.reply(
      to: url,
      with: [
        .ok(whole).header("ETag", "\"1\"").failing(.connectionLost, afterByteCount: half),
        FakeHTTPReply(
          status: 206,
          headers: ["ETag": "\"1\"", "Content-Range": "bytes \(half)-\(whole.count - 1)/\(whole.count)"],
          body: whole.dropFirst(half)),
      ])
    let first = pipeline()
    await #expect(throws: ImageError.self) { try await first.image(for: url) }
    await first.flush()
    #expect(store.count(of: .partial) == 1)
    let second = pipeline()
    #expect(try await second.image(for: url).size == PixelSize(200, 100))
    #expect(client.requests.last?.headers["Range"] == "bytes=\(half)-")
    await second.flush()
    #expect(store.count(of: .partial) == 0)
  }
}
