#if SVG
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// The pictures inside a drawing, in a form that every librsvg draws, also where no file can be opened.
  ///
  /// Before 2.58 librsvg leaves pictures to gdk-pixbuf, which itself reads PNG and JPEG with the right media type. For all else
  /// it needs modules that may be missing, and the system's table of media types. So media types are corrected here, and
  /// GIF, WebP, BMP, ICO, AVIF, JPEG XL and TIFF become PNG. Notes name the pictures that are left out. Their bytes go too: a
  /// module of gdk-pixbuf that somebody has installed would read them, and librsvg ends the process after some of its errors.
  /// For the same reason nothing is a picture, or its address, that entities, defaults of attributes, style sheets or other
  /// documents in addresses of data say.
  struct DrawingPictures {
    private(set) var data: Data
    private var outsideCount = 0
    /// How often each kind of picture was left out.
    private var omissions: [(reason: String, count: Int)] = []

    private let limits: DecodingLimits
    private let depth: Int
    private var text = DrawingText()
    /// The text of the style sheet that is read, and how many elements are open from it on.
    private var style: (pieces: [(range: Range<Int>, isLiteral: Bool)], depth: Int) = ([], 0)
    private var convertedPixelCount: Int

    /// libxml2 refuses longer values of attributes.
    private static let longestValue = 10_000_000
    /// The most pixels of all pictures that are converted, which happens before the drawing is drawn.
    private static let mostConvertedPixels = 32 << 20
    /// How deep drawings may lie inside drawings.
    private static let mostDepth = 4
    static let convertedTypes: Set<ImageType> = [.gif, .webp, .bmp, .ico, .avif, .jxl, .tiff]

    /// - Parameter data: the drawing (`DrawingText.readable`), which need not be well-formed.
    init(_ data: Data, limits: DecodingLimits) { self.init(data, limits: limits, depth: 0) }

    /// - Parameter convertedPixelCount: the pixels that the drawings around this one have converted, which count here too.
    private init(_ data: Data, limits: DecodingLimits, depth: Int, convertedPixelCount: Int = 0) {
      self.data = data
      self.limits = limits
      self.depth = depth
      self.convertedPixelCount = convertedPixelCount
      var reader = MarkupReader([UInt8](data))
      var found: [Replacement] = []
      var start = 0
      while let item = reader.next() {
        found += replacements(in: item, start..<reader.position, of: reader)
        start = reader.position
      }
      guard !found.isEmpty else { return }
      var result = Data()
      var copied = 0
      // Those of a style sheet come at its end.
      for (value, replacement) in found.sorted(by: { $0.value.lowerBound < $1.value.lowerBound }) {
        result += reader.bytes[copied..<value.lowerBound]
        result += replacement.utf8
        copied = value.upperBound
      }
      result += reader.bytes[copied...]
      self.data = result
    }

    var notes: [String] {
      var notes = omissions.map { reason, count in
        count == 1
          ? "a picture inside the drawing is left out: \(reason)"
          : "\(count) pictures inside the drawing are left out: \(reason)"
      }
      if outsideCount > 0 {
        notes.append(
          outsideCount == 1
            ? "a picture outside of the drawing is left out: no other file is read"
            : "\(outsideCount) pictures outside of the drawing are left out: no other file is read")
      }
      return notes
    }

    /// Notes that pictures are left out.
    ///
    /// - Returns: the reference to nothing that stands in their place.
    @discardableResult
    private mutating func omit(_ reason: String, count: Int = 1) -> String {
      if let place = omissions.firstIndex(where: { $0.reason == reason }) {
        omissions[place].count += count
      } else if omissions.count < 16 {
        omissions.append((reason, count))
      }
      return ""
    }

    // MARK: Items

    /// A part of the drawing, and what is written instead of it.
    private typealias Replacement = (value: Range<Int>, replacement: String)

    private mutating func replacements(
      in item: MarkupReader.Item, _ range: Range<Int>, of reader: MarkupReader
    ) -> [Replacement] {
      let bytes = reader.bytes
      switch item {
      case .documentType(let name):
        return reader.literals(ofType: name).compactMap { value in
          let isOmitted = DrawingText.mayBecomePicture(bytes[value])
          text.declare(value, in: bytes, isOmitted: isOmitted)
          return isOmitted ? (value, omit("it is in the document type declaration")) : nil
        }
      case .element(let name, let tag):
        let isEmpty = bytes[tag].dropLast().last == UInt8(ascii: "/")
        if !isEmpty, style.depth > 0 || Self.localName(bytes[name]).elementsEqual("style".utf8) {
          style.depth += 1
        }
        return attributes(of: name, tag, reader)
      case .end:
        guard style.depth > 0 else { return [] }
        style.depth -= 1
        return style.depth == 0 ? styleSheet(of: bytes) : []
      case .text where style.depth > 0:
        let isLiteral = bytes[range].starts(with: "<![CDATA[".utf8)
        style.pieces.append((isLiteral ? range.dropFirst(9).dropLast(3) : range, isLiteral))
        return []
      case .aside where bytes[range].starts(with: "<?xml-stylesheet".utf8):
        // Its reader knows all named characters of HTML.
        let mayBeData = bytes[range].contains(UInt8(ascii: "&")) || text.mayHaveData(bytes[range])
        return mayBeData ? [(range, omit("it is in another document"))] : []
      case .aside, .text, .cut: return []
      }
    }

    private mutating func attributes(
      of name: Range<Int>, _ tag: Range<Int>, _ reader: MarkupReader
    ) -> [Replacement] {
      let isPicture = Self.isPicture(reader.bytes[name])
      var found: [Replacement] = []
      var position = tag.lowerBound
      while position < tag.upperBound, let (name, value) = reader.attribute(from: position) {
        position = value.upperBound + 1
        let content = reader.bytes[value]
        let isReference = Self.localName(reader.bytes[name]).elementsEqual("href".utf8)
        if isPicture, isReference {
          // One element may have several, of which librsvg takes one by its namespace.
          if let replacement = replacement(for: content) { found.append((value, replacement)) }
          continue
        }
        // The name of a whole document as data, as those of `use`, XInclude, paints and masks may be. Its pictures would be
        // drawn, and are not looked for.
        let mayBeData =
          isReference
          ? DrawingText.hasEntity(content) || text.mayHaveData(content)
          : content.contains { "(&\\".utf8.contains($0) } && text.mayReferToData([(content, false)])
        if mayBeData { found.append((value, omit("it is in another document"))) }
      }
      return found
    }

    /// The addresses of data in the style sheet that ends here. Those that are written plainly become addresses of nothing, and
    /// librsvg takes no fonts from them; otherwise the whole sheet is left out.
    private mutating func styleSheet(of bytes: [UInt8]) -> [Replacement] {
      let pieces = style.pieces
      style.pieces = []
      guard text.mayReferToData(pieces.map { (bytes[$0.range], $0.isLiteral) }) else { return [] }
      var found: [Replacement] = []
      var rest: [DrawingText.Piece] = []
      for (range, isLiteral) in pieces {
        var changed = bytes[range]
        for place in range.dropLast(4) where Self.isData(bytes[place..<place + 5]) {
          let before = bytes[range.lowerBound..<place]
          guard let quote = before.last(where: { $0 > 0x20 }), "('\"".utf8.contains(quote) else { continue }
          changed.replaceSubrange(place..<place + 4, with: "none".utf8)
          found.append((place..<place + 4, "none"))
          if !Self.isFontFace(before) { omit("it is in another document") }
        }
        rest.append((changed, isLiteral))
      }
      guard text.mayReferToData(rest) else { return found }
      omit("it is in another document")
      return pieces.map { ($0.range, "") }
    }

    private static func isData(_ text: ArraySlice<UInt8>) -> Bool {
      text.last == UInt8(ascii: ":") && String(decoding: text, as: UTF8.self).lowercased() == "data:"
    }

    /// Whether a text ends in the description of a font.
    private static func isFontFace(_ text: ArraySlice<UInt8>) -> Bool {
      guard let start = text.lastIndex(of: UInt8(ascii: "{")) else { return false }
      let name = String(decoding: text[..<start].suffix(32), as: UTF8.self).lowercased()
      return name.split { $0.isWhitespace }.last?.hasSuffix("@font-face") == true
    }

    private static func localName(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }

    private static func isPicture(_ name: ArraySlice<UInt8>) -> Bool {
      let name = localName(name)
      return name.elementsEqual("image".utf8) || name.elementsEqual("feImage".utf8)
    }

    // MARK: References

    /// The value to write instead of a reference; `nil` to leave it as it is.
    private mutating func replacement(for value: ArraySlice<UInt8>) -> String? {
      let value = value.drop { $0 <= 0x20 }
      // An element of the drawing is no picture.
      guard let first = value.first, first != UInt8(ascii: "#") else { return nil }
      if DrawingText.hasEntity(value) { return omit("its address is in an entity") }
      guard String(decoding: value.prefix(5), as: UTF8.self).lowercased() == "data:" else {
        outsideCount += 1
        // Characters may be written as numbers, so that this is not what librsvg reads.
        return ""
      }
      guard let comma = value.firstIndex(of: UInt8(ascii: ",")) else {
        return omit("its address has no data")
      }
      let parameters = String(decoding: value[..<comma].dropFirst(5), as: UTF8.self).lowercased()
        .split(separator: ";", omittingEmptySubsequences: false)
        .map { $0.filter { !$0.isWhitespace } }
      let content = value[(comma + 1)...]
      guard parameters.last == "base64" else {
        // Text is a drawing. Its own pictures are not looked for.
        let isPlain = !value[..<comma].contains(UInt8(ascii: "&")) && Self.isPlainDrawing(content)
        return parameters.first == ImageType.svg.mediaType && isPlain
          ? nil : omit("text that is no drawing, or has pictures of its own")
      }
      switch ContentKind(sniffing: Self.decoded(content, atMost: ContentKind.prefixByteCount)) {
      case .image(.svg): return drawing(Self.decoded(content, atMost: limits.encodedByteCount))
      case .image(let type) where [.png, .jpeg].contains(type):
        if parameters.first == type.mediaType { return nil }
        return "data:\(type.mediaType);base64,\(String(decoding: content, as: UTF8.self))"
      case .image(let type) where Self.convertedTypes.contains(type):
        return converted(Self.decoded(content, atMost: limits.encodedByteCount), type)
      case .image(let type): return omit(type.displayName)
      case .other(let kind): return omit(kind)
      case .empty: return omit("there are no bytes")
      case .unknown: return omit("it is not in a known format")
      }
    }

    /// Whether nothing in a drawing, written as text with percent signs, can be a picture or another document.
    private static func isPlainDrawing(_ text: ArraySlice<UInt8>) -> Bool {
      guard let text = String(decoding: text, as: UTF8.self).percentDecoded?.lowercased() else {
        return false
      }
      return !["mage", "data:", "&#", "\\", "stylesheet", "!doctype", "encoding", "\0"].contains {
        text.contains($0)
      }
    }

    /// A drawing inside, with its own pictures in a form that is drawn.
    private mutating func drawing(_ data: Data) -> String {
      guard depth < Self.mostDepth else { return omit("drawings inside each other") }
      // Compressed ones are not looked into.
      if data.starts(with: [0x1F, 0x8B]) { return omit("a compressed drawing") }
      guard let text = try? DrawingText.readable(data) else { return omit("a drawing in another encoding") }
      let inner = DrawingPictures(
        text, limits: limits, depth: depth + 1, convertedPixelCount: convertedPixelCount)
      convertedPixelCount = inner.convertedPixelCount
      // Its pictures may have grown.
      guard inner.data.count < Self.longestValue / 4 * 3 - 100 else { return omit("a long drawing") }
      for (reason, count) in inner.omissions { omit(reason, count: count) }
      outsideCount += inner.outsideCount
      return "data:\(ImageType.svg.mediaType);base64,\(inner.data.base64EncodedString())"
    }

    /// The bytes of a text in base64 with white space, references to characters and percent signs in it.
    private static func decoded(_ text: ArraySlice<UInt8>, atMost count: Int) -> Data {
      let wanted = (count.saturatingSum(2) / 3).saturatingProduct(4)
      var digits = Data()
      var place = text.startIndex
      while place < text.endIndex, digits.count < wanted {
        let byte = text[place]
        place += 1
        if byte == UInt8(ascii: "&") {
          // Those that writers use are line breaks.
          place = text[place...].firstIndex(of: UInt8(ascii: ";")).map { $0 + 1 } ?? text.endIndex
        } else if byte == UInt8(ascii: "%") {
          let hex = text[place...].prefix(2)
          if let code = UInt8(String(decoding: hex, as: UTF8.self), radix: 16), code > 0x20 {
            digits.append(code)
          }
          place = hex.endIndex
        } else if byte > 0x20 {
          digits.append(byte)
        }
      }
      let rest = digits.count & 3
      if rest == 1 { digits.removeLast() }
      if rest > 1 { digits += [UInt8](repeating: UInt8(ascii: "="), count: 4 - rest) }
      return Data(base64Encoded: digits) ?? Data()
    }

    /// The picture as PNG, smaller if it is too long for an attribute.
    private mutating func converted(_ data: Data, _ type: ImageType) -> String {
      let codecs = CodecRegistry.libraries
      do throws(ImageDecodingError) {
        let size = try codecs.header(of: data, limits: limits).size
        convertedPixelCount = convertedPixelCount.saturatingSum(size.pixelCount)
        guard convertedPixelCount <= Self.mostConvertedPixels else {
          return omit("\(type.displayName), too many pixels")
        }
        var shown = size
        while !shown.isEmpty {
          let picture = try codecs.picture(
            from: data, resize: shown == size ? nil : Resize(shown), context: DecodingContext(limits: limits))
          let png = try? codecs.encode(picture, as: .png, options: EncodingOptions(effort: .low))
          if let png, png.count < Self.longestValue / 4 * 3 - 100 {
            return "data:\(ImageType.png.mediaType);base64,\(png.base64EncodedString())"
          }
          shown = PixelSize(shown.width / 2, shown.height / 2)
        }
        return omit(type.displayName)
      } catch {
        return omit(error.description)
      }
    }
  }
#endif
