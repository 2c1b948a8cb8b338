#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The places for metadata in a record, which let metadata change without the body being written again.
///
/// An area is 16 bytes and then room for the metadata, little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | generation |
/// | 4 | 4 | length of the metadata |
/// | 8 | 8 | XXH64 of the metadata, seeded with the XXH64 of bytes 0–7, seeded with the low half of the key |
///
/// A record with metadata has two areas of equal room, an eighth and 32 bytes more than what was stored. Odd
/// generations use the first, even ones the second, so an update never touches what is current. What is current is
/// said by one word of the header that is written last: a crash, or a reader who comes in between, finds the
/// former metadata or the new one and never a mixture. Metadata above `largestUpdatable` has one area and room for
/// itself alone; a record without metadata has none.
struct MetadataAreas: Hashable, Sendable {
  static let headerByteCount = 16
  /// Longer metadata is not worth its room twice.
  static let largestUpdatable = 4096

  /// The bytes of metadata that fit one area.
  var room: Int
  /// None, one or two.
  var count: Int

  /// Areas as a header has them; nil if there are no such areas.
  init?(room: Int, count: Int) {
    guard count <= 2, count > 0 || room == 0 else { return nil }
    self.room = room
    self.count = count
  }

  /// The areas for a record that is stored with so much metadata.
  init(metadataByteCount: Int) {
    switch metadataByteCount {
    case 0: (room, count) = (0, 0)
    case ...Self.largestUpdatable:
      (room, count) = ((metadataByteCount + metadataByteCount / 8 + 32 + 7) & ~7, 2)
    default: (room, count) = (metadataByteCount, 1)
    }
  }

  private var areaByteCount: Int { Self.headerByteCount + room }
  var byteCount: Int { count * areaByteCount }

  /// Where the area of a generation begins, counted from the first one; nil if there is none.
  func offset(of generation: UInt16) -> Int? {
    let number = generation & 1 == 1 ? 0 : 1
    return generation > 0 && number < count ? number * areaByteCount : nil
  }

  /// The generation after another: 1, 2, ... 65535, 2, so that odd and even ones take turns.
  static func generation(after former: UInt16) -> UInt16 { former == .max ? 2 : former + 1 }

  /// The bytes of an area.
  static func encode(_ metadata: Data, generation: UInt16, key: CacheKey) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: headerByteCount)
    let sum = metadata.withUnsafeBytes {
      checksum($0, generation: UInt32(generation), key: key)
    }
    bytes.withUnsafeMutableBytes {
      $0.set(UInt32(generation), at: 0)
      $0.set(UInt32(metadata.count), at: 4)
      $0.set(sum, at: 8)
    }
    return bytes + metadata
  }

  /// The metadata of a generation, copied before it is verified: an area may be written to under a reader's eyes.
  func metadata(of generation: UInt16, in areas: UnsafeRawBufferPointer, key: CacheKey) -> Data? {
    guard count > 0 else { return Data() }
    guard let offset = offset(of: generation), areas.count >= offset + areaByteCount else { return nil }
    let length = Int(areas.integer(at: offset + 4, as: UInt32.self))
    let sum: UInt64 = areas.integer(at: offset + 8)
    guard areas.integer(at: offset, as: UInt32.self) == generation, length <= room else { return nil }
    let start = offset + Self.headerByteCount
    let copy = Data(areas[start..<start + length])
    let isWhole = copy.withUnsafeBytes {
      Self.checksum($0, generation: UInt32(generation), key: key) == sum
    }
    return isWhole ? copy : nil
  }

  private static func checksum(
    _ metadata: UnsafeRawBufferPointer, generation: UInt32, key: CacheKey
  ) -> UInt64 {
    var head = (UInt64(metadata.count) << 32 | UInt64(generation)).littleEndian
    let seed = withUnsafeBytes(of: &head) { Checksum64.of($0, seed: key.low) }
    return Checksum64.of(metadata, seed: seed)
  }

  // MARK: The word in the header

  /// A generation and its complement: one damaged bit gives no other generation.
  static func word(_ generation: UInt16) -> UInt32 { UInt32(~generation) << 16 | UInt32(generation) }

  /// The generation that a word stands for; zero, which no area has, if it is damaged.
  static func generation(ofWord word: UInt32) -> UInt16 {
    let generation = UInt16(truncatingIfNeeded: word)
    return word == Self.word(generation) ? generation : 0
  }
}
