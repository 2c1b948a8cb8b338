import OzuBase
import OzuImaging

/// Reads the metadata of a PNG: the chunks `eXIf`, `iTXt` with XMP in it, and `pHYs` (W3C PNG, third edition, §11.3). Without
/// these it reads the hexadecimal digits that older programs wrote into text chunks (`PNGRawProfile`).
package enum PNGMetadata {
  package static let xmpKeyword: StaticString = "XML:com.adobe.xmp\0"
  /// The pixels per metre that are one dot per inch.
  package static let inchesPerMeter = 1 / 0.0254

  /// The blocks of a file, with the values in them.
  ///
  /// - Parameter inflate: as for `blocks`.
  package static func read(
    _ bytes: Span<UInt8>, header: ImageHeader, inflate: (Span<UInt8>) -> [UInt8]?
  ) -> ImageMetadata {
    var metadata = blocks(bytes, inflate: inflate)
    metadata.complete(with: header)
    return metadata
  }

  /// The blocks of a file.
  ///
  /// - Parameter inflate: inflates a text to at most `ImageMetadata.largestBlock` bytes; `nil` if it is broken or larger.
  static func blocks(_ bytes: Span<UInt8>, inflate: (Span<UInt8>) -> [UInt8]?) -> ImageMetadata {
    var metadata = ImageMetadata()
    var resolution: ImageResolution?
    // Only the first block of each kind is read: a file may have any number of them, and each may inflate to many bytes.
    var hasXMP = false
    var rawProfiles: [PNGRawProfile: (chunk: Range<Int>, isCompressed: Bool)] = [:]
    var position = PNGChunk.firstOffset
    while let chunk = PNGChunk(bytes, at: position), chunk.end <= bytes.count {
      let type = position + 4
      let place = position + 8..<position + 8 + chunk.byteCount
      let content = bytes.extracting(place)
      position = chunk.end
      if bytes.hasBytes("eXIf", at: type) {
        metadata.add(exif: content)
      } else if bytes.hasBytes("pHYs", at: type), content.byte(at: 8) == 1,
        let horizontal = content.bigEndian(at: 0, bytes: 4), let vertical = content.bigEndian(at: 4, bytes: 4)
      {
        resolution = ImageResolution(
          horizontal: Double(horizontal) / inchesPerMeter, vertical: Double(vertical) / inchesPerMeter)
      } else if bytes.hasBytes("iTXt", at: type), content.hasBytes(xmpKeyword, at: 0) {
        if !hasXMP { addXMP(content, to: &metadata, inflate) }
        hasXMP = true
      } else if bytes.hasBytes("tEXt", at: type) || bytes.hasBytes("zTXt", at: type),
        let kind = PNGRawProfile.allCases.first(where: { $0.textStart(in: content) != nil }),
        rawProfiles[kind] == nil
      {
        rawProfiles[kind] = (place, bytes.hasBytes("zTXt", at: type))
      }
    }
    for kind in PNGRawProfile.allCases {
      guard let (place, isCompressed) = rawProfiles[kind] else { continue }
      add(kind, bytes.extracting(place), isCompressed: isCompressed, to: &metadata, inflate)
    }
    metadata.resolution = resolution?.valid ?? metadata.resolution
    return metadata
  }

  /// Adds a text chunk: a keyword, the method of compression if there is one, and the text (§11.3.3.2 and §11.3.3.3).
  private static func add(
    _ profile: PNGRawProfile, _ content: Span<UInt8>, isCompressed: Bool, to metadata: inout ImageMetadata,
    _ inflate: (Span<UInt8>) -> [UInt8]?
  ) {
    // A block that was already read from its own chunk is not inflated again.
    if metadata.exif != nil, profile == .exif || profile == .segment && metadata.xmp != nil { return }
    if metadata.xmp != nil, profile == .xmp { return }
    guard let start = profile.textStart(in: content) else { return }
    guard isCompressed else { return profile.add(content.extracting(start..<content.count), to: &metadata) }
    guard content.byte(at: start) == 0 else { return }
    guard let text = inflate(content.extracting(start + 1..<content.count)) else {
      metadata.notes.append(
        "a block of hexadecimal digits is left out: it cannot be inflated to at most \(ImageMetadata.largestBlock) bytes"
      )
      return
    }
    profile.add(ContiguousArray(text).span, to: &metadata)
  }

  /// Adds a text chunk with XMP: a keyword, whether the text is compressed, the method, the language, the keyword in that
  /// language, and the text (§11.3.3.4).
  private static func addXMP(
    _ content: Span<UInt8>, to metadata: inout ImageMetadata, _ inflate: (Span<UInt8>) -> [UInt8]?
  ) {
    let flag = xmpKeyword.utf8CodeUnitCount
    guard let isCompressed = content.byte(at: flag), content.byte(at: flag + 1) == 0 else { return }
    var start = flag + 2
    for _ in 0..<2 {
      while let byte = content.byte(at: start), byte != 0 { start += 1 }
      start += 1
    }
    guard start < content.count else { return }
    let text = content.extracting(start..<content.count)
    if isCompressed == 0 {
      metadata.add(xmp: text)
    } else if let inflated = inflate(text) {
      metadata.add(xmp: ContiguousArray(inflated).span)
    } else {
      metadata.notes.append(
        "XMP is left out: it cannot be inflated to at most \(ImageMetadata.largestBlock) bytes")
    }
  }
}

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
    let nameCount = JPEGMetadata.xmpName.utf8CodeUnitCount
    switch self {
    case .exif: metadata.add(exif: span)
    case .xmp: metadata.add(xmp: span)
    case .segment where span.hasBytes(JPEGMetadata.xmpName, at: 0):
      metadata.add(xmp: span.extracting(nameCount..<span.count))
    case .segment where span.hasBytes("Exif\0", at: 0): metadata.add(exif: span)
    case .segment: break
    case .resources: metadata.add(iptc: PhotoshopResources(span).iptc)
    }
  }

  /// The bytes of a text; `nil` if their number is not the declared one.
  private static func bytes(of text: Span<UInt8>) -> ContiguousArray<UInt8>? {
    let (lineFeed, space) = (UInt8(ascii: "\n"), UInt8(ascii: " "))
    // Nothing, a name, the number of bytes, and their digits.
    let lines = text.copy(from: 0, byteCount: text.count)
      .split(separator: lineFeed, maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count == 4, lines[0].isEmpty,
      let count = Int(String(decoding: lines[2].drop { $0 == space }, as: UTF8.self)), count > 0,
      count <= lines[3].count / 2
    else { return nil }
    let digits = lines[3].filter { $0 != lineFeed && $0 != space }
    guard digits.count / 2 >= count else { return nil }
    let written = String(decoding: digits.prefix(count.saturatingProduct(2)), as: UTF8.self)
    return [UInt8](hexadecimal: written).map { ContiguousArray($0) }
  }
}
