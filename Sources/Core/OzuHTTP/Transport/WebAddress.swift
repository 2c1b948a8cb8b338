import OzuBase

extension URL {
  /// Makes a URL from the text of an address as people and servers write it: with spaces, umlauts, braces, and a host of any
  /// language. Escapes that are in the text stay as they are.
  ///
  /// ```swift
  /// URL(webAddress: "https://bücher.example/caf%C3%A9 au lait.png?{1}")
  /// // https://xn--bcher-kva.example/caf%C3%A9%20au%20lait.png?%7B1%7D
  /// ```
  ///
  /// `URL(string:)` escapes every `%` of a text with one character that must be escaped, so that `%C3%A9` becomes `%25C3%25A9`:
  /// another address. Here a `%` is escaped only where no two hexadecimal digits follow, as browsers and curl do. White space around
  /// the text and line breaks in it are left out (URL Standard §4.4).
  ///
  /// - Parameter base: the URL to which the text may be relative; `nil` by default.
  /// - Returns: `nil` if the text is empty or cannot be made valid, such as a host with a space.
  public init?(webAddress text: String, relativeTo base: URL? = nil) {
    let text = WebAddress.escaped(WebAddress.trimmed(text))
    guard !text.isEmpty, let url = URL(string: text, relativeTo: base) else { return nil }
    self = url.absoluteURL
  }
}

