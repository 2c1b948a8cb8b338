import OzuImaging

/// EXIF data, XMP and IPTC-IIM as hexadecimal digits in a text chunk of a PNG. Programs wrote them before the chunk `eXIf` was
/// specified in 2017; ImageMagick still writes them.
///
/// No standard describes the form. The text is a line feed, a name, a line feed, spaces, the number of bytes in decimal
/// digits, and the hexadecimal digits in lines of any length (`Magick_png_write_raw_profile` in ImageMagick's `coders/png.c`).
enum PNGRawProfile: CaseIterable {
  case exif, xmp
  /// EXIF data or XMP, in the form of the segments of a JPEG.
  case segment
  /// The resources of Photoshop, of which one has IPTC-IIM.
  case resources

  /// The chunk's keyword, with its terminator.
  private var keyword: StaticString {
    switch self {
    case .exif: "Raw profile type exif\0"
    case .xmp: "Raw profile type xmp\0"
    case .segment: "Raw profile type APP1\0"
    case .resources: "Raw profile type iptc\0"
    }
  }

  private static let xmpName: StaticString = "http://ns.adobe.com/xap/1.0/\0"

  /// The offset of the text in a chunk with such a profile; `nil` for other chunks.
  func textStart(in chunk: Span<UInt8>) -> Int? {
    chunk.hasBytes(keyword, at: 0) ? keyword.utf8CodeUnitCount : nil
  }

  /// Adds the profile of a text, unless it is broken or the metadata already has such a block.
  func add(_ text: Span<UInt8>, to metadata: inout ImageMetadata) {
    guard let bytes = Self.bytes(of: text) else {
      metadata.notes.append("a block of hexadecimal digits is left out: it is damaged")
      return
    }
    let span = bytes.span
    let nameCount = Self.xmpName.utf8CodeUnitCount
    switch self {
    case .exif: metadata.add(exif: span)
    case .xmp: metadata.add(xmp: span)
    case .segment where span.hasBytes(Self.xmpName, at: 0):
      metadata.add(xmp: span.extracting(nameCount..<span.count))
    case .segment where span.hasBytes("Exif\0", at: 0): metadata.add(exif: span)
    case .segment: break
    case .resources: metadata.add(iptc: PhotoshopResources(span).iptc)
    }
  }

  /// The bytes of a text; `nil` if their number is not the declared one.
  private static func bytes(of text: Span<UInt8>) -> ContiguousArray<UInt8>? {
    let (lineFeed, space) = (UInt8(ascii: "\n"), UInt8(ascii: " "))
    guard text.byte(at: 0) == lineFeed else { return nil }
    var position = 1
    while let byte = text.byte(at: position), byte != lineFeed { position += 1 }
    position += 1
    while text.byte(at: position) == space { position += 1 }
    var count = 0
    while let byte = text.byte(at: position), byte != lineFeed {
      guard let digit = digit(byte), digit < 10, count < text.count else { return nil }
      count = count * 10 + Int(digit)
      position += 1
    }
    // Two digits make a byte.
    guard count > 0, count <= (text.count - min(position, text.count)) / 2 else { return nil }
    var bytes: ContiguousArray<UInt8> = []
    bytes.reserveCapacity(count)
    var high: UInt8?
    while bytes.count < count, let byte = text.byte(at: position) {
      position += 1
      if byte == lineFeed || byte == space { continue }
      guard let digit = digit(byte) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes.count == count ? bytes : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
