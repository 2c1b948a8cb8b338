/// Builds a header section from the lines a transport delivers one by one: status line, fields, empty line.
///
/// Interim responses (1xx) are read and forgotten, as RFC 9110 §15.2 allows; a new status line starts over.
/// Lines after the final section are trailers and are ignored (RFC 9110 §6.5.1: they must not be merged
/// unasked).
struct ResponseHeadParser {
  /// The most bytes of header lines accepted over all sections of one exchange.
  static let maximumByteCount = 256 << 10

  private(set) var status = 0
  private(set) var version = HTTPVersion.http1_1
  private(set) var headers = HTTPHeaders()
  private(set) var isComplete = false
  private var byteCount = 0

  /// Takes one line with its line end. Returns true when it ends the final header section.
  mutating func take(_ line: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
    byteCount += line.count
    guard byteCount <= Self.maximumByteCount else {
      throw HTTPError(.protocolError("the header section exceeds \(Self.maximumByteCount) bytes"))
    }
    guard !isComplete else { return false }
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let text = UnsafeRawBufferPointer(rebasing: line[..<end])

    if text.isEmpty {
      isComplete = status >= 200
      return isComplete
    }
    if text.starts(with: "HTTP/".utf8) {
      try takeStatusLine(text)
    } else if text[0] == 0x20 || text[0] == 0x09 {
      headers.continueLast(with: String(httpBytes: text).trimmingHTTPWhitespace())
    } else if let colon = text.firstIndex(of: 0x3A), colon > 0 {
      headers.add(
        name: String(httpBytes: UnsafeRawBufferPointer(rebasing: text[..<colon])),
        value: String(httpBytes: UnsafeRawBufferPointer(rebasing: text[(colon + 1)...])))
    }
    return false
  }

  private mutating func takeStatusLine(_ text: UnsafeRawBufferPointer) throws(HTTPError) {
    let words = text.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, let code = Int(String(decoding: words[1], as: UTF8.self)),
      (100..<1000).contains(code)
    else { throw HTTPError(.protocolError("the status line is malformed")) }
    status = code
    version =
      switch String(decoding: words[0], as: UTF8.self) {
      case "HTTP/1.0": .http1_0
      case "HTTP/2", "HTTP/2.0": .http2
      case "HTTP/3", "HTTP/3.0": .http3
      default: .http1_1
      }
    headers.removeAll(keepingCapacity: true)
  }
}