/// The text of web addresses. Pure functions.
package enum WebAddress {
  /// The text without white space around it and without line breaks.
  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars.drop { $0.value <= 0x20 }
    guard let last = scalars.lastIndex(where: { $0.value > 0x20 }) else { return "" }
    return String(String.UnicodeScalarView(scalars[...last].filter { !["\t", "\n", "\r"].contains($0) }))
  }

  /// The text with every byte escaped that RFC 3986 does not allow at its place, except for a host in another script, which
  /// becomes its ASCII form.
  static func escaped(_ text: String) -> String {
    var rest = Array(text.utf8)[...]
    var result: [UInt8] = []
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")), isScheme(rest[..<colon]) {
      result += rest[...colon]
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: "//".utf8) {
      result += "//".utf8
      let authority = rest.dropFirst(2).prefix { !"/?#\\".utf8.contains($0) }
      append(authority: authority, to: &result)
      rest = rest[authority.endIndex...]
    }
    // The first `#` begins the fragment, a later one belongs to it.
    let fragment = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
    append(rest[..<fragment], to: &result)
    if fragment < rest.endIndex {
      result.append(UInt8(ascii: "#"))
      append(rest[(fragment + 1)...], to: &result)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
  }

  private static func append(authority: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var host = authority
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      append(authority[..<at], to: &result, escaping: "/?@".utf8)
      result.append(UInt8(ascii: "@"))
      host = authority[(at + 1)...]
    }
    guard host.contains(where: { $0 >= 0x80 }) else {
      result += host
      return
    }
    let port = host.lastIndex(of: UInt8(ascii: ":")) ?? host.endIndex
    let name = String(decoding: host[..<port], as: UTF8.self)
    // Foundation knows the ASCII form of names (IDNA), and shows it in the text of the URL alone.
    let ascii = URL(string: "http://\(name)/").map { $0.absoluteString.dropFirst(7).dropLast() }
    result += (ascii ?? name[...]).utf8
    result += host[port...]
  }

  /// Appends a path, a query, a fragment or user information.
  private static func append(
    _ bytes: ArraySlice<UInt8>, to result: inout [UInt8], escaping reserved: String.UTF8View = "".utf8
  ) {
    for index in bytes.indices {
      let byte = bytes[index]
      let isKept =
        byte == UInt8(ascii: "%")
        ? escapedByte(in: bytes, at: index) != nil : isAllowed(byte) && !reserved.contains(byte)
      if isKept { result.append(byte) } else { result += PercentEncoding.escape(of: byte) }
    }
  }

  /// The address as caches know it: two addresses with the same text are the same resource (RFC 3986 §6.2.2 and §6.2.3, RFC 9110
  /// §4.2.3).
  ///
  /// Scheme and host are in lower case, the port of the scheme and the fragment are left out, an empty path is `/`, escapes are in
  /// upper case, and letters, digits, `-`, `.`, `_` and `~` are not escaped. Texts of other schemes stay as they are.
  ///
  /// - Parameter text: `URL.absoluteString`.
  /// - Complexity: O(length); a text that is canonical already is not copied.
  package static func canonical(_ text: String) -> String {
    var text = text
    let isCanonical = text.withUTF8 { bytes -> Bool in
      // Only addresses of the web begin with an H. Loops, because each load asks twice: collections took 1,100 instructions.
      guard let first = bytes.first, first | 0x20 == UInt8(ascii: "h") else { return true }
      guard var index = end(of: "https://", in: bytes) ?? end(of: "http://", in: bytes) else { return false }
      while index < bytes.count, bytes[index] != UInt8(ascii: "/") {
        let byte = bytes[index]
        let isPlain =
          isLetter(byte) && byte & 0x20 != 0 || isDigit(byte) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: ".")
        guard isPlain else { return false }
        index += 1
      }
      guard index < bytes.count else { return false }
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: "#") || bytes[index] == UInt8(ascii: "%") { return false }
        index += 1
      }
      return true
    }
    return isCanonical ? text : rewritten(text)
  }

  /// A hash of scheme, host and port, the same for every text of one origin in this process; 0 for addresses that are not of the
  /// web. Each load asks, so they are found in the text: to take a URL apart costs more than to start a load.
  ///
  /// - Parameter isCanonical: whether the text is in its canonical form.
  package static func originHash(of text: String, isCanonical: Bool = false) -> Int {
    plainOriginHash(of: text, isCanonical) ?? plainOriginHash(of: canonical(text), true) ?? 0
  }

  /// - Returns: `nil` if the text must be brought into its canonical form first.
  private static func plainOriginHash(of text: String, _ isCanonical: Bool) -> Int? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= 8, bytes[0] | 0x20 == UInt8(ascii: "h") else { return 0 }
      let start = bytes[4] == UInt8(ascii: ":") ? 7 : 8
      guard bytes[start - 3] == UInt8(ascii: ":"), bytes[start - 1] == UInt8(ascii: "/") else { return 0 }
      var (host, end) = (start, start)
      scan: while end < bytes.count {
        switch bytes[end] {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break scan
        case UInt8(ascii: "@"): host = end + 1
        // The port may be that of the scheme.
        case UInt8(ascii: ":"), UInt8(ascii: "A")...UInt8(ascii: "Z"): if !isCanonical { return nil }
        default: break
        }
        end += 1
      }
      guard end > host else { return 0 }
      var hasher = Hasher()
      hasher.combine(start)
      hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[host..<end])))
      return hasher.finalize()
    }
  }

  /// Where the rest begins of bytes that begin with a text; `nil` if they begin otherwise.
  private static func end(of text: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let count = text.utf8CodeUnitCount
    guard bytes.count >= count else { return nil }
    for index in 0..<count where bytes[index] != text.utf8Start[index] { return nil }
    return count
  }

  private static func rewritten(_ text: String) -> String {
    let whole = Array(text.utf8).prefix { $0 != UInt8(ascii: "#") }
    guard let colon = whole.firstIndex(of: UInt8(ascii: ":")), whole[(colon + 1)...].starts(with: "//".utf8)
    else {
      return text
    }
    let scheme = String(decoding: whole[..<colon], as: UTF8.self).lowercased()
    guard scheme == "http" || scheme == "https" else { return text }
    let authority = whole[(colon + 3)...].prefix { !"/?".utf8.contains($0) }
    let at = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
    var result = Array("\(scheme)://".utf8)
    appendCanonical(authority[..<at], to: &result)
    var host = authority[at...]
    for port in [":", scheme == "http" ? ":80" : ":443"]
    where host.suffix(port.utf8.count).elementsEqual(port.utf8) {
      host = host.dropLast(port.utf8.count)
    }
    result += host.map { isLetter($0) ? $0 | 0x20 : $0 }
    let rest = whole[authority.endIndex...]
    if rest.first != UInt8(ascii: "/") { result.append(UInt8(ascii: "/")) }
    appendCanonical(rest, to: &result)
    return String(decoding: result, as: UTF8.self)
  }

  private static func appendCanonical(_ bytes: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if let byte = escapedByte(in: bytes, at: index) {
        let isUnreserved = isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte)
        if isUnreserved { result.append(byte) } else { result += PercentEncoding.escape(of: byte) }
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
  }

  /// The byte that an escape stands for; `nil` if there is none.
  private static func escapedByte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex else { return nil }
    guard let high = PercentEncoding.digit(bytes[index + 1]),
      let low = PercentEncoding.digit(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }

  /// Whether a byte may stand in a path or a query (RFC 3986 §3.3, §3.4).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
