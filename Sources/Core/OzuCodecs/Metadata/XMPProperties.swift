import OzuBase
import OzuImaging

/// The properties of an XMP packet (ISO 16684-1), by paths such as `dc:title` or `exif:Flash/exif:Fired`.
///
/// It understands the forms that the standard allows for a property: an attribute, an element, a list (`rdf:Bag`, `rdf:Seq`),
/// alternatives by language (`rdf:Alt`), and structures. Names get the usual prefix of their namespace, whichever the
/// packet has chosen. Nothing outside the packet is read, and there are no entities beyond the five of XML, so none can
/// grow; depth, number and length of everything are bounded. Damage ends the reading, and what was read stays.
struct XMPProperties {
  struct Item {
    let text: String
    /// The language, in alternatives.
    let language: String?
  }

  /// The properties in the order of the packet.
  private(set) var paths: [String] = []
  private var items: [String: [Item]] = [:]
  /// The properties of the packets before.
  private var known: Set<String> = []

  fileprivate static let mostItems = 4000
  fileprivate static let longestPath = 256
  fileprivate static let deepest = 24
  /// The most namespaces that are known at once: each name is compared with them.
  fileprivate static let mostNamespaces = 128

  /// Reads packets one after the other; a property of an earlier one is not read again.
  ///
  /// - Parameter packets: each in UTF-8 or UTF-16.
  init(_ packets: [Data]) {
    for packet in packets {
      known = Set(paths)
      var reader = XMPReader(XMLTokens(Self.utf8(packet)))
      reader.read(into: &self)
    }
  }

  /// The text of a property: for alternatives the default one, or else the first; for a list the first item.
  func text(_ path: String) -> String? {
    guard let items = items[path] else { return nil }
    return (items.first { $0.language == "x-default" } ?? items.first)?.text
  }

  func texts(_ path: String) -> [String] { items[path]?.map(\.text) ?? [] }

  func number(_ path: String) -> Double? { text(path).flatMap(MetadataText.parsed) }

  func integer(_ path: String) -> Int? { number(path).flatMap { Int(exactly: $0) } }

  /// The properties with other paths.
  func tags(except known: Set<String>) -> [MetadataTag] {
    paths.filter { !known.contains($0) }.map { path in
      let isAlternative = items[path]?.first?.language != nil
      let value = isAlternative ? text(path) ?? "" : texts(path).joined(separator: ", ")
      return MetadataTag(group: .xmp, name: path, value: MetadataText.cut(value))
    }
  }

  fileprivate mutating func add(_ path: String, _ text: String, language: String? = nil) {
    guard let text = MetadataText.tidied(text), path.utf8.count <= Self.longestPath, !known.contains(path)
    else { return }
    let leading = text.drop { $0.isWhitespace }
    guard !leading.isEmpty else { return }
    if items[path] == nil { paths.append(path) }
    items[path, default: []].append(Item(text: String(leading), language: language))
  }

  private static func utf8(_ packet: Data) -> [UInt8] {
    let bytes = [UInt8](packet)
    let isLittle = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0, 0x3C]) else { return bytes }
    let units = (0..<bytes.count / 2).map { index in
      let (first, second) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}

private struct XMPReader {
  private struct Element {
    enum Kind { case outside, description, property, list, item }
    let kind: Kind
    /// The path of the property that its content belongs to.
    let path: String
    var text: [UInt8] = []
    var language: String?
    var hasElements = false
    /// The number of namespaces that were known before it.
    let namespaceCount: Int
  }

  private var tokens: XMLTokens
  private var open: [Element] = []
  private var namespaces: [(prefix: String, uri: String)] = []
  private var itemCount = 0

  init(_ tokens: XMLTokens) { self.tokens = tokens }

  mutating func read(into properties: inout XMPProperties) {
    while let token = tokens.next(), itemCount < XMPProperties.mostItems {
      switch token {
      case .text(let text):
        guard let last = open.indices.last, open[last].text.count < MetadataValues.longestText else {
          continue
        }
        open[last].text += text.prefix(MetadataValues.longestText)
      case .start(let name, let attributes, let isEmpty):
        guard open.count < XMPProperties.deepest else { return }
        begin(name, attributes, &properties)
        if isEmpty { end(&properties) }
      case .end: end(&properties)
      }
    }
  }

  private mutating func begin(
    _ name: String, _ attributes: [XMLTokens.Attribute], _ properties: inout XMPProperties
  ) {
    let namespaceCount = namespaces.count
    for attribute in attributes
    where attribute.name.hasPrefix("xmlns:") && namespaces.count < XMPProperties.mostNamespaces {
      namespaces.append((String(attribute.name.dropFirst(6)), attribute.value))
    }
    let name = canonical(name)
    let parent = open.last
    if let last = open.indices.last { open[last].hasElements = true }
    let parentPath = parent?.path ?? ""
    let isInside = parent.map { $0.kind != .outside } ?? false
    let (kind, path): (Element.Kind, String) =
      switch name {
      case "rdf:RDF": (.description, "")
      case _ where !isInside: (.outside, "")
      case "rdf:Description": (.description, parentPath)
      case "rdf:Bag", "rdf:Seq", "rdf:Alt": (.list, parentPath)
      case "rdf:li", "rdf:value": (.item, parentPath)
      default: (.property, parentPath.isEmpty ? name : "\(parentPath)/\(name)")
      }
    var element = Element(kind: kind, path: path, namespaceCount: namespaceCount)
    for attribute in attributes where element.kind != .outside && !attribute.name.hasPrefix("xmlns") {
      let name = canonical(attribute.name)
      if name == "xml:lang" { element.language = attribute.value }
      if name == "rdf:resource" { add(element.path, attribute.value, nil, &properties) }
      guard !name.hasPrefix("xml:"), !name.hasPrefix("rdf:"), name.contains(":") else { continue }
      add(element.path.isEmpty ? name : "\(element.path)/\(name)", attribute.value, nil, &properties)
    }
    open.append(element)
  }

