import Foundation

/// The places of a TIFF's header values (TIFF 6.0 §2): the first directory, which most writers put at the end of the
/// file, and the values that do not fit into it.
///
/// Values that a header does not use are skipped: the places of the pixels, previews, and notes of camera makers,
/// editors and agencies.
struct TIFFDirectory {
  /// The bytes that are needed next.
  enum Need: Equatable {
    case nothing
    case bytes(Range<Int>)
    /// The whole file: it has parts that only its decoder finds.
    case whole
  }

  private let file: SparseFile
  private let isLittleEndian: Bool
  private let isBig: Bool

  /// `nil` for another format.
  init?(_ file: SparseFile) {
    guard file.byteCount <= Self.longestFile, let mark = file.bytes(0..<4) else { return nil }
    switch Array(mark) {
    case [0x49, 0x49, 42, 0]: (isLittleEndian, isBig) = (true, false)
    case [0x4D, 0x4D, 0, 42]: (isLittleEndian, isBig) = (false, false)
    case [0x49, 0x49, 43, 0]: (isLittleEndian, isBig) = (true, true)
    case [0x4D, 0x4D, 0, 43]: (isLittleEndian, isBig) = (false, true)
    default: return nil
    }
    self.file = file
  }

  /// The bytes that are still missing before the header can be read.
  var need: Need {
    let offset = isBig ? number(8, 8) : number(4, 4)
    guard case .value(let first) = offset else { return .whole }
    return need(ofDirectory: first, isFirst: true)
  }

  private enum Tag {
    static let (compression, exif) = (259, 34665)
    static let (make, subdirectories, dngVersion) = (271, 330, 50706)
    /// Offsets and lengths of strips and tiles, sub-directories, XMP, IPTC, Photoshop, GPS, the notes of a maker.
    static let unread: Set<Int> = [273, 279, 324, 325, 330, 700, 33723, 34377, 34853, 37500]
  }

  private static let oldJPEG = 6
  /// The length of a file is what its origin says. It has to have room in memory, and sums of offsets in `Int`.
  private static let longestFile = 4 << 30
  /// A longer value is a large colour profile, or invalid.
  private static let longestValue = 64 << 10
  private static let mostEntries = 512
  /// The bytes of one value of each type.
  private static let widths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

  fileprivate enum Found {
    case value(Int)
    case missing(Range<Int>)
    case absurd
  }

  private func need(ofDirectory offset: Int, isFirst: Bool) -> Need {
    let (head, width, tail) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard offset >= 8, offset <= file.byteCount - head else { return .whole }
    let count: Int
    switch number(offset, head) {
    case .missing(let range): return .bytes(range)
    case .value(let value) where value > 0 && value <= Self.mostEntries: count = value
    default: return .whole
    }
    let range = offset..<(offset + head + count * width + tail)
    guard range.upperBound <= file.byteCount else { return .whole }
    guard file.bytes(range) != nil else { return .bytes(range) }
    // Only the decoder counts further pages.
    if isFirst, number(range.upperBound - tail, tail).value != 0 { return .whole }
    if isFirst, isCameraRAW((0..<count).compactMap { number(offset + head + $0 * width, 2).value }) {
      return .whole
    }
    for index in 0..<count {
      let need = need(ofEntry: offset + head + index * width, isFirst: isFirst)
      if need != .nothing { return need }
    }
    return .nothing
  }

  /// Whether the tags of the first directory are those of a camera RAW file, whose previews only its decoder finds: a
  /// version of DNG, or a maker and sub-directories.
  private func isCameraRAW(_ tags: [Int]) -> Bool {
    tags.contains(Tag.dngVersion) || tags.contains(Tag.make) && tags.contains(Tag.subdirectories)
  }

  private func need(ofEntry offset: Int, isFirst: Bool) -> Need {
    let inline = isBig ? 8 : 4
    guard let tag = number(offset, 2).value, let type = number(offset + 2, 2).value,
      let count = number(offset + 4, inline).value, let value = number(offset + 4 + inline, inline).value
    else { return .whole }
    if isFirst, tag == Tag.compression, (number(offset + 4 + inline, 2).value ?? 0) == Self.oldJPEG {
      return .whole
    }
    if isFirst, tag == Tag.exif { return need(ofDirectory: value, isFirst: false) }
    guard !Tag.unread.contains(tag), Self.widths.indices.contains(type) else { return .nothing }
    let (length, overflow) = count.multipliedReportingOverflow(by: Self.widths[type])
    if !overflow, length <= inline { return .nothing }
    guard !overflow, length <= Self.longestValue, value >= 0, value <= file.byteCount - length else {
      return .whole
    }
    let range = value..<(value + length)
    return file.bytes(range) == nil ? .bytes(range) : .nothing
  }

  private func number(_ offset: Int, _ count: Int) -> Found {
    let range = offset..<(offset + count)
    guard let bytes = file.bytes(range) else { return .missing(range) }
    let ordered = isLittleEndian ? Array(bytes.reversed()) : Array(bytes)
    let value = ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value).map(Found.value) ?? .absurd
  }
}

extension TIFFDirectory.Found {
  fileprivate var value: Int? {
    if case .value(let value) = self { value } else { nil }
  }
}
