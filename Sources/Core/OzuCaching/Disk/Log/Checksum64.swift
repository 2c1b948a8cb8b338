/// XXH64, the 64-bit checksum of all data on disk (Y. Collet, "xxHash fast digest algorithm", XXH64).
///
/// Four independent lanes of 8 bytes keep the multipliers busy, so the checksum costs a small part of the copy that
/// the kernel makes anyway. It detects accidental damage, not forgery.
package enum Checksum64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 &- count)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The checksum of `bytes` under `seed`.
  package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    // The loads stay inside the buffer, because every offset is compared with its count. They skip the buffer's own checks,
    // which would double the cost.
    guard let base = bytes.baseAddress else { return avalanche(seed &+ prime5) }
    var hash = seed &+ prime5
    var offset = 0
    let end = bytes.count & ~31
    if end > 0 {
      var (a, b, c, d) = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
      while offset < end {
        a = round(a, word(base, offset))
        b = round(b, word(base, offset &+ 8))
        c = round(c, word(base, offset &+ 16))
        d = round(d, word(base, offset &+ 24))
        offset &+= 32
      }
      hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
      hash = merge(merge(merge(merge(hash, a), b), c), d)
    }
    hash &+= UInt64(bytes.count)
    while offset &+ 8 <= bytes.count {
      hash = rotate(hash ^ round(0, word(base, offset)), 27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= bytes.count {
      let half = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotate(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < bytes.count {
      let byte = UInt64(base.load(fromByteOffset: offset, as: UInt8.self))
      hash = rotate(hash ^ byte &* prime5, 11) &* prime1
      offset &+= 1
    }
    return avalanche(hash)
  }

  private static func avalanche(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }
}
