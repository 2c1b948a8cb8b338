import OzuImaging
import OzuRecords

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

  /// A block without values.
  init() {
    (order, picture, details, place) = (.bigEndian, [], [], [])
  }

  /// Reads the parts. The data may be a whole TIFF file, whose first directory is then used.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  package init(_ bytes: Span<UInt8>) throws(EXIFDefect) {
    guard let directories = EXIFDirectories(bytes) else { throw .noHeader }
    order = directories.order
    var reader = Reader(start: directories.start, order: order)
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

  /// Whether there is nothing to write.
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

  /// Removes values of the first directory.
  mutating func remove(_ tags: Set<Int>) { picture.removeAll { tags.contains($0.tag) } }

  private mutating func replace(
    _ entry: EXIFEntry, in directory: WritableKeyPath<EXIFBlock, [EXIFEntry]>
  ) {
    self[keyPath: directory].removeAll { $0.tag == entry.tag }
    self[keyPath: directory].append(entry)
  }

  /// Reads the values of directories.
  private struct Reader {
    let start: Int
    let order: EXIFByteOrder
    /// The bytes that further values may take.
    var remainder = ImageMetadata.largestBlock

    /// The wanted entries of a directory, each tag once.
    mutating func entries(
      at directory: Int, in bytes: Span<UInt8>, where isWanted: (Int) -> Bool
    ) throws(EXIFDefect) -> [EXIFEntry] {
      guard let count = order.integer(bytes, at: directory, byteCount: 2),
        directory + 2 + count * 12 <= bytes.count
      else { throw .brokenDirectory }
      var entries: [EXIFEntry] = []
      var seen: Set<Int> = []
      for index in 0..<count {
        let at = directory + 2 + index * 12
        guard let tag = order.integer(bytes, at: at, byteCount: 2), isWanted(tag), seen.insert(tag).inserted,
          let (type, count, values) = values(ofEntry: at, in: bytes)
        else { continue }
        // Many entries may refer to the same bytes.
        remainder -= values.count + 12
        guard remainder >= 0 else { throw .tooLarge }
        entries.append(
          EXIFEntry(
            tag: tag, type: type, count: count,
            bytes: bytes.copy(from: values.lowerBound, byteCount: values.count),
            position: values.lowerBound == at + 8 ? nil : values.lowerBound - start))
      }
      return entries
    }

    /// The type of an entry, the number of its values, and their range.
    private func values(ofEntry at: Int, in bytes: Span<UInt8>) -> (type: Int, count: Int, range: Range<Int>)?
    {
      guard let type = order.integer(bytes, at: at + 2, byteCount: 2),
        let valueByteCount = EXIFTag.valueByteCount(ofType: type),
        let count = order.integer(bytes, at: at + 4, byteCount: 4), count > 0,
        let offset = order.integer(bytes, at: at + 8, byteCount: 4)
      else { return nil }
      let byteCount = count * valueByteCount
      let position = byteCount <= 4 ? at + 8 : start + offset
      guard position <= bytes.count, byteCount <= bytes.count - position else { return nil }
      return (type, count, position..<position + byteCount)
    }
  }
}
