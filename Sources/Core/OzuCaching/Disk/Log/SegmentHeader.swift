/// The first 48 bytes of a segment file; `Documentation/the-disk-cache.md` has the table of its fields. Files of version 2
/// are read.
///
/// The salt makes an entry header valid only in its own file. Bytes of an old file that appear in a new file after
/// a crash, or a body that imitates entries, are never read as entries. The offset makes it valid only at its own
/// place: if a body contains a copy of this same file, a scan that looks for the next header after a damaged one
/// (`SegmentFile.scan`) does not find entries in it. Version 2 had no offset in the checksum; in such a file a scan
/// ends at a damaged header.
struct SegmentHeader {
  static let byteCount = 48
  static let suffix = ".segment"
  static let version: UInt32 = 3
  private static let oldestVersion: UInt32 = 2
  private static let magic: UInt64 = 0x0a6d_6765_7355_5a4f

  let number: UInt64
  let salt: UInt64
  let created: Int64
  let version: UInt32

  init(number: UInt64, salt: UInt64, created: Int64) {
    version = Self.version
    self.number = number
    self.salt = salt
    self.created = created
  }

  /// Decodes a header; nil if it is damaged or has another version.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount, bytes.integer(at: 0, as: UInt64.self) == Self.magic,
      case let version = bytes.integer(at: 8, as: UInt32.self),
      version >= Self.oldestVersion, version <= Self.version,
      bytes.integer(at: 12, as: UInt32.self) == Self.byteCount,
      bytes.integer(at: 40, as: UInt64.self) == Checksum64.of(.init(rebasing: bytes[..<40]), seed: 0)
    else { return nil }
    self.version = version
    number = bytes.integer(at: 16)
    salt = bytes.integer(at: 24)
    created = bytes.integer(at: 32)
    // A salt of zero marks an empty place in the stored index.
    guard number < LogNumbers.segmentLimit, salt != 0 else { return nil }
  }

  /// Decodes a header with one wrong bit. The checksum shows which bit it is, because no two valid headers differ
  /// in only two bits.
  init?(repairing damaged: UnsafeRawBufferPointer) {
    guard damaged.count >= Self.byteCount else { return nil }
    var bytes = Array(damaged[..<Self.byteCount])
    for bit in 0..<Self.byteCount * 8 {
      bytes[bit / 8] ^= 1 << (bit % 8)
      if let header = bytes.withUnsafeBytes({ SegmentHeader($0) }) {
        self = header
        return
      }
      bytes[bit / 8] ^= 1 << (bit % 8)
    }
    return nil
  }

  /// Whether the checksums of entry headers include their offsets.
  var knowsPlaces: Bool { version >= 3 }

  /// The seed for the checksum of an entry header at an offset in this file.
  func seed(at offset: Int) -> UInt64 { knowsPlaces ? salt ^ UInt64(offset) : salt }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.set(Self.magic, at: 0)
      bytes.set(Self.version, at: 8)
      bytes.set(UInt32(Self.byteCount), at: 12)
      bytes.set(number, at: 16)
      bytes.set(salt, at: 24)
      bytes.set(created, at: 32)
      bytes.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<40]), seed: 0), at: 40)
    }
    return bytes
  }

  /// `NUMBER-SALT.segment`, in hexadecimal. The salt makes every name unique.
  var fileName: String {
    let digits = CacheKey(high: number, low: salt).description
    return "\(digits.prefix(16))-\(digits.suffix(16))\(Self.suffix)"
  }

  /// Whether this is the name of a segment, of any version.
  static func isFileName(_ name: String) -> Bool {
    guard name.utf8.count == 41, name.hasSuffix(suffix), name.dropFirst(16).first == "-" else { return false }
    return CacheKey(hexadecimal: name.prefix(16) + name.dropFirst(17).prefix(16)) != nil
  }
}

/// The bounds of the numbers that only rise: segment numbers and sequence numbers of records.
///
/// A cache that stored a million entries every second would reach the bound after 70,000 years. A file with a
/// higher number is forged, or damaged in a way that its checksum does not show.
enum LogNumbers {
  /// Segments and records with this number, or a higher one, are not read.
  static let limit: UInt64 = 1 << 62

  /// Segments with this number, or a higher one, are not read: pages of the index have four bytes for it. A cache
  /// that fills one segment every second reaches it after 136 years.
  static let segmentLimit: UInt64 = 1 << 32

  /// A writer that would continue with this number, or a higher one, empties the cache and starts again at the
  /// beginning. It is half of `limit`, so that everything that one process writes stays readable.
  static let exhausted: UInt64 = 1 << 61
  /// The same for segments.
  static let segmentsExhausted: UInt64 = 1 << 31
}

extension UnsafeRawBufferPointer {
  /// A little-endian integer at an offset, which the caller has checked.
  func integer<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}

extension UnsafeMutableRawBufferPointer {
  func set<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }
}
