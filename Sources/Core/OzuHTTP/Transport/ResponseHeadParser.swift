/// Builds a header section from the lines a transport delivers one by one: status line, fields, empty line.
///
/// Interim responses (1xx) are read and dropped, as RFC 9110 §15.2 allows; a new status line starts again. Lines
/// after the final section are trailers and are ignored (RFC 9110 §6.5.1 forbids merging them by default).
package struct ResponseHeadParser {
  // Each is less than the limit of any version of libcurl, so that one answer has one outcome with all of them.
  /// The most bytes of header lines in all sections of one exchange.
  static let maximumByteCount = 256 << 10
  /// The most bytes of one line.
  static let maximumLineByteCount = 64 << 10
  /// The most lines in all sections of one exchange.
  static let maximumLineCount = 2000

  package private(set) var status = 0
  package private(set) var version = HTTPVersion.http1_1
  package private(set) var headers = HTTPHeaders()
  package private(set) var isComplete = false
  private var byteCount = 0
  private var lineCount = 0
  /// Whether a status line has begun a section that is not complete.
  private(set) var isInSection = false
  /// Whether the last field was skipped, so that lines folded onto it are skipped too.
  private var isLastLeftOut = false

  package init() {}

  /// Takes one line with its line end. Returns true if it ends the final header section.
  package mutating func take(_ line: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
    byteCount += line.count
    guard byteCount <= Self.maximumByteCount else {
      throw HTTPError(.protocolError("the header section exceeds \(Self.maximumByteCount) bytes"))
    }
    lineCount += 1
    guard lineCount <= Self.maximumLineCount else {
      throw HTTPError(.protocolError("the header section has more than \(Self.maximumLineCount) lines"))
    }
    guard line.count <= Self.maximumLineByteCount else {
      throw HTTPError(
        .protocolError("a line of the header section exceeds \(Self.maximumLineByteCount) bytes"))
    }
    guard !isComplete else { return false }
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let text = UnsafeRawBufferPointer(rebasing: line[..<end])

    if text.isEmpty {
      isInSection = false
      isComplete = status >= 200
      return isComplete
    }
    if !isInSection, text.starts(with: "HTTP/".utf8) {
      try takeStatusLine(text)
      isInSection = true
    } else if text[0] == 0x20 || text[0] == 0x09 {
      if !isLastLeftOut { headers.continueLast(with: Self.text(of: text[...]).trimmingHTTPWhitespace()) }
    } else if let colon = text.firstIndex(of: 0x3A), colon > 0 {
      var start = colon + 1
      while start < text.count, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
      let name = Self.text(of: text[..<colon])
      // A name that is not a token is skipped: for example with a space after it, or a second status line.
      isLastLeftOut = !name.isHTTPToken
      guard !isLastLeftOut else { return false }
      headers.add(name: name, value: Self.text(of: text[start...]))
    }
    return false
  }

  // A carriage return within a line becomes a space (RFC 9112 §2.2), because another parser might see the end of
  // the line in it.
  private static func text(of bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let text = String(httpBytes: UnsafeRawBufferPointer(rebasing: bytes))
    return bytes.contains(0x0D) ? text.replacing("\r", with: " ") : text
  }

  // Version, space, three digits, and a space or the end. The reason phrase has no meaning (RFC 9112 §4).
  private mutating func takeStatusLine(_ text: UnsafeRawBufferPointer) throws(HTTPError) {
    guard let space = text.firstIndex(of: 0x20), text.count >= space + 4,
      text.count == space + 4 || text[space + 4] == 0x20,
      let code = Self.number(text[(space + 1)..<(space + 4)]), code >= 100
    else { throw HTTPError(.protocolError("the status line is malformed")) }
    status = code
    let name = text[..<space]
    version =
      if name.elementsEqual("HTTP/1.1".utf8) {
        .http1_1
      } else if name.elementsEqual("HTTP/1.0".utf8) {
        .http1_0
      } else if name.elementsEqual("HTTP/2".utf8) || name.elementsEqual("HTTP/2.0".utf8) {
        .http2
      } else if name.elementsEqual("HTTP/3".utf8) || name.elementsEqual("HTTP/3.0".utf8) {
        .http3
      } else {
        .http1_1
      }
    headers.removeAll(keepingCapacity: true)
  }

  /// Removes `Content-Length`.
  mutating func removeLength() {
    headers.remove(name: "Content-Length")
  }

  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
    var value = 0
    for byte in digits {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}

extension String {
  /// Decodes header bytes: as UTF-8 if they are valid, otherwise as Latin-1, in which every byte is valid.
  fileprivate init(httpBytes bytes: UnsafeRawBufferPointer) {
    // Nearly all of them are ASCII, which needs no further check.
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self = String(decoding: bytes, as: UTF8.self)
    } else if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}
