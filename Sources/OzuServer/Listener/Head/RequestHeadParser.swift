import OzuHTTP

/// Reads the head of an HTTP/1.1 request a byte at a time, so that it makes no difference how a head is cut into pieces.
///
/// It is stricter than RFC 9112 asks: whatever two readers could understand differently is refused, because a proxy stands in
/// front that may be the other reader. Lines end with CR LF and nothing else; white space stands where the grammar has it and
/// nowhere else; lines are not folded; there is one `Host`; a request has no body, but for the one path of an `UploadRule`. A
/// refusal is final: the rest of the
/// connection is not read, since nobody can say where a next request would begin.
struct RequestHeadParser {
  /// The longest request target, in bytes.
  static let longestTarget = 8192
  /// The longest head, in bytes.
  static let longestHead = 16_384
  /// The most header fields.
  static let largestFieldCount = 100
  private static let longestMethod = 32

  /// What comes next.
  private enum Place {
    case method, target, version
    /// At the beginning of a line of a field, or of the last line.
    case line
    case name
    /// White space behind the colon.
    case blank
    case value
    /// LF, behind the CR of a line.
    case lineEnd
    /// LF, behind the CR of the last line.
    case lastLineEnd
  }

  private var place = Place.method
  private var byteCount = 0
  private var text: [UInt8] = []
  private var name = ""
  /// Whether a tab stands somewhere behind the colon.
  private var hasTab = false
  private var method = ""
  private var target = ""
  private var version = ""
  private var headers = HTTPHeaders()
  private let uploads: UploadRule?

  /// - Parameter uploads: which request may have a body; `nil` (the default) for none.
  init(uploads: UploadRule? = nil) { self.uploads = uploads }

  /// Whether a request has begun.
  var hasBegun: Bool { byteCount > 0 }

  /// Takes bytes from the front of a slice up to the end of the head.
  ///
  /// - Returns: the head; `nil` when all bytes are taken and more are needed. The parser is at the beginning of the next head
  ///   then.
  /// - Throws: `HeadRefusal`.
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
    switch place {
    case .method, .target, .version: try takeRequestLine(byte)
    case .line where byte == Self.cr: place = .lastLineEnd
    case .line, .name: try takeName(byte)
    case .blank where byte == Self.space || byte == Self.tab: hasTab = hasTab || byte == Self.tab
    case .blank, .value: try takeValue(byte)
    case .lineEnd:
      guard byte == Self.lf else { throw .malformed("a CR without LF") }
      place = .line
    case .lastLineEnd:
      guard byte == Self.lf else { throw .malformed("a CR without LF") }
      return true
    }
    return false
  }

  // MARK: The request line

  private mutating func takeRequestLine(_ byte: UInt8) throws(HeadRefusal) {
    switch (place, byte) {
    case (.method, Self.space) where !text.isEmpty:
      method = takeText()
      place = .target
    case (.method, _):
      guard byte.isHTTPTokenByte else { throw .malformed("the method is no token") }
      guard text.count < Self.longestMethod else { throw .malformed("the method is too long") }
      text.append(byte)
    case (.target, Self.space) where !text.isEmpty:
      target = takeText()
      place = .version
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
      place = .lineEnd
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
    throw HeadRefusal(status: 505, reason: "only HTTP/1.1 and HTTP/1.0 are spoken")
  }

  // MARK: The fields

  private mutating func takeName(_ byte: UInt8) throws(HeadRefusal) {
    if byte == Self.colon, place == .name {
      name = takeText()
      place = .blank
      return
    }
    guard byte.isHTTPTokenByte else {
      let isFolded = place == .line && (byte == Self.space || byte == Self.tab)
      throw .malformed(isFolded ? "a line is folded" : "the name of a field is no token")
    }
    guard headers.count < Self.largestFieldCount else {
      throw HeadRefusal(status: 431, reason: "there are more than \(Self.largestFieldCount) fields")
    }
    place = .name
    text.append(byte)
  }

  private mutating func takeValue(_ byte: UInt8) throws(HeadRefusal) {
    if byte == Self.cr {
      // A reader that trims spaces alone sees other values of the fields that say where a request goes and ends.
      if hasTab, Self.untabbed.contains(where: { name.isEqualIgnoringASCIICase(to: $0) }) {
        throw .malformed("a tab in \(name)")
      }
      hasTab = false
      // `Field` cuts the white space behind the value off.
      headers.add(name: name, value: takeText())
      place = .lineEnd
      return
    }
    // Visible characters, white space, and bytes beyond ASCII, which mean nothing to anybody here.
    guard byte == Self.tab || byte >= 0x20 && byte != 0x7F else {
      throw .malformed("the value of a field has a control character")
    }
    place = .value
    hasTab = hasTab || byte == Self.tab
    text.append(byte)
  }

  private static let untabbed = ["Host", "Content-Length", "Connection"]

  /// What was collected. Bytes that are no UTF-8 become replacement characters.
  private mutating func takeText() -> String {
    defer { text.removeAll(keepingCapacity: true) }
    return String(decoding: text, as: UTF8.self)
  }

  private static let (cr, lf, space, tab, colon): (UInt8, UInt8, UInt8, UInt8, UInt8) = (
    0x0D, 0x0A, 0x20, 0x09, 0x3A
  )
}
