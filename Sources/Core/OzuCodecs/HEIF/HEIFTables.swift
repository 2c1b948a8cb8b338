import OzuBase
import OzuImaging

/// Counts the entries of the tables of a HEIF or AVIF file, before a library reads them.
///
/// Libraries search the list of items for every entry of every table, so their time grows with the square of the
/// number of entries: libavif took 152 s for a header of 2.4 MB. The header is read before any limit on processor time
/// can stop it.
package enum HEIFTables {
  /// The most entries of all tables together. A tile of a grid has four, so this is enough for 4,000 tiles; of the
  /// usual tiles of 512 pixels, that is more than any limit on pixels allows. They take libavif 0.15 s.
  package static let mostEntries = 16_384

  /// - Throws: `unsupportedType` for a file with more entries.
  /// - Complexity: O(bytes of the boxes).
  package static func check(_ file: Span<UInt8>, type: ImageType) throws(ImageDecodingError) {
    var count = 0
    for box in HEIFBoxList(file, in: 0..<file.count).boxes {
      switch box.name {
      case "meta": count = count.saturatingSum(entryCount(file, meta: box))
      case "moov":
        for track in HEIFBoxList(file, in: box.content).boxes where track.name == "trak" {
          for box in HEIFBoxList(file, in: track.content).boxes where box.name == "meta" {
            count = count.saturatingSum(entryCount(file, meta: box))
          }
        }
      default: break
      }
    }
    guard count <= mostEntries else {
      throw .unsupportedType(type, reason: "\(count) entries in its tables, limit \(mostEntries)")
    }
  }

  /// Checks an AVIF file that libavif reads as a whole. Newer versions refuse what older ones show in another way.
  ///
  /// - Throws: `corrupt` for a turn or a crop that readers may leave out.
  package static func checkTransforms(_ file: Span<UInt8>) throws(ImageDecodingError) {
    guard let meta = HEIFBoxList(file, in: 0..<file.count).first("meta"),
      HEIFItems(file, meta: HEIFBoxList(file, in: meta.fullContent)).hasOptionalTransform
    else { return }
    throw .corrupt(.avif, stage: "header", reason: "a turn or a cut that is not marked as essential")
  }

  private static func entryCount(_ file: Span<UInt8>, meta: HEIFBox) -> Int {
    var count = 0
    for box in HEIFBoxList(file, in: meta.fullContent).boxes {
      let version = file.byte(at: box.content.lowerBound) ?? 0
      let content = box.fullContent.lowerBound
      switch box.name {
      case "iinf":
        let start = min(content + (version == 0 ? 2 : 4), box.content.upperBound)
        count += HEIFBoxList(file, in: start..<box.content.upperBound).boxes.count
      case "iloc": count += file.bigEndian(at: content + 2, bytes: version < 2 ? 2 : 4) ?? 0
      case "iref":
        // A reference refers to at most 65,535 items.
        for reference in HEIFBoxList(file, in: box.fullContent).boxes {
          let from = reference.content.lowerBound
          count += 1 + (file.bigEndian(at: from + (version == 0 ? 2 : 4), bytes: 2) ?? 0)
        }
      case "iprp":
        for box in HEIFBoxList(file, in: box.content).boxes where box.name == "ipma" {
          count += file.bigEndian(at: box.fullContent.lowerBound, bytes: 4) ?? 0
        }
      default: break
      }
    }
    return count
  }
}
