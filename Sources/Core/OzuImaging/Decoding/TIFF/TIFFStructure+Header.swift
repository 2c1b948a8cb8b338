#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The places of a TIFF's header values (TIFF 6.0 §2): the first directory, which most writers put at the end of the
/// file, and the values that do not fit into it.
extension TIFFStructure {
  /// The bytes that are needed before the header can be read.
  package enum Need: Equatable {
    case nothing
    case bytes(Range<Int>)
    /// The whole file: it has parts that only its decoder finds.
    case whole
  }

  enum Tag {
    static let (compression, exif, place) = (259, 34665, 34853)
    static let (make, subdirectories, dngVersion) = (271, 330, 50706)
    /// The fields that a header does not use: offsets and lengths of strips and tiles, sub-directories, XMP, IPTC, Photoshop, GPS,
    /// the notes of a maker.
    static let unread: Set<Int> = [273, 279, 324, 325, 330, 700, 33723, 34377, 34853, 37500]
  }

  private static let oldJPEG = 6
  /// A longer value is a large colour profile, or invalid.
  private static let longestValue = 64 << 10
  private static let mostFieldsOfHeader = 512

  /// The bytes that are still missing before the header of a TIFF can be read.
  ///
  /// - Parameter isKnown: whether some bytes of the data are those of the file; the others are zero.
  package func need(_ isKnown: (Range<Int>) -> Bool) -> Need {
    guard start == 0, [42, TIFFLayout.bigVersion].contains(layout.version) else { return .whole }
    guard isKnown(0..<(layout.version == 42 ? 8 : 16)) else { return .whole }
    return need(ofDirectory: first, isFirst: true, isKnown)
  }

  private func need(ofDirectory offset: Int, isFirst: Bool, _ isKnown: (Range<Int>) -> Bool) -> Need {
    let bytes = data.span
    guard offset >= 8, layout.range(of: offset, fieldCount: 0, in: bytes) != nil else { return .whole }
    let head = offset..<offset + layout.headWidth
    guard isKnown(head) else { return .bytes(head) }
    guard let count = layout.fieldCount(of: offset, in: bytes), 1...Self.mostFieldsOfHeader ~= count,
      let range = layout.range(of: offset, fieldCount: count, in: bytes)
    else { return .whole }
    guard isKnown(range) else { return .bytes(range) }
    guard let directory = directory(at: offset) else { return .whole }
    // Only the decoder counts further pages, and finds the previews of camera RAW files: those with a version of DNG, or
    // with a maker and sub-directories.
    if isFirst {
      guard directory.next == nil, directory[Tag.dngVersion] == nil,
        directory[Tag.make] == nil || directory[Tag.subdirectories] == nil,
        number(of: Tag.compression, in: directory) != Self.oldJPEG
      else { return .whole }
    }
    for field in directory.fields {
      let need = need(of: field, in: directory, isFirst: isFirst, isKnown)
      if need != .nothing { return need }
    }
    return .nothing
  }

  private func need(
    of field: Field, in directory: Directory, isFirst: Bool, _ isKnown: (Range<Int>) -> Bool
  ) -> Need {
    if isFirst, field.tag == Tag.exif {
      guard let details = positions(of: Tag.exif, in: directory).first else { return .whole }
      return need(ofDirectory: details, isFirst: false, isKnown)
    }
    guard !Tag.unread.contains(field.tag), field.count > 0, field.position != field.inline else {
      return .nothing
    }
    guard !field.values.isEmpty, field.values.count <= Self.longestValue else { return .whole }
    return isKnown(field.values) ? .nothing : .bytes(field.values)
  }
}
