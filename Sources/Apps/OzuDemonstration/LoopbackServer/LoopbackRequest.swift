import OzuBase
import OzuHTTP

/// A request as a `LoopbackServer` received it.
public struct LoopbackRequest: Sendable, Hashable {
  /// The method's token.
  public var method: String
  /// The path without the query, still percent-encoded.
  public var path: String
  /// The query after `?`, still percent-encoded, or nil.
  public var query: String?
  /// The header fields in the order received.
  public var headers: HTTPHeaders
  /// The body, read completely.
  public var body: Data
  /// The number of the server's connection that brought it, from 1.
  public var connection: Int
}

/// Reads requests from the bytes of one connection.
///
/// It accepts odd requests, which tests may want to see, but it has limits: 64 KB of head, 64 MB of body.
struct LoopbackRequestParser {
  enum Failure: Error {
    case closed, malformed, tooLarge
  }

  private var buffer: [UInt8] = []

  /// Reads one request. `receive` appends the next bytes and returns false when the peer has closed.
  mutating func next(
    connection: Int, receive: (inout [UInt8]) -> Bool
  ) throws(Failure) -> LoopbackRequest {
    let headEnd = try readHead(receive)
    let lines = String(decoding: buffer[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    buffer.removeFirst(headEnd)
    let words = lines.first.map { $0.split(separator: " ") } ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw .malformed }

    var headers = HTTPHeaders()
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw .malformed }
      headers.add(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]))
    }
    // A proxy's client sends the absolute form.
    var target = words[1]
    if target.hasPrefix("http://"), let slash = target.dropFirst(7).firstIndex(of: "/") {
      target = target[slash...]
    }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let body = try readBody(headers, receive)
    return LoopbackRequest(
      method: String(words[0]), path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
      headers: headers, body: body, connection: connection)
  }

  private mutating func readHead(_ receive: (inout [UInt8]) -> Bool) throws(Failure) -> Int {
    var searched = 0
    while true {
      if buffer.count >= 4 {
        for end in max(4, searched)...buffer.count where buffer[end - 4..<end].elementsEqual("\r\n\r\n".utf8)
        {
          return end
        }
        searched = buffer.count
      }
      guard buffer.count < 64 << 10 else { throw .tooLarge }
      guard receive(&buffer) else { throw .closed }
      // A client that begins with TLS waits for an answer and would never send the end of a head.
      guard buffer.first.map({ $0 > 0x20 && $0 < 0x7F }) ?? true else { throw .malformed }
    }
  }

  private mutating func readBody(
    _ headers: HTTPHeaders, _ receive: (inout [UInt8]) -> Bool
  ) throws(Failure) -> Data {
    if headers["Transfer-Encoding"]?.lowercased() == "chunked" { return try readChunks(receive) }
    guard let text = headers.first("Content-Length") else { return Data() }
    guard let count = Int(text), count >= 0 else { throw .malformed }
    return try take(count, receive)
  }

  private mutating func readChunks(_ receive: (inout [UInt8]) -> Bool) throws(Failure) -> Data {
    var body = Data()
    while true {
      let size = try takeLine(receive).prefix { $0 != ";" }
      guard let count = Int(size, radix: 16), count >= 0 else { throw .malformed }
      guard body.count + count <= 64 << 20 else { throw .tooLarge }
      if count == 0 { break }
      body.append(try take(count, receive))
      guard try takeLine(receive).isEmpty else { throw .malformed }
    }
    while try !takeLine(receive).isEmpty {}
    return body
  }

  private mutating func take(_ count: Int, _ receive: (inout [UInt8]) -> Bool) throws(Failure) -> Data {
    guard count <= 64 << 20 else { throw .tooLarge }
    while buffer.count < count {
      guard receive(&buffer) else { throw .closed }
    }
    let taken = Data(buffer[..<count])
    buffer.removeFirst(count)
    return taken
  }

  private mutating func takeLine(_ receive: (inout [UInt8]) -> Bool) throws(Failure) -> String {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = String(decoding: buffer[..<end].filter { $0 != 0x0D }, as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line
      }
      guard buffer.count < 64 << 10 else { throw .tooLarge }
      guard receive(&buffer) else { throw .closed }
    }
  }
}
