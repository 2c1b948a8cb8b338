#if SVG
  import OzuImaging

  import OzuBase

  /// What text of a drawing stands for: entities, numbers of characters and escapes of CSS write it in other ways.
  ///
  /// It is read to find addresses of data. It may find more of them than librsvg does, but not fewer.
  struct DrawingText {
    /// A piece of text; that of a CDATA section is literal.
    typealias Piece = (text: ArraySlice<UInt8>, isLiteral: Bool)

    /// The values of entities. One that has elements or is declared twice is `nil`: it is not known what a text with it means.
    private var entities: [ArraySlice<UInt8>: [UInt8]?] = [:]

    /// The most bytes that entities may add to a text.
    private static let mostAddedBytes = 1 << 20

    // MARK: Declarations

    /// Adds a quoted value of the document type declaration, which may be that of an entity.
    ///
    /// - Parameter isOmitted: whether the value is replaced by nothing.
    mutating func declare(_ value: Range<Int>, in bytes: [UInt8], isOmitted: Bool) {
      // The name is before the quote.
      let before = bytes[..<value.lowerBound].dropLast()
      let end = before.lastIndex { $0 > 0x20 } ?? before.startIndex
      let start = before[..<end].lastIndex { $0 <= 0x20 } ?? before.startIndex
      let name = bytes[(start + 1)..<(end + 1)]
      let content = isOmitted ? [] : Self.characters(of: bytes[value])
      let isKnown = entities[name] == nil && !content.contains(UInt8(ascii: "<"))
      entities[name] = .some(isKnown ? content : nil)
    }

    /// Whether the value of an entity, or the default of an attribute, may be a picture, its address, a style sheet, or a part
    /// of those. What is put together from other entities is not looked into.
    static func mayBecomePicture(_ literal: ArraySlice<UInt8>) -> Bool {
      // Numbers of characters are read with the declaration, and again with what they have become.
      let value = characters(of: literal)
      if hasEntity(value[...]) { return true }
      return [value, characters(of: value[...])].flatMap(readings).contains { text in
        text.has("data:") || text.has("<") && (text.has("image") || text.has("<style") || text.has(":style"))
      }
    }

    /// Whether a value refers to an entity that the drawing declares.
    static func hasEntity(_ value: ArraySlice<UInt8>) -> Bool {
      var isFound = false
      _ = replaced(value) { name in
        isFound = isFound || predefined[String(decoding: name, as: UTF8.self)] == nil
        return []
      }
      return isFound
    }

    // MARK: Addresses of data

    /// Whether a value, of a reference for example, may be or have an address of data.
    func mayHaveData(_ value: ArraySlice<UInt8>) -> Bool {
      guard let text = expanded([(value, false)]) else { return true }
      return Self.readings(text).contains { $0.has("data:") }
    }

    /// Whether text in CSS may refer to data: that of a style sheet, or of an attribute such as `fill`.
    func mayReferToData(_ pieces: [Piece]) -> Bool {
      guard let text = expanded(pieces) else { return true }
      return Self.readings(text).contains { text in
        text.has("(data:") || text.has("'data:") || text.has("\"data:")
      }
    }

    /// The text without references; `nil` if it is too long, or not known.
    private func expanded(_ pieces: [Piece]) -> [UInt8]? {
      var text: [UInt8] = []
      var addedCount = 0
      for (piece, isLiteral) in pieces {
        let part =
          isLiteral
          ? [UInt8](piece)
          : Self.replaced(piece) { name in
            if let value = Self.predefined[String(decoding: name, as: UTF8.self)] { return [value] }
            guard let value = entities[name, default: []], addedCount <= Self.mostAddedBytes else {
              return nil
            }
            addedCount += value.count
            return value
          }
        guard let part else { return nil }
        text += part
      }
      return text
    }

    /// The text as it is, and as CSS reads it, in lower case and without white space.
    private static func readings(_ text: [UInt8]) -> [[UInt8]] {
      (text.contains(UInt8(ascii: "\\")) ? [text, unescaped(text)] : [text]).map { text in
        text.compactMap { byte in
          byte <= 0x20 ? nil : (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= byte ? byte | 0x20 : byte
        }
      }
    }

    // MARK: References and escapes

    private static let predefined: [String: UInt8] = [
      "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
      "apos": UInt8(ascii: "'"),
    ]

    /// The text with characters instead of their numbers, and with all other references.
    private static func characters(of text: ArraySlice<UInt8>) -> [UInt8] {
      replaced(text) { Array("&".utf8) + Array($0) + Array(";".utf8) } ?? []
    }

    /// The text with characters instead of their numbers, and what a closure makes of names; `nil` if it returns `nil`.
    private static func replaced(
      _ text: ArraySlice<UInt8>, _ entity: (ArraySlice<UInt8>) -> [UInt8]?
    ) -> [UInt8]? {
      var result: [UInt8] = []
      result.reserveCapacity(text.count)
      var rest = text
      while let byte = rest.popFirst() {
        let name = rest.prefix { byte == UInt8(ascii: "&") && $0 > 0x20 && !"&;".utf8.contains($0) }
        guard let first = name.first else {
          result.append(byte)
          continue
        }
        rest = rest[name.endIndex...]
        if rest.first == UInt8(ascii: ";") { rest.removeFirst() }
        if first == UInt8(ascii: "#") {
          let digits = String(decoding: name.dropFirst(), as: UTF8.self)
          let code = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
          result.append(character(code))
        } else {
          guard let value = entity(name) else { return nil }
          result += value
        }
      }
      return result
    }

    /// The text with characters instead of their escapes in CSS (CSS Syntax §4.3.7).
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
      var result: [UInt8] = []
      var rest = text[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\") else {
          result.append(byte)
          continue
        }
        let digits = rest.prefix(6).prefix { Character(UnicodeScalar($0)).isHexDigit }
        if digits.isEmpty {
          if let next = rest.popFirst() { result.append(next) }
          continue
        }
        rest = rest[digits.endIndex...]
        if let space = rest.first, space <= 0x20 { rest.removeFirst() }
        result.append(character(UInt32(String(decoding: digits, as: UTF8.self), radix: 16)))
      }
      return result
    }

    /// A character of ASCII. No other is in anything that is looked for.
    private static func character(_ code: UInt32?) -> UInt8 {
      code.flatMap { $0 < 0x80 ? UInt8(exactly: $0) : nil } ?? 0x80
    }

    // MARK: Encodings

    /// The encodings whose bytes up to 127 always stand for the characters of ASCII, by the beginnings of their names.
    private static let encodings = [
      "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "iso8859-", "iso_8859-", "latin1", "windows-125",
      "cp125",
      "koi8-", "macintosh", "gb2312", "euc-",
    ]

    /// The drawing in UTF-8, if it is in UTF-16; otherwise as it is. A byte order mark is right where the declaration is wrong.
    ///
    /// - Throws: `unsupportedType` if it declares another encoding in which checks cannot read it: UTF-7, Shift_JIS.
    static func readable(_ data: Data) throws(ImageDecodingError) -> Data {
      let narrowed = narrowed(data)
      let isUTF8 = narrowed != nil || data.starts(with: [0xEF, 0xBB, 0xBF])
      let text = narrowed ?? [UInt8](data)
      var reader = MarkupReader(text, from: text.firstIndex(of: UInt8(ascii: "<")) ?? text.count)
      let start = reader.position
      guard text[start...].starts(with: "<?xml".utf8), case .aside = reader.next() else {
        return narrowed.map { Data($0) } ?? data
      }
      var position = start + 5
      while let (name, value) = reader.attribute(from: position), value.upperBound < reader.position {
        position = value.upperBound + 1
        guard text[name].elementsEqual("encoding".utf8) else { continue }
        if isUTF8 {
          return Data(text[..<value.lowerBound] + "UTF-8".utf8 + text[value.upperBound...])
        }
        let encoding = String(decoding: text[value], as: UTF8.self).lowercased()
        guard encodings.contains(where: encoding.hasPrefix) else {
          let name = String(encoding.prefix(40).map { $0.isASCII && !$0.isWhitespace ? $0 : "?" })
          throw .unsupportedType(.svg, reason: "its text is in the encoding \(name)")
        }
      }
      return narrowed.map { Data($0) } ?? data
    }

    /// Text in UTF-16 as UTF-8; `nil` for other text.
    private static func narrowed(_ data: Data) -> [UInt8]? {
      let isLittle: Bool
      switch [UInt8](data.prefix(2)) {
      case [0xFF, 0xFE], [0x3C, 0]: isLittle = true
      case [0xFE, 0xFF], [0, 0x3C]: isLittle = false
      default: return nil
      }
      let bytes = [UInt8](data)
      let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
        let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
      }
      let content = units.first == 0xFEFF ? units.dropFirst() : units[...]
      return [UInt8](String(decoding: content, as: UTF16.self).utf8)
    }
  }

  extension [UInt8] {
    fileprivate func has(_ text: StaticString) -> Bool {
      let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return indices.dropLast(text.count - 1).contains { place in
        self[place] == text[0] && self[place...].starts(with: text)
      }
    }
  }
#endif
