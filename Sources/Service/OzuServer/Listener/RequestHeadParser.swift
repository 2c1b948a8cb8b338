import OzuHTTP

/// Parses the head of an HTTP/1.1 request byte by byte, so the sizes of the received pieces make no difference.
///
/// It is stricter than RFC 9112: it refuses everything that two parsers could understand differently, because the
/// proxy in front may be the other parser. Lines end only with CR LF; white space is allowed only where the grammar
/// has it; lines are not folded; there is exactly one `Host`; a request has no body, except for the path of an
/// `UploadRule`. After a refusal the rest of the connection is not read, because the beginning of the next request
/// is unknown.
struct RequestHeadParser {
  /// The longest request target, in bytes.
  static let longestTarget = 8192
  /// The longest head, in bytes.
  static let longestHead = 16_384
  static let largestFieldCount = 100
  private static let longestMethod = 32

  private enum Element {
    case method, target, version
    /// The beginning of a field's line, or of the last line.
    case line
    case name
    /// White space after the colon.
    case blank
    case value
    /// LF after the CR of a line.
    case lineEnd
    /// LF after the CR of the last line.
    case lastLineEnd
  }

  private var expected = Element.method
  private var byteCount = 0
  private var text: [UInt8] = []
  private var name = ""
  /// Whether there is a tab after the colon.
  private var hasTab = false
  private var method = ""
  private var target = ""
  private var version = ""
  private var headers = HTTPHeaders()
  private let uploads: UploadRule?

  /// - Parameter uploads: decides which request may have a body; `nil`, the default, allows none.
  init(uploads: UploadRule? = nil) { self.uploads = uploads }

  var hasBegun: Bool { byteCount > 0 }

  /// Takes bytes from the front of a slice, up to the end of the head.
  ///
  /// - Returns: the head; `nil` if all bytes were taken and more are needed. After a head, the parser is ready for
  ///   the next one.
  mutating func take(_ bytes: inout ArraySlice<UInt8>) throws(HeadRefusal) -> RequestHead? {
    while let byte = bytes.popFirst() {
      byteCount += 1
      guard byteCount <= Self.longestHead else {
        throw HeadRefusal(status: 431, reason: "the head has more than \(Self.longestHead) bytes")
      }
      guard try take(byte) else { continue }
      let head = try RequestHead(
        method: method, target: target, version: version, headers: headers, uploads: uploads)
      self = RequestHeadParser(uploads: uploads)
      return head
    }
    return nil
  }

  /// - Returns: whether the head is complete.
  private mutating func take(_ byte: UInt8) throws(HeadRefusal) -> Bool {
    switch expected {
    case .method, .target, .version: try takeRequestLine(byte)
    case .line where byte == Self.cr: expected = .lastLineEnd
    case .line, .name: try takeName(byte)
    case .blank where byte == Self.space || byte == Self.tab: hasTab = hasTab || byte == Self.tab
    case .blank, .value: try takeValue(byte)
    case .lineEnd:
      guard byte == Self.lf else { throw .malformed("a CR without LF") }
      expected = .line
    case .lastLineEnd:
      guard byte == Self.lf else { throw .malformed("a CR without LF") }
      return true
    }
    return false
  }

  // MARK: The request line

  private mutating func takeRequestLine(_ byte: UInt8) throws(HeadRefusal) {
    switch (expected, byte) {
    case (.method, Self.space) where !text.isEmpty:
      method = takeText()
      expected = .target
    case (.method, _):
      guard byte.isHTTPTokenByte else { throw .malformed("the method is not a token") }
      guard text.count < Self.longestMethod else { throw .malformed("the method is too long") }
      text.append(byte)
    case (.target, Self.space) where !text.isEmpty:
      target = takeText()
      expected = .version
    case (.target, _):
      guard (0x21...0x7E).contains(byte) else {
        throw .malformed("the target has a character that it may not have")
      }
      guard text.count < Self.longestTarget else {
        throw HeadRefusal(status: 414, reason: "the target has more than \(Self.longestTarget) bytes")
      }
      text.append(byte)
    case (_, Self.cr):
      version = takeText()
      try Self.check(version: version)
      expected = .lineEnd
    default:
      guard text.count < 8, (0x21...0x7E).contains(byte) else { throw .malformed("the version is malformed") }
      text.append(byte)
    }
  }

  private static func check(version: String) throws(HeadRefusal) {
    if version == "HTTP/1.1" || version == "HTTP/1.0" { return }
    let bytes = Array(version.utf8)
    let isVersion =
      bytes.count == 8 && version.hasPrefix("HTTP/") && bytes[6] == 0x2E
      && [bytes[5], bytes[7]].allSatisfy { (0x30...0x39).contains($0) }
    guard isVersion else { throw .malformed("the version is malformed") }
    throw HeadRefusal(status: 505, reason: "only HTTP/1.1 and HTTP/1.0 are supported")
  }

  // MARK: The fields

  private mutating func takeName(_ byte: UInt8) throws(HeadRefusal) {
    if byte == Self.colon, expected == .name {
      name = takeText()
      expected = .blank
      return
    }
    guard byte.isHTTPTokenByte else {
      let isFolded = expected == .line && (byte == Self.space || byte == Self.tab)
      throw .malformed(isFolded ? "a line is folded" : "the name of a field is not a token")
    }
    guard headers.count < Self.largestFieldCount else {
      throw HeadRefusal(status: 431, reason: "there are more than \(Self.largestFieldCount) fields")
    }
    expected = .name
    text.append(byte)
  }

  private mutating func takeValue(_ byte: UInt8) throws(HeadRefusal) {
    if byte == Self.cr {
      // A parser that trims only spaces would see other values in the fields that decide where a request goes and
      // ends.
      if hasTab, let field = Self.untabbed.first(where: { name.isEqualIgnoringASCIICase(to: $0) }) {
        throw .malformed("a tab in \(field)")
      }
      hasTab = false
      // `Field` removes the white space after the value.
      headers.add(name: name, value: takeText())
      expected = .lineEnd
      return
    }
    // Allowed: visible characters, white space, and bytes beyond ASCII, which have no meaning here.
    guard byte == Self.tab || byte >= 0x20 && byte != 0x7F else {
      throw .malformed("the value of a field has a control character")
    }
    expected = .value
    hasTab = hasTab || byte == Self.tab
    text.append(byte)
  }

  private static let untabbed = ["Host", "Content-Length", "Connection"]

  /// The collected text. Invalid UTF-8 becomes replacement characters.
  private mutating func takeText() -> String {
    defer { text.removeAll(keepingCapacity: true) }
    return String(decoding: text, as: UTF8.self)
  }

  private static let (cr, lf, space, tab, colon): (UInt8, UInt8, UInt8, UInt8, UInt8) = (
    0x0D, 0x0A, 0x20, 0x09, 0x3A
  )
}
