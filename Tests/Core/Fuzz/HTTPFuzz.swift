import Dispatch
import Foundation
import OzuBase
import OzuHTTP

/// Reads answers of an origin in every way that a cache has: fresh, stale, validated, resumed, in ranges.
///
/// The input is parts between bytes of 0x1E: the fields of the app's own request, then answers as they come over a
/// connection. The last part is also read as the record of a stored response.
@Sendable
func fuzzHTTP(_ input: Data) {
  let parts = input.split(separator: 0x1E, maxSplits: 7, omittingEmptySubsequences: false).map { Data($0) }
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await HTTPFuzz(parts).play()
    done.signal()
  }
  done.wait()
}

private struct HTTPFuzz {
  private let fields: HTTPHeaders
  private let answers: [Data]

  init(_ parts: [Data]) {
    fields = HTTPHeaders(
      String(decoding: parts.first ?? Data(), as: UTF8.self).split(whereSeparator: \.isNewline).compactMap {
        line in
        let halves = line.split(separator: ":", maxSplits: 1)
        return halves.count == 2
          ? HTTPHeaders.Field(name: String(halves[0]), value: String(halves[1])) : nil
      })
    answers = Array(parts.dropFirst())
  }

  private static let noon = Date(timeIntervalSince1970: 1_767_355_200)
  private static let url = URL(string: "http://fuzz.example/a?b")

  func play() async {
    guard let url = Self.url else { return }
    let clock = Mutex(0.0)
    var configuration = HTTPCacheConfiguration()
    configuration.currentDate = { Self.noon.addingTimeInterval(clock.withLock { $0 }) }
    configuration.sleep = { _ in }
    configuration.retryPolicy = .standard
    configuration.minimumPartialByteCount = 1
    let cache = HTTPCache(
      client: ScriptedOrigin(answers), storage: InMemoryHTTPCacheStorage(), configuration: configuration)
    var request = HTTPRequest(url: url)
    request.maximumBodyByteCount = .max
    var own = request
    for field in fields { own.headers.add(name: field.name, value: field.value) }
    for (offset, request) in [(0, request), (0, own), (30, request), (-3600, own), (1e9, request)]
      as [(Double, HTTPRequest)]
    {
      clock.withLock { $0 = offset }
      if let answer = try? await cache.response(for: request, onProgress: { _, _ in }) { check(answer) }
      await readBeginning(cache, request)
    }
    await cache.backgroundValidations()
    if let record = answers.last { readRecord(record) }
  }

  private func check(_ answer: HTTPCachedResponse) {
    _ = answer.decision.description
    _ = HTTPDate.string(from: answer.freshUntil)
    precondition(answer.freshUntil <= HTTPDate.representable.upperBound, "a lifetime beyond all dates")
    guard answer.decision.place == .cache, answer.status == 206 else { return }
    precondition(answer.head.contentLength == answer.body.count, "a part of another length")
  }

  private func readBeginning(_ cache: HTTPCache, _ request: HTTPRequest) async {
    guard
      let exchange = try? cache.exchange(
        for: request, mode: .default, resource: nil, policy: nil, storing: .byCaller),
      case .ask(let asked) = exchange.plan([]),
      case .part(let part)? = try? await exchange.beginning(asked, byteCount: 16, maximum: 64)
    else { return }
    await exchange.keep(part)
    if case .part(let longer)? = try? await exchange.extended(part, to: part.body.count + 8, asked) {
      await exchange.keep(longer)
    }
  }

  private func readRecord(_ record: Data) {
    guard let response = try? JSONDecoder().decode(HTTPStoredResponse.self, from: record) else { return }
    precondition(response.flaw == nil, "a record that no cache writes was believed")
    var shared = HTTPCachePolicy.standard
    shared.isShared = true
    for policy in [HTTPCachePolicy.standard, shared, .ignoring(lifetime: .seconds(60))] {
      for offset in [0, -1e9, 1e9] {
        let now = Self.noon.addingTimeInterval(offset)
        let decision = policy.decide(stored: [response], request: HTTPRequest(url: response.url), now: now)
        precondition(!decision.reason.isEmpty, "a decision without a reason")
        _ = policy.servedHead(of: response, now: now)
        _ = policy.conditionalHeaders(for: [response], choice: 0)
      }
    }
    _ = HTTPPartialBody(response: response, body: Data([1]))
    _ = response.withoutSecrets
  }
}

/// Answers one request after the other, as bytes of a connection.
private final class ScriptedOrigin: HTTPClient {
  private let answers: [Data]
  private let next = Mutex(0)

  init(_ answers: [Data]) { self.answers = answers }

  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    let number = next.withLock { number in
      defer { number += 1 }
      return number
    }
    guard number < answers.count else { throw HTTPError(.connectionLost) }
    let bytes = answers[number]
    var parser = ResponseHeadParser()
    var rest = bytes[...]
    while !parser.isComplete {
      guard let end = rest.firstIndex(of: 0x0A) else { throw HTTPError(.connectionLost) }
      let line = Data(rest[...end])
      rest = rest[(end + 1)...]
      let result = line.withUnsafeBytes { line in
        Result { () throws(HTTPError) in try parser.take(line) }
      }
      _ = try result.get()
    }
    let head = HTTPResponseHead(
      status: parser.status, headers: parser.headers, url: request.url, version: parser.version)
    let isChunked = head.headers["Transfer-Encoding"]?.lowercased() == "chunked"
    let body = isChunked ? try ScriptedOrigin.chunked(rest) : Data(rest)
    try sink.begin(head)
    for piece in [body.prefix(body.count / 2), body.dropFirst(body.count / 2)] where !piece.isEmpty {
      let result = Data(piece).withUnsafeBytes { piece in
        Result { () throws(HTTPError) in try sink.append(piece.bytes) }
      }
      try result.get()
    }
    if let expected = head.expectedByteCount, expected != body.count, !isChunked {
      throw HTTPError(.bodyTruncated(received: body.count, expected: expected))
    }
    return HTTPResponse(head: head, bodyByteCount: body.count)
  }

  /// The data of chunks, which must be the same wherever they are cut.
  private static func chunked(_ bytes: Data) throws(HTTPError) -> Data {
    let outcomes = [bytes.count, 1, 7].map { length -> Result<Data, HTTPError> in
      Result { () throws(HTTPError) in
        var chunks = ChunkedBody()
        var data = Data()
        var rest = bytes[...]
        while !rest.isEmpty {
          let piece = Data(rest.prefix(max(1, length)))
          rest = rest.dropFirst(max(1, length))
          let result = piece.withUnsafeBytes { piece in
            Result { () throws(HTTPError) in
              var offset = 0
              while let range = try chunks.nextData(in: piece, from: &offset) {
                data.append(contentsOf: piece[range])
                chunks.take(range.count)
                offset = range.upperBound
              }
            }
          }
          try result.get()
        }
        guard chunks.isEnded else { throw HTTPError(.bodyTruncated(received: 0, expected: nil)) }
        return data
      }
    }
    precondition(Set(outcomes).count == 1, "chunks that depend on how they are cut")
    return try outcomes[0].get()
  }
}