  private mutating func end(_ properties: inout XMPProperties) {
    guard let element = open.popLast() else { return }
    namespaces.removeSubrange(element.namespaceCount...)
    guard element.kind == .property || element.kind == .item, !element.hasElements else { return }
    add(element.path, String(decoding: element.text, as: UTF8.self), element.language, &properties)
  }

  private mutating func add(
    _ path: String, _ text: String, _ language: String?, _ properties: inout XMPProperties
  ) {
    guard !path.isEmpty else { return }
    itemCount += 1
    properties.add(path, text, language: language)
  }

  /// The name with the usual prefix of its namespace.
  private func canonical(_ name: String) -> String {
    guard let colon = name.firstIndex(of: ":") else { return name }
    let prefix = name[..<colon]
    guard let uri = namespaces.last(where: { $0.prefix == prefix })?.uri, let usual = Self.prefixes[uri]
    else {
      return name
    }
    return usual + name[colon...]
  }

  private static let prefixes = [
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://purl.org/dc/elements/1.1/": "dc",
    "http://ns.adobe.com/xap/1.0/": "xmp", "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
    "http://ns.adobe.com/xap/1.0/mm/": "xmpMM", "http://ns.adobe.com/xmp/note/": "xmpNote",
    "http://ns.adobe.com/tiff/1.0/": "tiff",
    "http://ns.adobe.com/exif/1.0/": "exif", "http://cipa.jp/exif/1.0/": "exifEX",
    "http://ns.adobe.com/exif/1.0/aux/": "aux", "http://ns.adobe.com/photoshop/1.0/": "photoshop",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": "Iptc4xmpCore",
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/": "Iptc4xmpExt",
    "http://ns.adobe.com/camera-raw-settings/1.0/": "crs", "http://ns.adobe.com/lightroom/1.0/": "lr",
    "http://www.metadataworkinggroup.com/schemas/regions/": "mwg-rs",
    "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
  ]
}

/// The tags and the texts of an XML document, one after the other. Comments, instructions and the declaration of the
/// document's type are skipped.
private struct XMLTokens {
  struct Attribute {
    let name: String
    let value: String
  }

  enum Token {
    case start(String, [Attribute], isEmpty: Bool)
    case end
    case text([UInt8])
  }

  private var reader: MarkupReader
  private static let mostAttributes = 512

  init(_ bytes: [UInt8]) { reader = MarkupReader(bytes) }

  /// The next token; `nil` at the end, and at damage.
  mutating func next() -> Token? {
    while true {
      let start = reader.position
      guard let item = reader.next() else { return nil }
      let bytes = reader.bytes[start..<reader.position]
      switch item {
      case .aside where bytes.starts(with: "<!--".utf8) || bytes.starts(with: "<?".utf8): continue
      // A declaration may define entities; XMP has none (ISO 16684-1 §7.1).
      case .aside, .documentType, .cut: return nil
      case .end: return .end
      case .element(let name, let tag): return self.start(name, tag)
      case .text where bytes.first != UInt8(ascii: "<"): return .text(Self.unescaped(bytes))
      case .text:
        guard bytes.starts(with: "<![CDATA[".utf8) else { return nil }
        return .text(Array(bytes.dropFirst(9).dropLast(3).prefix(MetadataValues.longestText)))
      }
    }
  }

  private func start(_ name: Range<Int>, _ tag: Range<Int>) -> Token? {
    guard let name = text(name) else { return nil }
    var attributes: [Attribute] = []
    var position = tag.lowerBound
    while attributes.count <= Self.mostAttributes, let (name, value) = reader.attribute(from: position) {
      guard let name = text(name) else { return nil }
      position = value.upperBound + 1
      let content = Self.unescaped(reader.bytes[value])
      attributes.append(Attribute(name: name, value: String(decoding: content, as: UTF8.self)))
    }
    let rest = reader.bytes[min(position, tag.upperBound)..<tag.upperBound].drop { $0 <= 0x20 }
    let isEmpty = rest.elementsEqual("/>".utf8)
    return isEmpty || rest.elementsEqual(">".utf8) ? .start(name, attributes, isEmpty: isEmpty) : nil
  }

  private func text(_ name: Range<Int>) -> String? {
    name.count > XMPProperties.longestPath ? nil : String(decoding: reader.bytes[name], as: UTF8.self)
  }

  /// A text, cut, with its references replaced.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    // A reference is longer than what it stands for, up to ten times.
    let text = text.prefix(10 * MetadataValues.longestText)
    guard text.contains(UInt8(ascii: "&")) else { return Array(text.prefix(MetadataValues.longestText)) }
    var result: [UInt8] = []
    var position = text.startIndex
    while position < text.endIndex, result.count < MetadataValues.longestText {
      if text[position] == UInt8(ascii: "&"),
        let end = text[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
        let character = character(String(decoding: text[position + 1..<end], as: UTF8.self))
      {
        result += Array(String(character).utf8)
        position = end + 1
      } else {
        result.append(text[position])
        position += 1
      }
    }
    return result
  }

  private static func character(_ reference: String) -> Character? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHexadecimal = reference.hasPrefix("#x")
      guard reference.hasPrefix("#"),
        let number = UInt32(reference.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
      else { return nil }
      return Unicode.Scalar(number).map(Character.init)
    }
  }
}
