/// Takes bits from entropy-coded data without asking where they end.
///
/// A register of 64 bits holds the next bits at the top. `refill()` loads eight bytes and keeps as many as fit,
/// without a branch: then the register has at least 56 bits. Callers count the bits that they take and refill in time.
///
/// `EntropySource` explains why no load leaves its buffer: `prepare` is called once for each group of blocks, and
/// ensures that more bytes follow `next` than a group of blocks can take.
struct BitReader {
  /// The next bits, at the top.
  var bits: UInt64 = 0
  /// The number of bits, in the lowest six bits. The others have no meaning: whole entries of tables are subtracted.
  private var length: UInt64 = 0
  /// The first byte of which no bit is in the register.
  var next: UnsafePointer<UInt8>

  init(next: UnsafePointer<UInt8>) { self.next = next }

  var count: Int { Int(truncatingIfNeeded: length & 63) }

  /// Ensures at least 56 bits.
  @inline(__always)
  mutating func refill() {
    let word = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    bits |= word &>> length
    next += Int(truncatingIfNeeded: (~length &>> 3) & 7)
    length |= 56
  }

  /// The next 11 bits (`HuffmanLookup.window`) as an index.
  @inline(__always)
  var window: Int { Int(truncatingIfNeeded: bits &>> 53) }

  /// The next 12 bits (`HuffmanLookup.skipWindow`) as an index.
  @inline(__always)
  var skipWindow: Int { Int(truncatingIfNeeded: bits &>> 52) }

  @inline(__always)
  mutating func consume(_ length: Int) {
    bits &<<= UInt64(truncatingIfNeeded: length)
    self.length &-= UInt64(truncatingIfNeeded: length)
  }

  /// Takes the number of bits in the lowest six bits of an entry; its other bits are ignored.
  @inline(__always)
  mutating func consume(entry: UInt64) {
    bits &<<= entry
    length &-= entry
  }

  /// Takes up to 16 bits, as an unsigned number.
  @inline(__always)
  mutating func take(_ length: Int) -> Int {
    // Two shifts, because one by 64 would do nothing.
    let value = Int(truncatingIfNeeded: (bits &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- length))
    consume(length)
    return value
  }

  /// Takes the number of a coefficient of `size` bits: the top bit is set in positive ones (ITU-T T.81
  /// Table F.1).
  @inline(__always)
  mutating func takeNumber(_ size: Int) -> Int {
    if size == 0 { return 0 }
    let value = take(size)
    return value &>> (size &- 1) == 1 ? value : value &- (1 &<< size) &+ 1
  }
}
