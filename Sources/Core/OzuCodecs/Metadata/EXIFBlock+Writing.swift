import OzuBase

extension EXIFBlock {
  /// The end of a maker note in a block, up to which it is kept: the size of one JPEG segment.
  private static let makerNoteEnd = 65_000

  /// The block as bytes, beginning with the byte-order mark, with its entries in the order of their tags, as TIFF
  /// requires.
  ///
  /// A maker note is written at its old offset, and everything else around it: its format is the maker's own, and
  /// in those of Canon, Nikon and others its offsets count from the beginning of the block. A maker note that
  /// cannot be at its old offset is left out. There is no second directory, and so no thumbnail.
  package func serialized() -> [UInt8] {
    // Sorted, so that a block that was already written is written in the same way again.
    let (picture, place) = (Self.sorted(picture), Self.sorted(place))
    var details = Self.sorted(details)
    let note = details.firstIndex { $0.tag == EXIFTag.makerNote }.map { details.remove(at: $0) }
    var layout = EXIFLayout(order: order)
    if let note, let position = note.position, position >= 8, position <= Self.makerNoteEnd - note.bytes.count
    {
      layout.reserve(position, note.bytes)
      details = Self.sorted(details + [note])
    }
    var pointers: [(tag: Int, directory: [EXIFEntry])] = []
    if !details.isEmpty { pointers.append((EXIFTag.details, details)) }
    if !place.isEmpty { pointers.append((EXIFTag.place, place)) }
    let first = layout.place(byteCount: Self.directoryByteCount(picture.count + pointers.count))
    var entries = picture.map { (entry: $0, value: layout.value(of: $0)) }
    for (tag, directory) in pointers {
      let offset = layout.place(byteCount: Self.directoryByteCount(directory.count))
      layout.write(directory.map { ($0, layout.value(of: $0)) }, at: offset)
      let value = order.bytes(of: offset, byteCount: 4)
      entries.append((EXIFEntry(tag: tag, type: 4, count: 1, bytes: value, position: nil), value))
    }
    layout.write(entries, at: first)
    layout.finish(firstDirectory: first)
    return layout.bytes
  }

  private static func sorted(_ entries: [EXIFEntry]) -> [EXIFEntry] { entries.sorted { $0.tag < $1.tag } }

  /// The number of entries, the entries, and the offset of the next directory.
  private static func directoryByteCount(_ entryCount: Int) -> Int { 2 + 12 * entryCount + 4 }
}

/// The bytes of a block that is being written, around bytes whose place is already fixed.
private struct EXIFLayout {
  let order: EXIFByteOrder
  /// Bytes that are not written yet are zero.
  private(set) var bytes = [UInt8](repeating: 0, count: 8)
  private var end = 8
  private var reserved = 0..<0

  init(order: EXIFByteOrder) { self.order = order }

  /// Writes bytes at a fixed place; must be called before all other writes.
  mutating func reserve(_ position: Int, _ content: [UInt8]) {
    reserved = position..<position + content.count
    write(content, at: position)
  }

  /// Takes space for some bytes, at an even offset.
  mutating func place(byteCount: Int) -> Int {
    var start = end + end & 1
    if start < reserved.upperBound, start + byteCount > reserved.lowerBound {
      start = reserved.upperBound + reserved.upperBound & 1
    }
    end = start + byteCount
    return start
  }

  /// The four bytes of an entry's value: the value itself, or the offset at which it was written.
  mutating func value(of entry: EXIFEntry) -> [UInt8] {
    if entry.bytes.count <= 4 {
      return entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
    }
    if entry.tag == EXIFTag.makerNote { return order.bytes(of: reserved.lowerBound, byteCount: 4) }
    let offset = place(byteCount: entry.bytes.count)
    write(entry.bytes, at: offset)
    return order.bytes(of: offset, byteCount: 4)
  }

  /// Writes a directory without a next one.
  mutating func write(_ entries: [(entry: EXIFEntry, value: [UInt8])], at offset: Int) {
    var table = order.bytes(of: entries.count, byteCount: 2)
    for (entry, value) in entries.sorted(by: { $0.entry.tag < $1.entry.tag }) {
      table += order.bytes(of: entry.tag, byteCount: 2) + order.bytes(of: entry.type, byteCount: 2)
      table += order.bytes(of: entry.count, byteCount: 4) + value
    }
    write(table + [0, 0, 0, 0], at: offset)
  }

  mutating func finish(firstDirectory: Int) {
    write(
      order.mark + order.bytes(of: 42, byteCount: 2) + order.bytes(of: firstDirectory, byteCount: 4), at: 0)
  }

  private mutating func write(_ content: [UInt8], at offset: Int) {
    let missing = offset + content.count - bytes.count
    if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
    bytes.replaceSubrange(offset..<offset + content.count, with: content)
  }
}

extension EXIFByteOrder {
  fileprivate var mark: [UInt8] { Array((self == .littleEndian ? "II" : "MM").utf8) }

  func bytes(of value: Int, byteCount: Int) -> [UInt8] {
    self == .littleEndian ? value.littleEndianBytes(byteCount) : value.bigEndianBytes(byteCount)
  }
}
