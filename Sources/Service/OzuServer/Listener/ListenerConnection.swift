import CListener
import OzuBase
import OzuHTTP

/// A client's connection and its state. Only the loop's thread uses it; the loop does the I/O that each state
/// needs.
final class ListenerConnection {
  enum State {
    /// Waits for the head of the first or a further request, until a deadline.
    case reading(since: ContinuousClock.Instant, deadline: ContinuousClock.Instant)
    /// Waits for the body of an upload, which is collected in `input`, until a deadline.
    case receiving(RequestHead, deadline: ContinuousClock.Instant)
    /// Waits for the answer.
    case answering(Task<Void, Never>, RequestHead)
    /// Sends the answer.
    case writing(deadline: ContinuousClock.Instant)
    /// Everything was sent. Input is dropped until the client closes its side, or until a deadline: closing at once
    /// could destroy the answer on its way (RFC 9112 §9.6).
    case lingering(deadline: ContinuousClock.Instant)
  }

  let number: UInt64
  let socket: LoopSocket
  let remoteAddress: String?
  var state: State { didSet { count() } }
  var parser: RequestHeadParser
  /// Bytes after the head of the current request.
  var input: ArraySlice<UInt8> = []
  /// The bytes to send, and the number of bytes of both parts that were sent.
  private var output = (head: Data(), body: Data())
  private var offset = 0
  /// The number of requests answered without a task since the last read.
  var immediateCount = 0
  /// Whether another request may follow.
  var keepsAlive = true
  /// The socket events that the loop waits for.
  var interest = (reading: true, writing: false)
  /// Where it is counted, and the state by which it is.
  private let counts: ConnectionCounts?
  private var countedState: ConnectionCounts.State?

  init(
    number: UInt64, socket: LoopSocket, remoteAddress: String?, uploads: UploadRule?,
    counts: ConnectionCounts?, since: ContinuousClock.Instant
  ) {
    self.counts = counts
    self.number = number
    parser = RequestHeadParser(uploads: uploads)
    self.socket = socket
    self.remoteAddress = remoteAddress
    state = .reading(since: since, deadline: since)
  }

  /// The end of the current wait; `nil` while the service makes the answer.
  var deadline: ContinuousClock.Instant? {
    switch state {
    case .reading(_, let deadline), .receiving(_, let deadline), .writing(let deadline),
      .lingering(let deadline):
      deadline
    case .answering: nil
    }
  }

  /// The time since which it waits for a request; `nil` if it does not.
  var waitsSince: ContinuousClock.Instant? { if case .reading(let since, _) = state { since } else { nil } }

  var isReading: Bool { waitsSince != nil }

  /// The length of the body that it waits for; 0 for none.
  var awaitedByteCount: Int { if case .receiving(let head, _) = state { head.bodyByteCount } else { 0 } }

  /// Whether no byte of a request has arrived.
  var isIdle: Bool { isReading && !parser.hasBegun && input.isEmpty }

  /// Counts it by its state of now. Input is taken before the state that follows from it is set, so an idle connection is told from
  /// one that reads.
  private func count() {
    let state: ConnectionCounts.State =
      switch state {
      case .reading: isIdle ? .idle : .reading
      case .receiving: .reading
      case .answering: .answering
      case .writing: .writing
      case .lingering: .closing
      }
    counts?.change(from: countedState, to: state)
    countedState = state
  }

  /// Closes it. Nothing else is called after that.
  func close() {
    counts?.change(from: countedState, to: nil)
    countedState = nil
    socket.close()
  }

  /// Encodes an answer for sending.
  ///
  /// - Parameter head: the head of the request; `nil` for one that could not be parsed.
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

  /// Sends as much as the client accepts. Returns whether everything was sent; `nil` if the connection is broken.
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

  /// The fields that the listener sets itself.
  private static let ownFields = [
    "content-length", "date", "connection", "transfer-encoding", "keep-alive", "upgrade",
  ]

  private static func isOwn(_ name: String) -> Bool {
    ownFields.contains { $0.isEqualIgnoringASCIICase(to: name) }
  }

  /// Whether every parser sees the same field.
  private static func isFit(_ field: HTTPHeaders.Field) -> Bool {
    field.name.isHTTPToken && field.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
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

extension LoopSocket {
  /// Sends as many bytes of two pieces as the socket accepts, with one call, because each call may make a packet.
  func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
    outcome {
      // `sendmsg` only reads the pieces, although the pointers in `iovec` are mutable. The list is valid only
      // during the call.
      withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces in
        for (index, piece) in [first, second].enumerated() {
          pieces.initializeElement(
            at: index,
            to: iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count))
        }
        var message = msghdr()
        message.msg_iov = pieces.baseAddress
        message.msg_iovlen = pieces.count
        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
      }
    }
  }

  func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends answers at once, without waiting for more bytes.
  func setOptions() {
    var on: Int32 = 1
    // Has no effect on other sockets than TCP.
    _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  var remoteAddress: String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // The system writes at most `length` bytes, and the family that it writes decides how they are read.
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard getpeername(descriptor, generic, &length) == 0,
          generic.pointee.sa_family != sa_family_t(AF_UNIX)
        else { return nil }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(generic, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
          return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }
}
