/// The tables of a `HuffmanTable` as the inner loops see them: one plain pointer, so that no references are counted and only one
/// register is taken.
///
/// Three tables are indexed by the next 11 or 12 bits of the stream:
///
/// - `values` decodes one symbol together with the bits of the number that follows it;
/// - `skips` steps over all symbols that begin in 12 bits, without decoding their numbers. It is for the
///   coefficients that are not kept, which are most of a file;
/// - `several` decodes more than one number at once: up to four that fit into bytes, for the four lowest
///   frequencies; or two of any size, if more frequencies are kept.
///
/// The lowest six bits of an entry are the number of bits that it consumes, so the entry itself can be the operand of a
/// shift. Entries of `skips` and `several` contain steps, which are added to the number of a coefficient. The sum is at
/// most 63 inside the block, `blockEnd` if the block ends there, and a number with `isBeyond` if the entry must not be
/// used. Then the caller decodes one symbol with `values`. If that entry is zero, it decodes with `symbol(_:)`, bit by bit
/// as in ITU-T T.81 §F.2.2.3.
///
/// Why every index is in bounds: tables have `1 << window` entries and indices of `window` bits, `skips` the same with
/// `skipWindow`; for the others see `symbol(_:)`.
struct HuffmanLookup {
  /// The number of bits of an index.
  static let window = 11
  /// The same for `skips`, whose entries are small: with 12 bits a thumbnail of an eighth takes 4 % less time, with 13 the tables
  /// are too large for the cache.
  static let skipWindow = 12
  /// The kind of an entry of `values` that ends a block, to which the exponent of a run of block ends is added.
  static let blockEnd: UInt32 = 0x80
  /// The steps of entries of `skips` and `several` for which the bits do not suffice.
  static let noSteps = 64
  /// The number that is added to the steps of an entry that ends a block. Its own steps are at most 63.
  static let end = 128

  /// The sum for coefficient `index` and an entry that has only the end of the block.
  static func blockEnd(at index: Int) -> Int { end &+ index }

  /// Whether an entry that leads to `index` must not be used: some of its symbols belong to the next block, or it has
  /// none. From at most 63, 63 steps lead to at most 126 without an end, and to at most 254 with one.
  @inline(__always)
  static func isBeyond(_ index: Int) -> Bool { index & 64 != 0 }

  /// Whether an entry that leads to `index` may be used in a scan of coefficients up to `last`: all its symbols belong to the
  /// block, which has coefficients left before an end.
  @inline(__always)
  static func isInside(_ index: Int, last: Int) -> Bool { (index & 127) &+ index &>> 7 <= last &+ 1 }

  /// Where the tables are in the memory of a `HuffmanTable`, in bytes.
  private static let skipsOffset = 4 << window
  private static let severalOffset = skipsOffset + 2 << skipWindow
  private static let limitsOffset = severalOffset + 8 << window
  private static let offsetsOffset = limitsOffset + 4 * 18
  private static let symbolsOffset = offsetsOffset + 8 * 17
  /// The size of that memory in bytes, and its alignment.
  static let byteCount = symbolsOffset + 256
  static let alignment = 64

  private let memory: UnsafeRawPointer

  /// Takes memory of `byteCount` zeros, aligned to `alignment`.
  init(_ memory: UnsafeMutableRawPointer) {
    self.memory = UnsafeRawPointer(memory)
    memory.bindMemory(to: UInt32.self, capacity: 1 << Self.window)
    (memory + Self.skipsOffset).bindMemory(to: UInt16.self, capacity: 1 << Self.skipWindow)
    (memory + Self.severalOffset).bindMemory(to: UInt64.self, capacity: 1 << Self.window)
    (memory + Self.limitsOffset).bindMemory(to: UInt32.self, capacity: 17)
    (memory + Self.offsetsOffset).bindMemory(to: Int.self, capacity: 17)
    (memory + Self.symbolsOffset).bindMemory(to: UInt8.self, capacity: 256)
  }

  /// Bits 0–5 the bits consumed, 8–15 the kind, 16–31 the number.
  ///
  /// The kind is the number of coefficients that the entry decodes, 1 to 16; or `blockEnd`; or 0 if the number did not fit.
  /// Then the entry has the symbol in its place, and the bits of the number are not yet read.
  @inline(__always)
  var values: UnsafePointer<UInt32> {
    memory.assumingMemoryBound(to: UInt32.self)
  }
  /// Bits 0–5 the bits consumed, 7–15 the steps.
  @inline(__always)
  var skips: UnsafePointer<UInt16> {
    (memory + Self.skipsOffset).assumingMemoryBound(to: UInt16.self)
  }
  /// An entry consumes the bits of its lowest six bits, and stops where a number does not fit. It also has
  ///
  /// - in tables of the kind `ac` its steps in bits 7–15 as in `skips`, and four coefficients in bits 32–63, the next one
  ///   lowest;
  /// - in tables of the kinds `pairedAC` and `progressiveAC` its steps in bits 56–63; in bits 8–15 and 16–23 the coefficients that come before two
  ///   that are not zero; in bits 24–39 and 40–55 their numbers. Before a missing coefficient come 64. All numbers are in the
  ///   window, so at most 11 bits are consumed.
  @inline(__always)
  var several: UnsafePointer<UInt64> {
    (memory + Self.severalOffset).assumingMemoryBound(to: UInt64.self)
  }
  /// For each length, 0 to 16: one more than the largest code, at the top of 16 bits.
  @inline(__always)
  var limits: UnsafePointer<UInt32> {
    (memory + Self.limitsOffset).assumingMemoryBound(to: UInt32.self)
  }
  /// For each length: the place of a code's symbol, minus the code.
  @inline(__always)
  var offsets: UnsafePointer<Int> {
    (memory + Self.offsetsOffset).assumingMemoryBound(to: Int.self)
  }
  /// The symbols in the order of their codes; 256 of them.
  @inline(__always)
  var symbols: UnsafePointer<UInt8> {
    (memory + Self.symbolsOffset).assumingMemoryBound(to: UInt8.self)
  }

  /// The next symbol and the length of its code, read bit by bit. Bits that are no code count as symbol 0
  /// with 17 bits, as in libjpeg.
  ///
  /// A code that is below the limit of its length, and not below that of the length before, is one of the codes of its
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
