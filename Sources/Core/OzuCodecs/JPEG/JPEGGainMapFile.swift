import OzuBase
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Joins a picture and its gain map in one file: two JPEGs, one after the other. The first has an index of both
/// (CIPA DC-007). The map is described by ISO 21496-1, and by XMP for readers of Ultra HDR 1.
package enum JPEGGainMapFile {
  /// The file of a map, with its descriptions.
  static func described(_ map: Data, by numbers: GainMap) -> Data {
    let xmp = bytes(JPEGMetadata.xmpName) + Array(GainMapXMP.numbers(numbers).utf8)
    return insert(segment(0xE1, xmp) + segment(0xE2, bytes(JPEGGainMap.isoName) + block(numbers)), into: map)
  }

  /// The file of a picture and a map.
  ///
  /// - Parameter picture: a file whose XMP announces the map.
  package static func joined(_ picture: Data, _ map: Data) -> Data {
    // The picture contains only the version of the standard; the description is in the map's file.
    let announcement = segment(0xE2, bytes(JPEGGainMap.isoName) + [0, 0, 0, 0])
    let head = end(ofApplicationSegments: picture) + announcement.count
    let indexByteCount = index(pictureByteCount: 0, mapByteCount: 0, mapOffset: 0).count
    let byteCount = picture.count + announcement.count + indexByteCount
    // Offsets are counted from the byte-order mark, which follows the marker, the length and the name.
    let index = index(
      pictureByteCount: byteCount, mapByteCount: map.count, mapOffset: byteCount - (head + 8))
    return insert(announcement + index, into: picture) + map
  }

  /// The bytes that `joined` adds to the two files, at most.
  static let overhead = 256

  // MARK: Blocks

  /// The binary form of ISO 21496-1 Annex C: versions, flags, then fractions of 32 bits.
  private static func block(_ numbers: GainMap) -> [UInt8] {
    // Exact for stops and offsets in 2 to the power of -20, and large enough for gammas of 100.
    let denominator = 1 << 20
    func fraction(_ value: Double) -> [UInt8] {
      let numerator = Int32(clamping: value * Double(denominator), rounded: .toNearestOrAwayFromZero)
      return big(Int(UInt32(bitPattern: numerator)), 4) + big(denominator, 4)
    }
    let flags = (numbers.channels.count > 1 ? 0x80 : 0) | (numbers.isInColorsOfPicture ? 0x40 : 0)
    var block: [UInt8] = [0, 0, 0, 0, UInt8(flags)]
    block += fraction(numbers.baseHeadroom) + fraction(numbers.alternateHeadroom)
    for channel in numbers.channels {
      block += fraction(channel.minimum) + fraction(channel.maximum) + fraction(channel.gamma)
      block += fraction(channel.baseOffset) + fraction(channel.alternateOffset)
    }
    return block
  }

  /// The segment of the index: a directory of three entries (version, number of pictures, list), and the list.
  private static func index(pictureByteCount: Int, mapByteCount: Int, mapOffset: Int) -> [UInt8] {
    let listOffset = 8 + 2 + 3 * 12 + 4
    var block = Array("MPF\0MM".utf8) + [0, 42] + big(8, 4) + big(3, 2)
    block += big(0xB000, 2) + big(7, 2) + big(4, 4) + Array("0100".utf8)
    block += big(0xB001, 2) + big(4, 2) + big(1, 4) + big(2, 4)
    block += big(0xB002, 2) + big(7, 2) + big(32, 4) + big(listOffset, 4)
    // No further directory.
    block += big(0, 4)
    // The first picture is the one that is shown. It begins where the file begins.
    block += big(0x030000, 4) + big(pictureByteCount, 4) + big(0, 4) + big(0, 4)
    block += big(0, 4) + big(mapByteCount, 4) + big(mapOffset, 4) + big(0, 4)
    return segment(0xE2, block)
  }

  // MARK: Segments

  /// Inserts segments after the application segments at the beginning of a file.
  private static func insert(_ segments: [UInt8], into file: Data) -> Data {
    let position = end(ofApplicationSegments: file)
    var result = Data(capacity: file.count + segments.count)
    result += file.prefix(position)
    result += segments
    result += file.dropFirst(position)
    return result
  }

  private static func end(ofApplicationSegments file: Data) -> Int {
    let bytes = file.span
    var position = 2
    while bytes.byte(at: position) == 0xFF, let marker = bytes.byte(at: position + 1), 0xE0...0xEF ~= marker,
      let length = bytes.bigEndian(at: position + 2, bytes: 2), position + 2 + length <= bytes.count
    {
      position += 2 + length
    }
    return position
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2, 2) + content
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func bytes(_ text: StaticString) -> [UInt8] { text.withUTF8Buffer { Array($0) } }
}

extension CodecRegistry {
  /// Encodes a picture as JPEG with a gain map after it, in no more bytes than the options allow for both.
  ///
  /// Readers without support for gain maps show the picture. Readers of ISO 21496-1 and of Ultra HDR 1 show it brighter if the
  /// display can do so.
  ///
  /// - Parameters:
  ///   - bitmap: the picture.
  ///   - gainMap: the map, with the aspect ratio of the picture.
  ///   - notes: receives a line if XMP of the options cannot be kept together with the map.
  /// - Throws: `ImageEncodingError`; `failed` for a map that does not fit the picture.
  public func encode(
    _ bitmap: Bitmap, with gainMap: GainMapPicture, options: EncodingOptions = EncodingOptions(),
    notes: inout [String]
  ) throws(ImageEncodingError) -> Data {
    var numbers = gainMap.numbers
    numbers.size = gainMap.bitmap.size
    if let flaw = numbers.flaw(for: bitmap.size) {
      throw .failed(.jpeg, reason: "the gain map cannot be used: \(flaw)")
    }
    // A map has few pixels, and applying it multiplies their errors.
    let mapOptions = EncodingOptions(compressionQuality: max(options.compressionQuality, 0.9))
    let map = JPEGGainMapFile.described(
      try encode(gainMap.bitmap, as: .jpeg, options: mapOptions), by: numbers)
    var options = options
    let xmp = GainMapXMP.announcement(ofMap: map.count, in: options.metadata.xmp)
    if !xmp.isKept { notes.append("XMP is left out: it cannot be kept together with the gain map") }
    options.metadata.xmp = xmp.packet
    options.maximumByteCount = options.maximumByteCount.map {
      max(1, $0 - map.count - JPEGGainMapFile.overhead)
    }
    return JPEGGainMapFile.joined(try encode(bitmap, as: .jpeg, options: options), map)
  }
}

extension EncodedMetadata {
  /// Removes XMP that announces a gain map, for a file without one.
  ///
  /// - Returns: whether there was such XMP.
  package mutating func removeAnnouncementOfGainMap() -> Bool {
    guard let packet = xmp, JPEGGainMap.isAnnounced(in: packet.span) else { return false }
    xmp = nil
    return true
  }
}
