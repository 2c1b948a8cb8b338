import OzuBase
import OzuImaging

/// EXIF data in parts, to be changed and written again: the values of the first directory, of the details of the
/// picture, and of the place where it was taken.
///
/// Reading is strict and bounded: a directory is used as a whole or not at all, a value outside the data is left
/// out, and all values together are limited to the size of a block. Only values that are understood are kept, so
/// bytes without an entry, the thumbnail, and other directories are dropped: they could contain anything.
package struct EXIFBlock: Sendable {
  let order: EXIFByteOrder
  var picture: [EXIFEntry]
  var details: [EXIFEntry]
  var place: [EXIFEntry]

  init() {
    (order, picture, details, place) = (.bigEndian, [], [], [])
  }

  /// Reads the parts. The data may be a whole TIFF file, whose first directory is then used.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  package init(_ bytes: Span<UInt8>) throws(EXIFDefect) {
    guard let directories = TIFFLayout(exif: bytes) else { throw .noHeader }
    order = directories.order
    var reader = Reader(directories: directories)
    picture = try reader.entries(at: directories.first, in: bytes) { EXIFTag.picture.contains($0) }
    details = []
    place = []
    if let offset = directories.integer(EXIFTag.details, directories.first, bytes) {
      details = try reader.entries(at: directories.start + offset, in: bytes) {
        !EXIFTag.uncopiedDetails.contains($0)
      }
    }
    if let offset = directories.integer(EXIFTag.place, directories.first, bytes) {
      // The other values are still useful without it.
      place = (try? reader.entries(at: directories.start + offset, in: bytes) { _ in true }) ?? []
    }
  }

  var isEmpty: Bool { picture.isEmpty && details.isEmpty && place.isEmpty }

  /// Replaces a value of a directory by an integer of 16 (SHORT) or 32 bits (LONG).
  mutating func set(
    _ tag: Int, to value: Int, isLong: Bool = false, in directory: WritableKeyPath<EXIFBlock, [EXIFEntry]>
  ) {
    let bytes = order.bytes(of: value, byteCount: isLong ? 4 : 2)
    replace(
      EXIFEntry(tag: tag, type: isLong ? 4 : 3, count: 1, bytes: bytes, position: nil), in: directory)
  }

  /// Replaces a value of the first directory by a fraction, in ten-thousandths if it is not a whole number.
  mutating func set(_ tag: Int, to value: Double) {
    let isWhole = value == value.rounded()
    let denominator = isWhole ? 1 : 10_000
    // A resolution is below 65,536, so both numbers fit into 32 bits.
    let numerator = Int(
      clamping: min(max(value, 0), 100_000) * Double(denominator), rounded: .toNearestOrAwayFromZero)
    let bytes = order.bytes(of: numerator, byteCount: 4) + order.bytes(of: denominator, byteCount: 4)
    replace(EXIFEntry(tag: tag, type: 5, count: 1, bytes: bytes, position: nil), in: \.picture)
  }

  /// Replaces a value of the first directory by a text, in UTF-8.
  mutating func set(_ tag: Int, to text: String) {
    let bytes = Array(text.utf8) + [0]
    replace(EXIFEntry(tag: tag, type: 2, count: bytes.count, bytes: bytes, position: nil), in: \.picture)
  }

  mutating func remove(_ tags: Set<Int>) { picture.removeAll { tags.contains($0.tag) } }

  private mutating func replace(
    _ entry: EXIFEntry, in directory: WritableKeyPath<EXIFBlock, [EXIFEntry]>
  ) {
    self[keyPath: directory].removeAll { $0.tag == entry.tag }
    self[keyPath: directory].append(entry)
  }

  private struct Reader {
    let directories: TIFFLayout
    /// The bytes that further values may take.
    var remainder = ImageMetadata.largestBlock

    /// The wanted entries of a directory, each tag once.
    mutating func entries(
      at directory: Int, in bytes: Span<UInt8>, where isWanted: (Int) -> Bool
    ) throws(EXIFDefect) -> [EXIFEntry] {
      guard let count = directories.fieldCount(of: directory, in: bytes),
        directories.hasFields(count, of: directory, in: bytes)
      else { throw .brokenDirectory }
      var entries: [EXIFEntry] = []
      var seen: Set<Int> = []
      for index in 0..<count {
        // A block has no place for the types of BigTIFF alone.
        guard let field = directories.field(index, of: directory, in: bytes), isWanted(field.tag),
          seen.insert(field.tag).inserted, !field.values.isEmpty, TIFFLayout.width(ofType: field.type) != nil
        else { continue }
        // Many entries may refer to the same bytes.
        remainder -= field.values.count + 12
        guard remainder >= 0 else { throw .tooLarge }
        entries.append(
          EXIFEntry(
            tag: field.tag, type: field.type, count: field.count,
            bytes: bytes.copy(from: field.position, byteCount: field.values.count),
            position: field.position == field.inline ? nil : field.position - directories.start))
      }
      return entries
    }
  }
}

/// The byte order of EXIF data, and reading integers in this order.
enum EXIFByteOrder: Sendable {
  case littleEndian, bigEndian

  func integer(_ bytes: Span<UInt8>, at offset: Int, byteCount: Int) -> Int? {
    switch self {
    case .littleEndian: bytes.littleEndian(at: offset, bytes: byteCount)
    case .bigEndian: bytes.bigEndian(at: offset, bytes: byteCount)
    }
  }
}

/// A value of a directory, with a copy of its bytes.
struct EXIFEntry: Sendable {
  let tag: Int
  let type: Int
  let count: Int
  /// The bytes, in the byte order of the block.
  let bytes: [UInt8]
  /// The old offset of the bytes from the byte-order mark; `nil` for bytes that were in the directory itself.
  let position: Int?

  func withTag(_ tag: Int) -> EXIFEntry {
    EXIFEntry(tag: tag, type: type, count: count, bytes: bytes, position: position)
  }
}

package enum EXIFDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not begin with a TIFF header.
  case noHeader
  /// A directory extends beyond the end of the data.
  case brokenDirectory
  /// Their values together are larger than the limit for a block (`ImageMetadata.largestBlock`).
  case tooLarge

  package var description: String {
    switch self {
    case .noHeader: "they do not begin with a TIFF header"
    case .brokenDirectory: "a directory extends beyond their end"
    case .tooLarge: "their values are larger than the limit"
    }
  }
}
