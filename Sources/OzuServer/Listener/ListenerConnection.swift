import Foundation
import OzuHTTP

/// A client's connection, as the thread of the loop has it. It moves from one state to the next; the loop does what that takes.
final class ListenerConnection {
  enum State {
    /// A head is awaited: of a first or a further request, up to a time.
    case reading(since: ContinuousClock.Instant, deadline: ContinuousClock.Instant)
    /// The body of an upload is awaited, in `input`, up to a time.
    case receiving(RequestHead, deadline: ContinuousClock.Instant)
    /// The answer is being made.
    case answering(Task<Void, Never>, RequestHead)
    /// The answer is being sent.
    case writing(deadline: ContinuousClock.Instant)
    /// Everything was sent. What the client still sends is dropped until it has seen that, or up to a time: closing at once
    /// could throw the answer away on its way (RFC 9112 §9.6).
    case lingering(deadline: ContinuousClock.Instant)
  }

  let number: UInt64
  let socket: ListenerSocket
  let remoteAddress: String?
  var state: State
  var parser: RequestHeadParser
  /// What was received behind the head that is being answered.
  var input: ArraySlice<UInt8> = []
  /// What is to be sent, and how many bytes of both together are sent.
  private var output = (head: Data(), body: Data())
  private var offset = 0
  /// How many requests were answered at once since it was read from.
  var immediateCount = 0
  /// Whether another request may follow.
  var keepsAlive = true
  /// What the loop waits for on the socket.
  var interest = (reading: true, writing: false)

  init(
    number: UInt64, socket: ListenerSocket, remoteAddress: String?, uploads: UploadRule?, _ state: State
  ) {
    self.number = number
    parser = RequestHeadParser(uploads: uploads)
    self.socket = socket
    self.remoteAddress = remoteAddress
    self.state = state
  }

  /// When its patience ends; `nil` while the service is at work.
  var deadline: ContinuousClock.Instant? {
    switch state {
    case .reading(_, let deadline), .receiving(_, let deadline), .writing(let deadline),
      .lingering(let deadline):
      deadline
    case .answering: nil
    }
  }

  /// Since when it waits for a request; `nil` while it does not.
  var waitsSince: ContinuousClock.Instant? { if case .reading(let since, _) = state { since } else { nil } }

  var isReading: Bool { waitsSince != nil }

  /// The bytes of the body that is awaited; 0 where none is.
  var awaitedByteCount: Int { if case .receiving(let head, _) = state { head.bodyByteCount } else { 0 } }

  /// Whether no request has begun.
  var isIdle: Bool { isReading && !parser.hasBegun && input.isEmpty }

  /// Makes what is sent of an answer.
  ///
  /// - Parameter head: of the request; `nil` for one that could not be read.
  func setOutput(_ answer: ServiceResponse, for head: RequestHead?, date: Date) {
    // Another status would change where the answer ends.
    let isFinal = (200...599).contains(answer.status)
    let response = isFinal ? answer : ServiceFailure(status: 500, reason: "no answer").response
    let hasBody = response.status != 204 && response.status != 304
    var text = "HTTP/1.1 \(response.status) \(Self.phrase(response.status))\r\n"
    for field in response.headers where !Self.isOwn(field.name) && Self.isFit(field) {
      text += field.name
      text += ": "
      text += field.value
      text += "\r\n"
    }
    text += "Date: \(HTTPDate.string(from: date))\r\n"
    if hasBody { text += "Content-Length: \(response.body.count)\r\n" }
    text += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
    output = (Data(text.utf8), hasBody && head?.method != "HEAD" ? response.body : Data())
    offset = 0
  }

  /// Sends what the client takes. Returns whether all is sent; `nil` when the connection is broken.
  func send() -> (isDone: Bool, hasMoved: Bool)? {
    var hasMoved = false
    while offset < output.head.count + output.body.count {
      let sentOfHead = min(offset, output.head.count)
      let outcome = output.head.withUnsafeBytes { head in
        output.body.withUnsafeBytes { body in
          socket.send(
            UnsafeRawBufferPointer(rebasing: head[sentOfHead...]),
            UnsafeRawBufferPointer(rebasing: body[(offset - sentOfHead)...]))
        }
      }
      switch outcome {
      case .failed: return nil
      case .wouldBlock: return (false, hasMoved)
      case .done(let count):
        hasMoved = hasMoved || count > 0
        offset += count
      }
    }
    output = (Data(), Data())
    offset = 0
    return (true, hasMoved)
  }

  /// The fields that are the connection's.
  private static let ownFields = [
    "content-length", "date", "connection", "transfer-encoding", "keep-alive", "upgrade",
  ]

  private static func isOwn(_ name: String) -> Bool {
    ownFields.contains { $0.isEqualIgnoringASCIICase(to: name) }
  }

  /// Whether a field cannot be taken for anything else by whoever reads it.
  private static func isFit(_ field: HTTPHeaders.Field) -> Bool {
    !field.name.isEmpty && field.name.utf8.allSatisfy(\.isHTTPTokenByte)
      && field.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
  }

  private static func phrase(_ status: Int) -> String {
    phrases[status] ?? "Status"
  }

  private static let phrases = [
    200: "OK", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed", 411: "Length Required",
    413: "Content Too Large", 414: "URI Too Long", 417: "Expectation Failed", 422: "Unprocessable Content",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}
