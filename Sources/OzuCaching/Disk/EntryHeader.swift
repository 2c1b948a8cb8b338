/// What stands before an entry's bytes in a segment, little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | `OZe1` |
/// | 4 | 2 | length of the partition's name |
/// | 6 | 2 | zero |
/// | 8 | 8 | sequence number: of two live entries of one key, the higher counts |
/// | 16 | 16 | key: high half, low half |
/// | 32 | 8 | date stored, nanoseconds since 1970 |
/// | 40 | 4 | length of the label |
/// | 44 | 4 | length of the metadata |
/// | 48 | 8 | length of the body |
/// | 56 | 8 | XXH64 of label and metadata, seed 0 |
/// | 64 | 8 | XXH64 of the body, seed 0 |
/// | 72 | 8 | XXH64 of the name, seeded with the XXH64 of bytes 0–71, seeded with the segment's salt |
/// | 80 | 4 | state: `LIVE`, or zero once removed or superseded |
/// | 84 | 4 | zero |
/// | 88 | 8 | date of last access, nanoseconds since 1970 |
///
/// Then follow the name, the label, the metadata and the body, and zeros up to a multiple of eight. State and
/// date of access are the only bytes that change, in place, and no checksum covers them: any state
/// but `LIVE` is dead, and a date that cannot be is replaced by the date stored.
struct EntryHeader {
  static let byteCount = 96
  static let live: UInt32 = 0x4556_494c
  static let stateOffset = 80
  static let accessedOffset = 88
  /// The most that must be read to decode a header: itself and the longest name.
  static let maximumByteCountWithName = byteCount + 255
  private static let magic: UInt32 = 0x3165_5a4f

  var sequence: UInt64
  var key: CacheKey
  var stored: Int64
  var accessed: Int64
  var nameLength: Int
  var labelLength: Int
  var metadataLength: Int
  var bodyLength: Int
  var attributesChecksum: UInt64
  var bodyChecksum: UInt64
  var isLive = true

  /// Where label, metadata and body begin, counted from the start of the header.
  var labelOffset: Int { Self.byteCount + nameLength }
  var metadataOffset: Int { labelOffset + labelLength }
  var bodyOffset: Int { metadataOffset + metadataLength }
  /// The bytes of the whole record, padding included.
  var recordLength: Int { (bodyOffset + bodyLength + 7) & ~7 }

  /// Decodes a header; nil if it is damaged, or if `bytes` end before the partition's name does.
  init?(_ bytes: UnsafeRawBufferPointer, salt: UInt64) {
    guard bytes.count >= Self.byteCount, bytes.integer(at: 0, as: UInt32.self) == Self.magic else {
      return nil
    }
    nameLength = Int(bytes.integer(at: 4, as: UInt16.self))
    guard bytes.count >= Self.byteCount + nameLength,
      Self.checksum(bytes, nameLength: nameLength, salt: salt) == bytes.integer(at: 72, as: UInt64.self)
    else { return nil }
    sequence = bytes.integer(at: 8)
    key = CacheKey(high: bytes.integer(at: 16), low: bytes.integer(at: 24))
    stored = bytes.integer(at: 32)
    labelLength = Int(bytes.integer(at: 40, as: UInt32.self))
    metadataLength = Int(bytes.integer(at: 44, as: UInt32.self))
    let body = bytes.integer(at: 48, as: UInt64.self)
    // The checksum held, so this is what was written; the bound only keeps the sums from overflowing.
    guard body < 1 << 34 else { return nil }
    bodyLength = Int(body)
    attributesChecksum = bytes.integer(at: 56)
    bodyChecksum = bytes.integer(at: 64)
    isLive = bytes.integer(at: Self.stateOffset, as: UInt32.self) == Self.live
    accessed = bytes.integer(at: Self.accessedOffset)
  }

  init(
    sequence: UInt64, key: CacheKey, date: Int64, nameLength: Int, labelLength: Int, metadataLength: Int,
    bodyLength: Int, attributesChecksum: UInt64, bodyChecksum: UInt64
  ) {
    self.sequence = sequence
    self.key = key
    stored = date
    accessed = date
    self.nameLength = nameLength
    self.labelLength = labelLength
    self.metadataLength = metadataLength
    self.bodyLength = bodyLength
    self.attributesChecksum = attributesChecksum
    self.bodyChecksum = bodyChecksum
  }

  /// Writes the header in front of the name, which must be in `bytes` already.
  func encode(into bytes: UnsafeMutableRawBufferPointer, salt: UInt64) {
    bytes.set(Self.magic, at: 0)
    bytes.set(UInt16(nameLength), at: 4)
    bytes.set(UInt16(0), at: 6)
    bytes.set(sequence, at: 8)
    bytes.set(key.high, at: 16)
    bytes.set(key.low, at: 24)
    bytes.set(stored, at: 32)
    bytes.set(UInt32(labelLength), at: 40)
    bytes.set(UInt32(metadataLength), at: 44)
    bytes.set(UInt64(bodyLength), at: 48)
    bytes.set(attributesChecksum, at: 56)
    bytes.set(bodyChecksum, at: 64)
    bytes.set(Self.checksum(UnsafeRawBufferPointer(bytes), nameLength: nameLength, salt: salt), at: 72)
    bytes.set(isLive ? Self.live : 0, at: Self.stateOffset)
    bytes.set(UInt32(0), at: 84)
    bytes.set(accessed, at: Self.accessedOffset)
  }

  /// The checksum over the fixed fields and then the name.
  private static func checksum(_ bytes: UnsafeRawBufferPointer, nameLength: Int, salt: UInt64) -> UInt64 {
    let fields = Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<72]), seed: salt)
    return Checksum64.of(
      UnsafeRawBufferPointer(rebasing: bytes[Self.byteCount..<Self.byteCount + nameLength]), seed: fields)
  }
}
