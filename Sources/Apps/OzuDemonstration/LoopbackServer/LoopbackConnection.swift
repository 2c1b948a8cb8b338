import OzuBase
import OzuHTTP

/// One connection of a loopback server, served on its own thread until either side ends it.
struct LoopbackConnection {
  let socket: LoopbackSocket
  let number: Int
  let site: LoopbackSite

  func serve() {
    var parser = LoopbackRequestParser()
    while true {
      do {
        let request = try parser.next(connection: number) { socket.receive(into: &$0) }
        let response = site.begin(request)(request)
        var writer = LoopbackWriter(socket: socket)
        let isKept = writer.write(response, to: request)
        site.end(sentByteCount: writer.sentByteCount)
        guard isKept else { return }
      } catch .closed {
        return
      } catch {
        var writer = LoopbackWriter(socket: socket)
        writer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return
      }
    }
  }
}

/// Writes responses to a socket and counts the bytes.
struct LoopbackWriter {
  let socket: LoopbackSocket
  private(set) var sentByteCount = 0

  /// Writes a response in its framing and with its ending. Returns whether the connection may be used again.
  mutating func write(_ response: LoopbackResponse, to request: LoopbackRequest) -> Bool {
    if let gate = response.headGate, !wait(at: gate) { return false }
    switch response.ending {
    case .noAnswer(let isReset):
      if isReset { socket.resetOnClose() }
      return false
    case .verbatim:
      _ = writeBody(of: response)
      return false
    case .complete, .close, .reset:
      break
    }

    let isBodyless = request.method == "HEAD" || [204, 304].contains(response.status)
    let isKept = keepsConnection(after: response, to: request)
    let head = self.head(of: response, isKept: isKept)
    guard !isBodyless else { return send(head) && isKept }

    // A small body travels with its head, in one segment.
    if case .data(let bytes) = response.body, response.bodyGate == nil, response.ending == .complete,
      response.framing != .chunked, bytes.count <= 32 << 10
    {
      return send(Data(head.utf8) + bytes) && isKept
    }
    guard send(head), writeBody(of: response) else { return false }
    switch response.ending {
    case .reset:
      socket.resetOnClose()
      return false
    default:
      return isKept
    }
  }

  private func keepsConnection(after response: LoopbackResponse, to request: LoopbackRequest) -> Bool {
    guard response.ending == .complete, request.headers["Connection"]?.lowercased() != "close",
      case .data(let bytes) = response.body
    else { return false }
    return switch response.framing {
    case .contentLength, .chunked: true
    case .declared(let count): count == bytes.count || request.method == "HEAD"
    case .untilClose: request.method == "HEAD"
    }
  }

  private func head(of response: LoopbackResponse, isKept: Bool) -> String {
    var text = "HTTP/1.1 \(response.status) \(Self.reasonPhrase(response.status))\r\n"
    for field in response.headers { text += "\(field.name): \(field.value)\r\n" }
    switch (response.framing, response.body) {
    case (.contentLength, .data(let bytes)):
      if response.status != 204, response.status != 304 { text += "Content-Length: \(bytes.count)\r\n" }
    case (.declared(let count), _): text += "Content-Length: \(count)\r\n"
    case (.chunked, _): text += "Transfer-Encoding: chunked\r\n"
    case (.contentLength, .endless), (.untilClose, _): break
    }
    if !isKept { text += "Connection: close\r\n" }
    return text + "\r\n"
  }

  // Returns false when the connection is gone or the response ends early.
  private mutating func writeBody(of response: LoopbackResponse) -> Bool {
    var left =
      switch response.ending {
      case .close(let count), .reset(let count): count
      case .complete, .noAnswer, .verbatim: Int.max
      }
    let isChunked = response.framing == .chunked
    let (bytes, isEndless) =
      switch response.body {
      case .data(let bytes): (bytes, false)
      case .endless(let bytes): (bytes, true)
      }
    repeat {
      var rest = bytes[...]
      while !rest.isEmpty, left > 0 {
        if let gate = response.bodyGate, !wait(at: gate) { return false }
        let piece = rest.prefix(min(response.pieceByteCount, left))
        rest = rest.dropFirst(piece.count)
        left -= piece.count
        if isChunked, !send(String(piece.count, radix: 16) + "\r\n") { return false }
        guard send(piece) else { return false }
        if isChunked, !send("\r\n") { return false }
      }
    } while isEndless && left > 0 && !bytes.isEmpty
    guard response.ending == .complete else { return true }
    return isChunked ? send("0\r\n\r\n") : true
  }

  // Waits until the gate admits it, or until the connection ends; returns false then.
  private func wait(at gate: Gate) -> Bool {
    guard let bell = LoopbackBell() else { return false }
    let ticket = gate.ticket()
    if gate.enter(ticket, end: { if $0 { bell.ring() } }) { return true }
    let isAdmitted = bell.wait(orEndOf: socket)
    gate.leave(ticket)
    return isAdmitted
  }

  @discardableResult
  mutating func send(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { send(UnsafeRawBufferPointer($0)) }
  }

  @discardableResult
  private mutating func send(_ bytes: Data) -> Bool {
    bytes.withUnsafeBytes { send($0) }
  }

  private mutating func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let sent = socket.send(bytes)
    sentByteCount += sent
    return sent == bytes.count
  }

  private static func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 404: "Not Found"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}

/// A wake pipe: one thread waits for it together with a socket, and another thread rings.
///
/// Every owner may ring, so the descriptors are closed only when no thread can write to them any more.
final class LoopbackBell: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func ring() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Returns true when rung, false when the socket's peer has gone or the socket was shut down.
  func wait(orEndOf socket: LoopbackSocket) -> Bool {
    #if canImport(Darwin)
      let hangUp: Int16 = 0
    #else
      // POLLRDHUP, a GNU extension not visible from Swift.
      let hangUp: Int16 = 0x2000
    #endif
    var polled = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket.descriptor, events: hangUp, revents: 0),
    ]
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return polled[0].revents != 0
  }
}
