import OzuBase
import OzuTesting

@testable import OzuHTTP

/// Noon of a day; the times of all tables are relative to it.
let noon = Date(timeIntervalSince1970: 1_767_355_200)

/// The text of a date field, `offset` seconds after noon.
func dateText(_ offset: Double = 0) -> String {
  HTTPDate.string(from: noon.addingTimeInterval(offset))
}

/// A response with status 200 and these fields, received at noon. `Date` is noon by default.
func storedResponse(
  _ headers: HTTPHeaders, status: Int = 200, selecting: HTTPHeaders = [:], delay: Double = 0
) -> HTTPStoredResponse {
  var headers = headers
  if !headers.contains(name: "Date") { headers.add(name: "Date", value: dateText()) }
  return HTTPStoredResponse(
    status: status, headers: headers, url: url("https://example.com/a"),
    requestDate: noon.addingTimeInterval(-delay), responseDate: noon, selectingHeaders: selecting)
}

func request(_ headers: HTTPHeaders = [:], method: HTTPMethod = .get) -> HTTPRequest {
  HTTPRequest(url: url("https://example.com/a"), method: method, headers: headers)
}

func head(_ status: Int = 200, _ headers: HTTPHeaders = [:]) -> HTTPResponseHead {
  HTTPResponseHead(status: status, headers: headers, url: url("https://example.com/a"))
}

/// A cache on a fake network, a storage in memory, and a clock that a test moves.
struct CacheFixture: Sendable {
  let client = FakeHTTPClient()
  let clock = ManualClock(date: noon)
  let storage = InMemoryHTTPCacheStorage()
  let waits = Waits()
  let cache: HTTPCache

  init(_ configure: (inout HTTPCacheConfiguration) -> Void = { _ in }) {
    var configuration = HTTPCacheConfiguration()
    configuration.currentDate = clock.date
    configuration.minimumPartialByteCount = 1
    configuration.randomFraction = { 1 }
    configuration.sleep = { [waits] in waits.note($0) }
    configure(&configuration)
    cache = HTTPCache(client: client, storage: storage, configuration: configuration)
  }

  static let url = OzuHTTPTests.url("https://example.com/a")

  /// Answers in turn; `Date` follows the clock.
  func serve(_ replies: FakeHTTPReply..., at url: URL = CacheFixture.url) {
    client.reply(to: url, with: replies)
  }

  @discardableResult
  func get(
    _ headers: HTTPHeaders = [:], url: URL = CacheFixture.url, method: HTTPMethod = .get,
    mode: HTTPCacheMode = .default
  ) async throws -> HTTPCachedResponse {
    try await cache.response(for: HTTPRequest(url: url, method: method, headers: headers), mode: mode)
  }

  /// The header fields of the last request.
  var sent: HTTPHeaders { client.requests.last?.headers ?? [:] }
}

/// The durations that a cache wanted to wait. The test does not wait.
final class Waits: Sendable {
  private let durations = Mutex<[Duration]>([])

  func note(_ duration: Duration) { durations.withLock { $0.append(duration) } }

  var all: [Duration] { durations.withLock { $0 } }
}

extension FakeHTTPReply {
  static func text(_ body: String, _ headers: HTTPHeaders = [:], status: Int = 200) -> FakeHTTPReply {
    FakeHTTPReply(status: status, headers: headers, body: Data(body.utf8))
  }
}

extension HTTPCachedResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}
