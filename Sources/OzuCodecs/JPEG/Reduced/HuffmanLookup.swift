/// The tables of a `HuffmanTable` as the inner loops see them: plain pointers, so that no reference is counted.
///
/// Three tables are indexed by the next 12 bits of the stream:
///
/// - `values` decodes one symbol together with the bits of the number that follows it;
/// - `skips` steps over as many symbols as begin in the 12 bits, without decoding their numbers: for the
///   coefficients that nobody wants, which are most of a file;
/// - `lows` decodes up to four of the numbers it steps over, when they fit bytes: for the four lowest
///   frequencies.
///
/// Where 12 bits do not suffice an entry is zero, and the caller decodes one symbol with `symbol(_:)`, bit by bit
/// as in ITU-T T.81 §F.2.2.3.
///
/// Why every index is in bounds: all three tables have `1 << window` entries, and indices are `window` bits
/// wide; for the others see `symbol(_:)`.
struct HuffmanLookup {
  /// The bits that are looked at.
  static let window = 12
  /// The kind of an entry that ends a block; the exponent of the run of such ends is added.
  static let blockEnd: UInt32 = 0x80

  /// Bits 0–7 the bits consumed, 8–15 the kind, 16–31 the number.
  ///
  /// The kind is how many coefficients are done with, 1 to 16; or `blockEnd`; or 0 when the number did not fit:
  /// then it is the symbol instead, and its bits are yet to be read.
  let values: UnsafePointer<UInt32>
  /// Bits 0–4 the bits consumed, 5 whether the block ends, 6–15 how many coefficients are done with.
  let skips: UnsafePointer<UInt16>
  /// Bits 0–31 four coefficients, 32–39 the bits consumed, 40–47 how many coefficients are done with, 48
  /// whether the block ends.
  let lows: UnsafePointer<UInt64>
  /// By length, 0 to 16: one more than the largest code, at the top of 16 bits.
  let limits: UnsafePointer<UInt32>
  /// By length: the place of a code's symbol, minus the code.
  let offsets: UnsafePointer<Int>
  /// In the order of their codes; 256 of them.
  let symbols: UnsafePointer<UInt8>

  /// The next symbol and the length of its code, read bit by bit. What is no code is symbol 0 after 17 bits, as
  /// in libjpeg.
  ///
  /// A code below the limit of its length and not below that of the one before is one of those counted for the
  /// length, so its place is that of a symbol.
  ///
  /// - Parameter bits: the next bits at the top.
  @inline(never)
  func symbol(_ bits: UInt64) -> (symbol: UInt8, length: Int) {
    let next = UInt32(truncatingIfNeeded: bits &>> 48)
    for length in 1...16 where next < limits[length] {
      let code = Int(next &>> UInt32(16 &- length))
      return (symbols[(code &+ offsets[length]) & 255], length)
    }
    return (0, 17)
  }
}
