import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the blocks of a PNG: the chunks `eXIf`, `iTXt` with XMP in it, and `pHYs` (W3C PNG, third edition, §11.3).
///
/// What older programs wrote as hexadecimal digits into text chunks ("Raw profile type exif") is not read.
package enum PNGMetadata {
  package static let xmpKeyword: StaticString = "XML:com.adobe.xmp\0"
  /// How many pixels a metre of one dot per inch has.
  package static let inchesPerMeter = 1 / 0.0254

  /// The blocks that are there.
  ///
  /// - Parameter inflate: undoes the compression of a text, within `ImageMetadata.largestBlock`; `nil` when it is broken or
  ///   larger.
  package static func read(
    _ bytes: Span<UInt8>, header: ImageHeader, inflate: (Span<UInt8>) -> [UInt8]?
  ) -> ImageMetadata {
    var metadata = ImageMetadata()
    var resolution: ImageResolution?
    var position = PNGChunk.firstOffset
    while let chunk = PNGChunk(bytes, at: position), chunk.end <= bytes.count {
      let type = position + 4
      let content = bytes.extracting(position + 8..<position + 8 + chunk.byteCount)
      position = chunk.end
      if bytes.hasBytes("eXIf", at: type) {
        metadata.add(exif: content)
      } else if bytes.hasBytes("pHYs", at: type), content.byte(at: 8) == 1,
        let horizontal = content.bigEndian(at: 0, bytes: 4), let vertical = content.bigEndian(at: 4, bytes: 4)
      {
        resolution = ImageResolution(
          horizontal: Double(horizontal) / inchesPerMeter, vertical: Double(vertical) / inchesPerMeter)
      } else if bytes.hasBytes("iTXt", at: type), content.hasBytes(xmpKeyword, at: 0) {
        addXMP(content, to: &metadata, inflate)
      }
    }
    metadata.resolution = resolution?.valid ?? metadata.resolution
    metadata.add(profileOf: header)
    return metadata
  }

  /// The keyword, whether the text is compressed, how, the language, the keyword in that language, the text (§11.3.3.4).
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
      metadata.add(xmp: inflated.span)
    } else {
      metadata.notes.append(
        "XMP is left out: it cannot be inflated to at most \(ImageMetadata.largestBlock) bytes")
    }
  }
}
