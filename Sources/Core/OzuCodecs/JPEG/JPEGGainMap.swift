import OzuBase
import OzuImaging

/// The gain map that follows the picture of a JPEG. The index of CIPA DC-007 (MPF) gives its place. ISO 21496-1 describes it or,
/// in Ultra HDR files, XMP with the namespace `hdrgm`. If a file has both, the standard is used.
enum JPEGGainMap {
  private static let mostPictures = 8
  /// Room for the segments of a map before its first scan.
  private static let headByteCount = 16 << 10
  static let isoName: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
  private static let version: StaticString = "hdrgm:Version"

  /// Whether the XMP of a picture announces a map.
  static func isAnnounced(in packet: Span<UInt8>) -> Bool { packet.find(version, from: 0) != nil }

  /// Whether a segment of another picture says that it is a map.
  static func isOne(_ segment: Span<UInt8>, marker: UInt8) -> Bool {
    marker == 0xE2 && segment.hasBytes(isoName, at: 0) || marker == 0xE1 && isAnnounced(in: segment)
  }

  /// The first picture of the index that is a gain map.
  ///
  /// - Parameter index: the offset of the index's byte-order mark.
  static func find(in file: Span<UInt8>, index: Int) -> GainMap? {
    for picture in pictures(file, index: index) {
      if let map = read(file, picture.bytes) { return map }
    }
    return nil
  }

  struct Entry {
    let bytes: Range<Int>
    /// Its kind in CIPA DC-007 §5.2.3.3. The upper of three bytes is a class: 1 for a preview of another picture, 2 for one of
    /// several views.
    let kind: Int
  }

  /// The pictures of an index that are in the file, without the first, which is the one that is shown.
  static func pictures(_ file: Span<UInt8>, index: Int) -> [Entry] {
    entries(file, index: index).filter { $0.bytes.upperBound <= file.count }
  }

  /// The place of the first picture of the index whose beginning is not there, so that it may be a map: it is behind the
  /// end of a file that is cut or not loaded yet, or it is zeros, as the unknown parts of a `SparseFile` are.
  static func missingHead(in file: Span<UInt8>, index: Int) -> Range<Int>? {
    for picture in entries(file, index: index) {
      let bytes = file.extracting(picture.bytes.clamped(to: 0..<file.count))
      let start = bytes.bigEndian(at: 0, bytes: 2)
      let isOther = start.map { $0 != 0 && $0 != 0xFF00 + Int(JPEGMarker.startOfImage) } ?? false
      if isOther || JPEGMarker.readHead(of: bytes, { _, _, _ in true }) { continue }
      return picture.bytes
        .lowerBound..<min(picture.bytes.upperBound, picture.bytes.lowerBound + headByteCount)
    }
    return nil
  }

  private static func entries(_ file: Span<UInt8>, index start: Int) -> [Entry] {
    let isLittle = file.hasBytes("II", at: start)
    guard isLittle || file.hasBytes("MM", at: start) else { return [] }
    func number(_ offset: Int, _ count: Int) -> Int? {
      isLittle
        ? file.littleEndian(at: start + offset, bytes: count)
        : file.bigEndian(at: start + offset, bytes: count)
    }
    guard let directory = number(4, 4), let entryCount = number(directory, 2) else { return [] }
    for entry in 0..<min(entryCount, 32) {
      let place = directory + 2 + entry * 12
      guard number(place, 2) == 0xB002, let byteCount = number(place + 4, 4), let list = number(place + 8, 4)
      else { continue }
      // The first is the picture itself.
      return (1..<max(1, min(byteCount / 16, mostPictures))).compactMap { picture in
        guard let kind = number(list + picture * 16, 4), let size = number(list + picture * 16 + 4, 4),
          let offset = number(list + picture * 16 + 8, 4), offset > 0, size > 4
        else { return nil }
        return Entry(bytes: start + offset..<start + offset + size, kind: kind & 0xFF_FFFF)
      }
    }
    return []
  }

  /// Reads the segments of a picture up to its frame header and the blocks that describe a map.
  private static func read(_ file: Span<UInt8>, _ range: Range<Int>) -> GainMap? {
    var size: PixelSize?
    var iso: GainMap?
    var xmp: GainMap?
    _ = JPEGMarker.readHead(of: file.extracting(range)) { marker, segment, _ in
      if marker == 0xE2, segment.hasBytes(isoName, at: 0) {
        iso = standard(segment.extracting(isoName.utf8CodeUnitCount..<segment.count))
      } else if marker == 0xE1, segment.find(version, from: 0) != nil {
        xmp = ultraHDR(segment)
      } else if JPEGMarker.isFrameHeader(marker), let height = segment.bigEndian(at: 1, bytes: 2),
        let width = segment.bigEndian(at: 3, bytes: 2)
      {
        size = PixelSize(width, height)
      }
      return true
    }
    guard var map = iso ?? xmp, let size else { return nil }
    (map.size, map.bytes) = (size, range)
    return map
  }

