/// Takes bits from entropy-coded data without asking where they end.
///
/// A register of 64 bits holds the next ones at the top. `refill()` loads eight bytes and keeps as many as fit,
/// without a branch: from then on 56 bits are there. Those who take bits count along and refill in time.
///
/// Why no load leaves its buffer is explained in `EntropySource`: it is asked once for each group of blocks,
/// and leaves more bytes behind `next` than a group of blocks can take.
struct BitReader {
  /// The next bits, at the top.
  var bits: UInt64 = 0
  /// Their number in the lowest six bits. The others mean nothing: entries of tables are subtracted whole.
  private var length: UInt64 = 0
  /// The first byte of which no bit is among them.
  var next: UnsafePointer<UInt8>

  /// Begins at a byte.
  init(next: UnsafePointer<UInt8>) { self.next = next }

  /// How many bits are there.
  var count: Int { Int(truncatingIfNeeded: length & 63) }

  /// Makes sure of 56 bits.
  @inline(__always)
  mutating func refill() {
    let word = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
    bits |= word &>> length
    next += Int(truncatingIfNeeded: (~length &>> 3) & 7)
    length |= 56
  }

  /// The next 12 bits as an index.
  @inline(__always)
  var window: Int { Int(truncatingIfNeeded: bits &>> 52) }

  @inline(__always)
  mutating func consume(_ length: Int) {
    bits &<<= UInt64(truncatingIfNeeded: length)
    self.length &-= UInt64(truncatingIfNeeded: length)
  }

  /// Takes as many bits as the lowest six of an entry say, which may have more above them.
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
