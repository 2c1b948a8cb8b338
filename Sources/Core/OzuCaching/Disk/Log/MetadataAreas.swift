import OzuBase

/// The areas for metadata in a record. They let metadata change without rewriting the body.
///
/// A record with metadata has two areas of equal room, an eighth and 32 bytes more than the stored metadata. Odd
/// generations use the first area, even generations the second, so an update never touches the current area. One
/// word of the header says which generation is current, and is written last: after a crash, or at the same time as
/// the update, a reader finds the former or the new metadata and never a mixture. Metadata longer than
/// `largestUpdatable` has one area without spare room; a record without metadata has none.
struct MetadataAreas: Hashable, Sendable {
  static let headerByteCount = 16
  /// Longer metadata gets one area: two would waste too much space.
  static let largestUpdatable = 4096

  /// The bytes of metadata that fit into one area.
  var room: Int
  /// The number of areas: 0, 1 or 2.
  var count: Int

  /// The areas that a header describes; nil if they are impossible.
  init?(room: Int, count: Int) {
    guard count <= 2, count > 0 || room == 0 else { return nil }
    self.room = room
    self.count = count
  }

  /// The areas for a new record with this many bytes of metadata.
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

  /// The offset of a generation's area from the first area; nil if there is none.
  func offset(of generation: UInt16) -> Int? {
    let number = generation & 1 == 1 ? 0 : 1
    return generation > 0 && number < count ? number * areaByteCount : nil
  }

  /// The generation after another: 1, 2, ... 65535, 2, so that odd and even numbers alternate.
  static func generation(after former: UInt16) -> UInt16 { former == .max ? 2 : former + 1 }

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

  /// The metadata of a generation. It is copied before it is verified, because a writer may change the area at the
  /// same time.
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

  /// A generation and its complement, so that one damaged bit never gives another generation.
  static func word(_ generation: UInt16) -> UInt32 { UInt32(~generation) << 16 | UInt32(generation) }

  /// The generation that a word encodes; zero, which has no area, if the word is damaged.
  static func generation(ofWord word: UInt32) -> UInt16 {
    let generation = UInt16(truncatingIfNeeded: word)
    return word == Self.word(generation) ? generation : 0
  }
}