  /// The binary form of ISO 21496-1 Annex C.
  static func standard(_ block: Span<UInt8>) -> GainMap? {
    // Two versions of two bytes each. A reader must check only the first.
    guard block.bigEndian(at: 0, bytes: 2) == 0, let flags = block.byte(at: 4) else { return nil }
    let (isMultichannel, hasOneDenominator) = (flags & 0x80 != 0, flags & 0x08 != 0)
    var position = 5
    var denominator: Double?
    func word(signed: Bool) -> Double? {
      guard let value = block.bigEndian(at: position, bytes: 4) else { return nil }
      position += 4
      return Double(signed ? Int(Int32(truncatingIfNeeded: value)) : value)
    }
    if hasOneDenominator {
      guard let value = word(signed: false), value > 0 else { return nil }
      denominator = value
    }
    func fraction(signed: Bool) -> Double? {
      guard let numerator = word(signed: signed) else { return nil }
      if let denominator { return numerator / denominator }
      guard let own = word(signed: false), own > 0 else { return nil }
      return numerator / own
    }
    guard let baseHeadroom = fraction(signed: false), let alternateHeadroom = fraction(signed: false) else {
      return nil
    }
    var channels: [GainMap.Channel] = []
    for _ in 0..<(isMultichannel ? 3 : 1) {
      guard let minimum = fraction(signed: true), let maximum = fraction(signed: true),
        let gamma = fraction(signed: false), let baseOffset = fraction(signed: true),
        let alternateOffset = fraction(signed: true)
      else { return nil }
      channels.append(
        GainMap.Channel(
          minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
          alternateOffset: alternateOffset))
    }
    var map = GainMap(
      size: PixelSize(0, 0), bytes: 0..<0, channels: channels, baseHeadroom: baseHeadroom,
      alternateHeadroom: alternateHeadroom)
    map.isInColorsOfPicture = flags & 0x40 != 0
    return map
  }

  /// The attributes and lists of Ultra HDR's XMP (Android's "Ultra HDR image format", 1.1).
  private static func ultraHDR(_ packet: Span<UInt8>) -> GainMap? {
    let xmp = XMPProperties([Data(packet.copy(from: 0, byteCount: packet.count))])
    func numbers(_ name: String, else standard: Double? = nil) -> [Double]? {
      let texts = xmp.texts("hdrgm:\(name)")
      return texts.isEmpty ? standard.map { [$0] } : texts.map { Double($0) ?? .nan }
    }
    // Not supported: a picture of high dynamic range with a map that makes it darker.
    guard xmp.text("hdrgm:BaseRenditionIsHDR")?.lowercased() != "true",
      let maximum = numbers("GainMapMax"), let headroom = numbers("HDRCapacityMax")?.first
    else { return nil }
    let lists = [
      numbers("GainMapMin", else: 0), maximum, numbers("Gamma", else: 1),
      numbers("OffsetSDR", else: 1.0 / 64), numbers("OffsetHDR", else: 1.0 / 64),
    ].compactMap(\.self)
    let count = lists.contains { $0.count == 3 } ? 3 : 1
    guard lists.allSatisfy({ $0.count == 1 || $0.count == 3 }) else { return nil }
    let channels = (0..<count).map { channel in
      func value(_ list: Int) -> Double { lists[list][channel % lists[list].count] }
      return GainMap.Channel(
        minimum: value(0), maximum: value(1), gamma: value(2), baseOffset: value(3), alternateOffset: value(4)
      )
    }
    return GainMap(
      size: PixelSize(0, 0), bytes: 0..<0, channels: channels,
      baseHeadroom: numbers("HDRCapacityMin")?.first ?? 0, alternateHeadroom: headroom)
  }
}

extension Span where Element == UInt8 {
  /// The first place of a text, at an offset or after it.
  func find(_ text: StaticString, from start: Int) -> Int? {
    let first = text.utf8Start.pointee
    var position = start
    while position + text.utf8CodeUnitCount <= count {
      if self[position] == first, hasBytes(text, at: position) { return position }
      position += 1
    }
    return nil
  }
}
