import OzuBase
import OzuHTTP

/// The answer of a `FakeHTTPClient`.
public struct FakeHTTPReply: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields. `Content-Length` is added unless one is here or `announcesLength` is false.
  public var headers: HTTPHeaders
  /// The body.
  public var body: Data
  /// Whether `Content-Length` is added.
  public var announcesLength = true
  /// The number of bytes that the sink gets at a time; nil for all.
  package var pieceByteCount: Int?
  /// The error to throw instead of a response, or after `failureOffset` bytes of it.
  package var failure: HTTPError.Reason?
  /// The number of bytes of the body before the failure; nil for a failure before the head.
  package var failureOffset: Int?
  /// The gate at which the reply waits before the head.
  package var headGate: Gate?
  /// The gate at which the reply waits before each piece of the body.
  package var bodyGate: Gate?
  /// The URL that answered, if it is not that of the request, as after a redirect.
  package var finalURL: URL?

  /// Whether a request for a range of the body gets it, as 206, unless its `If-Range` names another state.
  package var servesRanges = false

  /// Makes a reply.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// 200 with a body.
  public static func ok(_ body: Data, type: String? = nil) -> FakeHTTPReply {
    var reply = FakeHTTPReply(body: body)
    reply.headers["Content-Type"] = type
    return reply
  }

  /// A status without body.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> FakeHTTPReply {
    FakeHTTPReply(status: status, headers: headers)
  }

  /// An error instead of a response.
  public static func failure(_ reason: HTTPError.Reason) -> FakeHTTPReply {
    var reply = FakeHTTPReply()
    reply.failure = reason
    return reply
  }

  /// Adds a header field.
  public func header(_ name: String, _ value: String) -> FakeHTTPReply {
    with { $0.headers.add(name: name, value: value) }
  }

  /// Sends the body in pieces of that size.
  public func inPieces(of byteCount: Int) -> FakeHTTPReply {
    with { $0.pieceByteCount = max(1, byteCount) }
  }

  /// Waits at the gate before the head.
  public func held(by gate: Gate) -> FakeHTTPReply {
    with { $0.headGate = gate }
  }

  /// Sends the body in pieces of that size and waits at the gate before each.
  public func dripping(_ pieceByteCount: Int, through gate: Gate) -> FakeHTTPReply {
    with {
      $0.pieceByteCount = max(1, pieceByteCount)
      $0.bodyGate = gate
    }
  }

  /// Throws an error after that many bytes of the body.
  public func failing(_ reason: HTTPError.Reason, afterByteCount count: Int) -> FakeHTTPReply {
    with {
      $0.failure = reason
      $0.failureOffset = count
    }
  }

  /// Answers requests for ranges with that part of the body.
  public func servingRanges() -> FakeHTTPReply {
    with { $0.servesRanges = true }
  }

  /// Answers from another URL, as after a redirect.
  public func redirected(to url: URL) -> FakeHTTPReply {
    with { $0.finalURL = url }
  }

  private func with(_ change: (inout FakeHTTPReply) -> Void) -> FakeHTTPReply {
    var copy = self
    change(&copy)
    return copy
  }
}

extension FakeHTTPReply {
  /// The part of it that a request asks for: `bytes=0-9` or `bytes=10-`.
  private func ranged(for request: HTTPRequest) -> FakeHTTPReply {
    guard servesRanges, status == 200, let text = request.headers["Range"], text.hasPrefix("bytes=") else {
      return self
    }
    if let validator = request.headers["If-Range"], validator != headers["ETag"] ?? headers["Last-Modified"] {
      return self
    }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2, let first = ends[0] else { return self }
    guard first < body.count else { return FakeHTTPReply(status: 416) }
    let last = min(ends[1] ?? .max, body.count - 1)
    return with {
      $0.status = 206
      $0.headers["Content-Range"] = "bytes \(first)-\(last)/\(body.count)"
      $0.body = Data(body.dropFirst(first).prefix(last + 1 - first))
    }
  }

  func play(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    try await ranged(for: request).playPart(request, into: sink)
  }

  private func playPart(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    try await pass(headGate)
    if let failure, failureOffset == nil { throw HTTPError(failure) }

    var fields = headers
    if announcesLength, !fields.contains(name: "Content-Length") {
      fields.add(name: "Content-Length", value: String(body.count))
    }
    let head = HTTPResponseHead(status: status, headers: fields, url: finalURL ?? request.url)
    let limit = request.maximumBodyByteCount
    if let length = head.contentLength, length > limit, request.method != .head {
      throw HTTPError(.bodyTooLarge(limit: limit))
    }
    try sink.begin(head)

    let count = request.method == .head ? 0 : min(body.count, failureOffset ?? .max)
    var sent = 0
    while sent < count {
      try await pass(bodyGate)
      try await sink.untilReady()
      let piece = body.dropFirst(sent).prefix(min(pieceByteCount ?? count, count - sent))
      guard sent + piece.count <= limit else { throw HTTPError(.bodyTooLarge(limit: limit)) }
      try sink.append(piece.span.bytes)
      sent += piece.count
    }
    if let failure { throw HTTPError(failure) }
    if let expected = head.expectedByteCount, expected != sent, request.method != .head, status != 304 {
      throw HTTPError(.bodyTruncated(received: sent, expected: expected))
    }
    var metrics = HTTPMetrics()
    metrics.receivedByteCount = sent
    return HTTPResponse(head: head, bodyByteCount: sent, metrics: metrics)
  }

  private func pass(_ gate: Gate?) async throws(HTTPError) {
    do {
      try await gate?.pass()
    } catch {
      throw HTTPError(.cancelled)
    }
    if Task.isCancelled { throw HTTPError(.cancelled) }
  }
}
