import OzuBase

/// The header before an entry's bytes in a segment. `Documentation/the-disk-cache.md` has the table of its fields.
///
/// Then follow the name, the label, the areas of the metadata (`MetadataAreas`) and the body, and zeros up to a
/// multiple of eight. Only the state, the generation, the date of access and the area that is not current are changed,
/// in place. No checksum of the header covers them: any state except `LIVE` means dead, a generation without an area
/// makes the record damaged, and an impossible date is replaced by the date stored.
struct EntryHeader {
  static let byteCount = 96
  static let live: UInt32 = 0x4556_494c
  static let stateOffset = 80
  static let generationOffset = 84
  static let accessedOffset = 88
  /// The most bytes needed to decode a header: the header and the longest name.
  static let maximumByteCountWithName = byteCount + 255
  static let magic: UInt32 = 0x3265_5a4f

  var sequence: UInt64
  var key: CacheKey
  var stored: Int64
  var accessed: Int64
  var nameLength: Int
  var labelLength: Int
  var areas: MetadataAreas
  var bodyLength: Int
  var labelChecksum: UInt64
  var bodyChecksum: UInt64
  /// The generation of the current metadata; zero if there is none or if the word in the header is damaged.
  var generation: UInt16
  var isLive = true

  /// The offsets of label, areas and body from the start of the header.
  var labelOffset: Int { Self.byteCount + nameLength }
  var areasOffset: Int { labelOffset + labelLength }
  var bodyOffset: Int { areasOffset + areas.byteCount }
  /// The bytes of the whole record, including padding.
  var recordLength: Int { (bodyOffset + bodyLength + 7) & ~7 }
}

extension EntryHeader {
  /// Decodes a header. Nil if it is damaged, or if `bytes` does not contain the whole name of the partition.
  init?(_ bytes: UnsafeRawBufferPointer, seed: UInt64) {
    guard bytes.count >= Self.byteCount, bytes.integer(at: 0, as: UInt32.self) == Self.magic else {
      return nil
    }
    nameLength = Int(bytes.integer(at: 4, as: UInt16.self))
    guard bytes.count >= Self.byteCount + nameLength,
      Self.checksum(bytes, nameLength: nameLength, seed: seed) == bytes.integer(at: 72, as: UInt64.self)
    else { return nil }
    sequence = bytes.integer(at: 8)
    key = CacheKey(high: bytes.integer(at: 16), low: bytes.integer(at: 24))
    stored = bytes.integer(at: 32)
    labelLength = Int(bytes.integer(at: 40, as: UInt32.self))
    let areas = MetadataAreas(
      room: Int(bytes.integer(at: 44, as: UInt32.self)), count: Int(bytes.integer(at: 6, as: UInt16.self)))
    let body = bytes.integer(at: 48, as: UInt64.self)
    // The checksum contains no secret, so anybody can make a header with a matching one. These bounds prevent
    // overflows of sums, and of the fields that the index stores in 32 bits.
    guard sequence < LogNumbers.limit, body < 1 << 34, let areas else { return nil }
    self.areas = areas
    bodyLength = Int(body)
    generation = MetadataAreas.generation(ofWord: bytes.integer(at: Self.generationOffset))
    labelChecksum = bytes.integer(at: 56)
    bodyChecksum = bytes.integer(at: 64)
    isLive = bytes.integer(at: Self.stateOffset, as: UInt32.self) == Self.live
    accessed = bytes.integer(at: Self.accessedOffset)
    guard bodyOffset < 1 << 32 else { return nil }
  }

  /// Replaces an impossible date of access, before the date stored or more than a day after `now`, by the date
  /// stored.
  mutating func correctAccess(now: Int64) {
    if accessed < stored || accessed > now + 86_400_000_000_000 { accessed = stored }
  }

