#if SVG
  import OzuCodecs
  import OzuImaging
  import OzuBase

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The pictures inside a drawing, in a form that every librsvg draws, also where no file can be opened.
  ///
  /// Before 2.58 librsvg leaves pictures to gdk-pixbuf, which itself reads PNG and JPEG with the right media type. For all else
  /// it needs modules that may be missing, and the system's table of media types. So media types are corrected here, and
  /// GIF, WebP, BMP, ICO, AVIF, JPEG XL and TIFF become PNG. Notes name the pictures that are left out. Their bytes go too: a
  /// module of gdk-pixbuf that somebody has installed would read them, and librsvg ends the process after some of its errors.
  struct DrawingPictures {
    /// The drawing.
    private(set) var data: Data
    private var outsideCount = 0
    /// How often each kind of picture was left out.
    private var omissions: [(reason: String, count: Int)] = []

    private let limits: DecodingLimits
    private let depth: Int
    private var convertedPixelCount: Int

    /// libxml2 refuses longer values of attributes.
    private static let longestValue = 10_000_000
    /// The most pixels of all pictures that are converted, which happens before the drawing is drawn.
    private static let mostConvertedPixels = 32 << 20
    /// How deep drawings may lie inside drawings.
    private static let mostDepth = 4
    static let convertedTypes: Set<ImageType> = [.gif, .webp, .bmp, .ico, .avif, .jxl, .tiff]

    /// - Parameter data: the drawing, which need not be well-formed.
    init(_ data: Data, limits: DecodingLimits) { self.init(data, limits: limits, depth: 0) }

    /// - Parameter convertedPixelCount: the pixels that the drawings around this one have converted, which count here too.
    private init(_ data: Data, limits: DecodingLimits, depth: Int, convertedPixelCount: Int = 0) {
      self.data = data
      self.limits = limits
      self.depth = depth
      self.convertedPixelCount = convertedPixelCount
      var reader = MarkupReader([UInt8](data))
      var result = Data()
      var copied = 0
      while let item = reader.next() {
        guard case .element(let name, let attributes) = item, Self.isPicture(reader.bytes[name]),
          let value = Self.reference(in: attributes, of: reader),
          let replacement = replacement(for: reader.bytes[value])
        else { continue }
        result += reader.bytes[copied..<value.lowerBound]
        result += replacement.utf8
        copied = value.upperBound
      }
      guard copied > 0 else { return }
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

    // MARK: Elements

    private static func localName(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }

    private static func isPicture(_ name: ArraySlice<UInt8>) -> Bool {
      let name = localName(name)
      return name.elementsEqual("image".utf8) || name.elementsEqual("feImage".utf8)
    }

    /// The place of the value of `href`, or of `xlink:href` if there is no other.
    private static func reference(in tag: Range<Int>, of reader: MarkupReader) -> Range<Int>? {
      var found: Range<Int>?
      var position = tag.lowerBound
      while position < tag.upperBound, let (name, value) = reader.attribute(from: position) {
        let name = reader.bytes[name]
        if name.elementsEqual("href".utf8) { return value }
        if localName(name).elementsEqual("href".utf8) { found = value }
        position = value.upperBound + 1
      }
      return found
    }

    // MARK: References

    /// The value to write instead of a reference; `nil` to leave it as it is.
    private mutating func replacement(for value: ArraySlice<UInt8>) -> String? {
      let value = value.drop { $0 <= 0x20 }
      // An entity may stand for anything; an element of the drawing is no picture.
      guard let first = value.first, first != UInt8(ascii: "#"), first != UInt8(ascii: "&") else {
        return nil
      }
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
        let text = String(decoding: content, as: UTF8.self)
        let isPlain = text.removingPercentEncoding.map { !$0.contains("mage") && !$0.contains("&#") } ?? false
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

    /// A drawing inside, with its own pictures in a form that is drawn.
    private mutating func drawing(_ data: Data) -> String {
      guard depth < Self.mostDepth else { return omit("drawings inside each other") }
      // Compressed ones are not looked into.
      if data.starts(with: [0x1F, 0x8B]) { return omit("a compressed drawing") }
      let inner = DrawingPictures(
        data, limits: limits, depth: depth + 1, convertedPixelCount: convertedPixelCount)
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
