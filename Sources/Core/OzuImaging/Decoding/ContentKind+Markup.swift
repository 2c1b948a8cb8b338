import OzuBase

extension ContentKind {
  /// The most bytes that comments, processing instructions and declarations before the first element of a document may
  /// take, with that element's name: 1 MB, after decompression. A drawing whose first element comes later is not recognised.
  public static let longestPrologueByteCount = 1 << 20

  /// Whether further bytes of the same file may change its kind: these end in the prologue of a document.
  package static func isOpen(_ data: Data) -> Bool {
    data.count < longestPrologueByteCount && recognise(data).isOpen
  }

  /// The kind, and whether further bytes may change it.
  static func recognise(_ data: Data) -> (kind: ContentKind, isOpen: Bool) {
    let prefix = data.withUnsafeBytes { [UInt8]($0.prefix(prefixByteCount)) }
    let kind = ContentKind(prefix: prefix)
    switch kind {
    case .other(gzip):
      let (text, isOpen) = recognise(data, Gzip.text)
      return (text == .image(.svg) ? text : kind, isOpen)
    case .other(document), .other(blank): return recognise(data) { ([UInt8]($0.prefix($1)), false) }
    case .unknown:
      guard let reading = WideText.reading(prefix) else { return (kind, false) }
      return recognise(data, reading)
    default: return (kind, false)
    }
  }

  static let gzip = "gzip-compressed data"
  static let document = "an XML document"
  static let blank = "blank text"

  /// - Parameter reading: reads at most the given number of bytes of text, and says whether more would come with more data.
  private static func recognise(
    _ data: Data, _ reading: (Data, Int) -> (text: [UInt8], isCut: Bool)
  ) -> (kind: ContentKind, isOpen: Bool) {
    for limit in [prefixByteCount, longestPrologueByteCount] {
      let (text, isCut) = reading(data, limit)
      let (kind, isOpen) = markup(text)
      if !isOpen || text.count < limit { return (kind, isOpen || text.isEmpty && isCut) }
    }
    return (.other(document), false)
  }

  /// The kind of a document, and whether it ends before its first element.
  static func markup(_ text: [UInt8]) -> (kind: ContentKind, isOpen: Bool) {
    var reader = MarkupReader(text, from: text.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
    var isBlank = true
    while let item = reader.next() {
      switch item {
      case .aside: isBlank = false
      case .cut: return (.other(document), true)
      case .text(let range):
        if text[range].contains(where: { $0 > 0x20 }) { return (.other(document), false) }
      case .end: return (.other(document), false)
      case .documentType(let name):
        let isCut = name.upperBound == text.count
        isBlank = false
        if let kind = kind(text[name]) { return (kind, isCut) }
        if reader.position == text.count { return (.other(document), true) }
      case .element(let name, _):
        return (kind(text[name]) ?? .other(document), name.upperBound == text.count)
      }
    }
    return (.other(isBlank ? blank : document), true)
  }

  /// The kind of a document by the name of its type or its first element, which may have a namespace prefix: `svg:svg`.
  private static func kind(_ name: ArraySlice<UInt8>) -> ContentKind? {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    if name == "html" { return .other("an HTML page") }
    return parts.last == "svg" && (parts.count == 1 || parts.count == 2 && !parts[0].isEmpty)
      ? .image(.svg) : nil
  }

  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension Gzip {
  /// The first bytes of the text, which may be in UTF-16, and whether it is not complete.
  fileprivate static func text(_ data: Data, _ limit: Int) -> ([UInt8], Bool) {
    let inflated = Gzip(inflating: data.prefix(ContentKind.longestPrologueByteCount), atMost: limit)
    let isCut = inflated.end == .cut
    guard let reading = WideText.reading(inflated.bytes) else { return (inflated.bytes, isCut) }
    return (reading(Data(inflated.bytes), limit).text, isCut)
  }
}

/// Text in UTF-16, with a byte order mark or with the declaration that XML without one must have.
private enum WideText {
  /// A reading to ASCII, in which all other characters are alike; `nil` for other bytes.
  static func reading(_ prefix: [UInt8]) -> ((Data, Int) -> (text: [UInt8], isCut: Bool))? {
    switch prefix.prefix(4) {
    case [0xFF, 0xFE, 0x3C, 0], [0x3C, 0, 0x3F, 0]: { (narrowed($0, $1, low: 0), false) }
    case [0xFE, 0xFF, 0, 0x3C], [0, 0x3C, 0, 0x3F]: { (narrowed($0, $1, low: 1), false) }
    default: nil
    }
  }

  /// - Parameter low: which byte of each pair is the lower one.
  private static func narrowed(_ data: Data, _ limit: Int, low: Int) -> [UInt8] {
    var bytes = [UInt8](data.prefix(2 * limit))
    let hasMark = bytes.starts(with: low == 0 ? [0xFF, 0xFE] : [0xFE, 0xFF])
    var count = 0
    for start in stride(from: hasMark ? 2 : 0, to: bytes.count - 1, by: 2) {
      let isASCII = bytes[start + 1 - low] == 0 && bytes[start + low] < 0x80
      bytes[count] = isASCII ? bytes[start + low] : 0x80
      count += 1
    }
    return Array(bytes[..<count])
  }
}