  /// Writes the header in front of the name, which is in `bytes` already.
  func encode(into bytes: UnsafeMutableRawBufferPointer, seed: UInt64) {
    bytes.set(Self.magic, at: 0)
    bytes.set(UInt16(nameLength), at: 4)
    bytes.set(UInt16(areas.count), at: 6)
    bytes.set(sequence, at: 8)
    bytes.set(key.high, at: 16)
    bytes.set(key.low, at: 24)
    bytes.set(stored, at: 32)
    bytes.set(UInt32(labelLength), at: 40)
    bytes.set(UInt32(areas.room), at: 44)
    bytes.set(UInt64(bodyLength), at: 48)
    bytes.set(labelChecksum, at: 56)
    bytes.set(bodyChecksum, at: 64)
    bytes.set(Self.checksum(UnsafeRawBufferPointer(bytes), nameLength: nameLength, seed: seed), at: 72)
    bytes.set(isLive ? Self.live : 0, at: Self.stateOffset)
    bytes.set(MetadataAreas.word(generation), at: Self.generationOffset)
    bytes.set(accessed, at: Self.accessedOffset)
  }

  /// The checksum over the fixed fields and then the name.
  private static func checksum(_ bytes: UnsafeRawBufferPointer, nameLength: Int, seed: UInt64) -> UInt64 {
    let fields = Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<72]), seed: seed)
    return Checksum64.of(
      UnsafeRawBufferPointer(rebasing: bytes[Self.byteCount..<Self.byteCount + nameLength]), seed: fields)
  }
}

/// The part of a new record before its body, in one buffer: room for the header, the partition's name, the label
/// and the areas of the metadata.
struct EntryHead: Sendable {
  private let key: CacheKey
  private let nameLength: Int
  private let labelLength: Int
  private let areas: MetadataAreas
  private let labelChecksum: UInt64
  private var bytes: [UInt8]

  init(key: CacheKey, partition: Partition, label: String, metadata: Data) {
    self.key = key
    nameLength = partition.name.utf8.count
    labelLength = label.utf8.count
    areas = MetadataAreas(metadataByteCount: metadata.count)
    let labelOffset = EntryHeader.byteCount + nameLength
    let byteCount = labelOffset + labelLength + areas.byteCount
    bytes = []
    bytes.reserveCapacity(byteCount)
    bytes.append(contentsOf: repeatElement(0, count: EntryHeader.byteCount))
    bytes.append(contentsOf: partition.name.utf8)
    bytes.append(contentsOf: label.utf8)
    labelChecksum = bytes.withUnsafeBytes {
      Checksum64.of(UnsafeRawBufferPointer(rebasing: $0[labelOffset...]), seed: 0)
    }
    if areas.count > 0 {
      bytes.append(contentsOf: MetadataAreas.encode(metadata, generation: 1, key: key))
      bytes.append(contentsOf: repeatElement(0, count: byteCount - bytes.count))
    }
  }

  /// The header of the record with this head and a body.
  func header(sequence: UInt64, date: Int64, bodyLength: Int, bodyChecksum: UInt64) -> EntryHeader {
    EntryHeader(
      sequence: sequence, key: key, stored: date, accessed: date, nameLength: nameLength,
      labelLength: labelLength, areas: areas, bodyLength: bodyLength, labelChecksum: labelChecksum,
      bodyChecksum: bodyChecksum, generation: areas.count > 0 ? 1 : 0)
  }

  /// Encodes the header, and calls `write` with the parts of the whole record.
  mutating func withParts(
    _ header: EntryHeader, _ body: Data, seed: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void
  ) {
    let padding = header.recordLength - bytes.count - body.count
    bytes.withUnsafeMutableBytes { head in
      header.encode(into: head, seed: seed)
      body.withUnsafeBytes { body in
        withUnsafeBytes(of: UInt64(0)) { zeros in
          write([UnsafeRawBufferPointer(head), body, UnsafeRawBufferPointer(rebasing: zeros[..<padding])])
        }
      }
    }
  }
}
