/// Goes through an XML document from tag to tag, without checking it. Any encoding that contains ASCII will do.
package struct MarkupReader {
  package enum Item: Equatable, Sendable {
    /// A tag that begins an element, with the bytes of its name and those up to its end.
    case element(name: Range<Int>, attributes: Range<Int>)
    /// A document type declaration, with the bytes of its name.
    case documentType(name: Range<Int>)
    /// A comment, a processing instruction, or another declaration.
    case aside
    /// A tag that ends an element.
    case end
    /// The text between tags.
    case text(Range<Int>)
    /// The bytes end before the kind of the last item is known.
    case cut
  }

  package let bytes: [UInt8]
  package private(set) var position: Int

  package init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    position = start
  }

  /// The next item; `nil` at the end.
  ///
  /// - Complexity: O(n) for all items together.
  package mutating func next() -> Item? {
    let start = position
    guard start < bytes.count else { return nil }
    guard bytes[start] == UInt8(ascii: "<") else {
      position = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
      return .text(start..<position)
    }
    // The longest first.
    for (opening, closing) in Self.asides where stands(opening, at: start) {
      let end = self.end(of: closing, from: start + opening.utf8.count)
      position = end ?? bytes.count
      guard end != nil else { return .cut }
      return opening == "<![CDATA[" ? .text(start..<position) : .aside
    }
    if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "!") { return declaration() }
    if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "/") {
      skipTag(from: start + 2)
      return .end
    }
    let name = self.name(from: start + 1)
    if name.isEmpty {
      position = start + 1
      return position == bytes.count ? .cut : .text(start..<position)
    }
    skipTag(from: name.upperBound)
    return .element(name: name, attributes: name.upperBound..<position)
  }

  /// The next attribute of a tag: its name, and its value without the quotes, behind which the one after it may begin.
  ///
  /// - Returns: `nil` at the end of the tag, and where it is damaged.
  package func attribute(from start: Int) -> (name: Range<Int>, value: Range<Int>)? {
    func next(_ position: Int) -> Int? { bytes[position...].firstIndex { $0 > 0x20 } }
    guard let first = next(start),
      let end = bytes[first...].firstIndex(where: { $0 <= 0x20 || "=/<>\"'".utf8.contains($0) }), end > first,
      let equals = next(end), bytes[equals] == UInt8(ascii: "="), let open = next(equals + 1),
      bytes[open] == UInt8(ascii: "\"") || bytes[open] == UInt8(ascii: "'"),
      let close = bytes[(open + 1)...].firstIndex(of: bytes[open])
    else { return nil }
    return (first..<end, open + 1..<close)
  }

  /// The quoted values in the document type declaration of this name, without their quotes. The last one may have no end.
  package func literals(ofType name: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    _ = declarationEnd(from: name.upperBound) { found.append($0) }
    return found
  }

  private static let asides = [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")]

  /// Whether a text stands at a place, or the bytes end within it.
  private func stands(_ text: String, at place: Int) -> Bool {
    let here = bytes[place...].prefix(text.utf8.count)
    return here.count > 1 && text.utf8.starts(with: here)
  }

  /// The place behind the next occurrence of a text; `nil` without one.
  private func end(of text: String, from start: Int) -> Int? {
    let wanted = Array(text.utf8)
    var place = start
    while place < bytes.count, let found = bytes[place...].firstIndex(of: wanted[0]) {
      if bytes[found...].starts(with: wanted) { return found + wanted.count }
      place = found + 1
    }
    return nil
  }

  private func name(from start: Int) -> Range<Int> {
    let end = bytes[start...].firstIndex { !Self.isName($0) } ?? bytes.count
    return start..<end
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-")...UInt8(ascii: "."): true
    default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
    }
  }

  /// Goes behind the end of a tag: an angle bracket that is not in quotes.
  private mutating func skipTag(from start: Int) {
    var quote: UInt8?
    position = start
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
  }

  /// Goes behind a declaration with all that it contains in brackets.
  private mutating func declaration() -> Item {
    let word = name(from: position + 2)
    if word.upperBound == bytes.count {
      position = bytes.count
      return .cut
    }
    let start: Int = bytes[word.upperBound...].firstIndex { $0 > 0x20 } ?? bytes.count
    let name = self.name(from: start)
    let isType = String(decoding: bytes[word], as: UTF8.self).lowercased() == "doctype"
    position = declarationEnd(from: name.upperBound) { _ in }
    return isType ? name.isEmpty && start == bytes.count ? .cut : .documentType(name: name) : .aside
  }

  /// The place behind a declaration, with all that it contains in brackets. Calls `literal` for each quoted value in it.
  private func declarationEnd(from start: Int, _ literal: (Range<Int>) -> Void) -> Int {
    var place = start
    /// The opening quote.
    var quote: Int?
    var depth = 0
    while place < bytes.count {
      let byte = bytes[place]
      if quote == nil, byte == UInt8(ascii: "<") {
        // Comments and instructions may have quotes and brackets.
        if let (opening, closing) = Self.asides.dropFirst().first(where: { stands($0.0, at: place) }) {
          place = end(of: closing, from: place + opening.utf8.count) ?? bytes.count
          continue
        }
        depth += 1
      }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if let open = quote {
          guard bytes[open] == byte else { break }
          literal(open + 1..<place - 1)
          quote = nil
        } else {
          quote = place - 1
        }
      case UInt8(ascii: "[") where quote == nil: depth += 1
      case UInt8(ascii: "]") where quote == nil: depth -= 1
      case UInt8(ascii: ">") where quote == nil:
        if depth <= 0 { return place }
        depth -= 1
      default: break
      }
    }
    if let quote { literal(quote + 1..<bytes.count) }
    return bytes.count
  }
}
