/// The tables of a `HuffmanTable` as the inner loops see them: plain pointers, so that no reference is counted.
///
/// Three tables are indexed by the next 12 bits of the stream:
///
/// - `values` decodes one symbol together with the bits of the number that follows it;
/// - `skips` steps over as many symbols as begin in the 12 bits, without decoding their numbers: for the
///   coefficients that nobody wants, which are most of a file;
/// - `several` decodes more than one of the numbers it steps over: up to four that fit bytes, for the four lowest
///   frequencies; or two of any size, where more frequencies are kept.
///
/// The bits that an entry consumes are its lowest six, so that a shift takes the entry as it is. Entries of `skips` and
/// `several` lead from one coefficient to another by a sum: up to 63 inside the block, `blockEnd` where the block ends
/// behind it, and a number that `isBeyond` where the entry must not be used. Then the caller decodes one symbol with
/// `values`, and where an entry of that is zero with `symbol(_:)`, bit by bit as in ITU-T T.81 §F.2.2.3.
///
/// Why every index is in bounds: all three tables have `1 << window` entries, and indices are `window` bits
/// wide; for the others see `symbol(_:)`.
struct HuffmanLookup {
  /// The bits that are looked at.
  static let window = 12
  /// The kind of an entry of `values` that ends a block; the exponent of the run of such ends is added.
  static let blockEnd: UInt32 = 0x80
  /// The steps of entries of `skips` and `several` where 12 bits do not suffice.
  static let noSteps = 64
  /// What is added to the steps of an entry that ends a block. An entry has 63 steps besides at most.
  static let end = 128

  /// Where an entry leads from coefficient `index` that has nothing but the end of the block.
  static func blockEnd(at index: Int) -> Int { end &+ index }

  /// Whether an entry that leads to `index` must not be used: some of its symbols belong to the block behind, or it has
  /// none. From 63 at most, 63 steps without an end lead to 126 at most, and with one to 254.
  @inline(__always)
  static func isBeyond(_ index: Int) -> Bool { index & 64 != 0 }

  /// Bits 0–5 the bits consumed, 8–15 the kind, 16–31 the number.
  ///
  /// The kind is how many coefficients are done with, 1 to 16; or `blockEnd`; or 0 when the number did not fit:
  /// then it is the symbol instead, and its bits are yet to be read.
  let values: UnsafePointer<UInt32>
  /// Bits 0–5 the bits consumed, 7–15 the steps.
  let skips: UnsafePointer<UInt16>
  /// The same as `skips`, but that it stops where a number does not fit; and
  ///
  /// - of tables of the kind `ac` bits 32–63 four coefficients, the next one lowest;
  /// - of the kind `pairedAC` bits 16–23 and 24–31 the steps to two coefficients, 32–47 and 48–63 their numbers. A
  ///   coefficient that is missing has 64 steps.
  let several: UnsafePointer<UInt64>
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
