/// A decoding table of a Huffman code of DEFLATE (RFC 1951, 3.2): the next bits of the stream are the index.
///
/// The first `1 << width` entries are found by that many bits. The entry of a longer code names one of the second tables after
/// them, which is found by the bits that follow. In a table of literals an entry has two of them where both codes fit into
/// the index.
///
/// Unsafe pointers. Why every index is in bounds: the code of a symbol has no more than `longest` bits, and has its place below
/// `1 << width` or in a second table of `1 << (longest - width)` entries; `build` gives none away beyond `capacity`.
struct InflateTable {
  /// Bits 0 to 5: the bits of the code and its extra bits. Bits 6 and 7: the number of literals. Bits 8 to 11: the bits of the
  /// code alone. Bits 12 to 14: marks. The upper half: literals, a base, or the place of a second table.
  typealias Entry = UInt32

  static let literal: Entry = 1 << 6
  static let literalBits: Entry = 3 << 6
  static let endMark: Entry = 1 << 12
  static let secondMark: Entry = 1 << 13
  /// A code that is not in use.
  static let faultMark: Entry = 1 << 14
  static let marks: Entry = endMark | secondMark | faultMark

  /// The bits of the index of literals: the table stays in the first cache.
  static let literalWidth = 11
  static let distanceWidth = 9

  let entries: UnsafeMutablePointer<Entry>
  let width: Int
  let longest: Int
  private let capacity: Int

  /// Takes memory, which `deallocate` gives back.
  ///
  /// - Parameter symbolCount: the most symbols that a code has. Two of them, or more, share a second table.
  init(width: Int, longest: Int = 15, symbolCount: Int) {
    self.width = width
    self.longest = longest
    capacity = (1 << width) + ((symbolCount / 2) << (longest - width))
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Self.faultMark, count: capacity)
  }

  func deallocate() { entries.deallocate() }

  /// The entry that the next bits find.
  func entry(_ bits: UInt64) -> Entry { entry(bits, width: width) }

  /// The same, with a constant that must be the table's width.
  @inline(__always)
  func entry(_ bits: UInt64, width: Int) -> Entry {
    entries[Int(truncatingIfNeeded: bits) & (1 << width &- 1)]
  }

  /// The entry of a longer code, whose first `width` bits are taken.
  @inline(__always)
  func second(_ link: Entry, _ bits: UInt64) -> Entry {
    entries[Int(link >> 16) &+ Int(truncatingIfNeeded: bits & (1 &<< UInt64(longest &- width) &- 1))]
  }

  /// The base of an entry and the number in its extra bits.
  @inline(__always)
  static func value(_ entry: Entry, _ bits: UInt64) -> Int {
    let all = bits & (1 &<< UInt64(truncatingIfNeeded: entry & 0x3F) &- 1)
    return Int(entry >> 16) &+ Int(truncatingIfNeeded: all &>> UInt64(truncatingIfNeeded: entry >> 8 & 15))
  }

  /// Makes the table of a code; false if the lengths make no complete code. As in zlib, a code with one symbol, of one bit, or
  /// with none is accepted if `allowsOne`.
  ///
  /// - Parameters:
  ///   - lengths: the bits of the code of each symbol, no more than `longest`; 0 for a symbol that is not in use.
  ///   - symbols: the entry of each symbol, without its code.
  func build(
    _ lengths: UnsafeBufferPointer<UInt8>, _ symbols: [Entry], allowsOne: Bool = true,
    joinsLiterals: Bool = false
  ) -> Bool {
    var counts = SIMD16<UInt16>.zero
    for length in lengths { counts[Int(length & 15)] &+= 1 }
    counts[0] = 0
    var (nextCodes, unused) = (SIMD16<UInt16>.zero, 1)
    for length in 1...longest {
      unused = 2 * unused - Int(counts[length])
      guard unused >= 0 else { return false }
      nextCodes[length] = (nextCodes[length - 1] &+ counts[length - 1]) &* 2
    }
    let used = counts.wrappedSum()
    guard unused == 0 || allowsOne && (used == 0 || used == 1 && counts[1] == 1) else { return false }
    let primary = 1 << width
    entries.update(repeating: Self.faultMark, count: primary)
    var end = primary
    for (symbol, length) in lengths.enumerated() where length > 0 {
      let bits = Int(length)
      let code = Self.reversed(nextCodes[bits]) >> UInt16(16 - bits)
      nextCodes[bits] &+= 1
      if bits <= width {
        fill(entries, primary, Int(code), bits, symbols[symbol])
        continue
      }
      let prefix = Int(code) & (primary - 1)
      let room = 1 << (longest - width)
      if entries[prefix] & Self.secondMark == 0 {
        guard end + room <= capacity else { return false }
        entries[prefix] = UInt32(end) << 16 | Self.secondMark | UInt32(width)
        end += room
      }
      fill(
        entries + Int(entries[prefix] >> 16), room, Int(code) >> width, bits - width, symbols[symbol])
    }
    if joinsLiterals { joinLiterals() }
    return true
  }

  private func fill(
    _ table: UnsafeMutablePointer<Entry>, _ count: Int, _ code: Int, _ bits: Int, _ symbol: Entry
  ) {
    let entry = symbol &+ UInt32(bits) | UInt32(bits) << 8
    for index in stride(from: code, to: count, by: 1 << bits) { table[index] = entry }
  }

  /// Puts a second literal into each entry of one whose index has all bits of the code that follows.
  private func joinLiterals() {
    // From the end: the entry of the bits that follow has a smaller index, and is still that of one literal.
    for index in stride(from: (1 << width) - 1, to: 0, by: -1) {
      let entry = entries[index]
      guard entry & Self.literalBits == Self.literal else { continue }
      let next = entries[index >> Int(entry & 0x3F)]
      let bits = entry & 0x3F + next & 0x3F
      guard next & Self.literalBits == Self.literal, bits <= UInt32(width) else { continue }
      entries[index] = (next & 0xFF_0000) << 8 | entry & 0xFF_0000 | 2 * Self.literal | bits
    }
    // Index 0 would follow itself.
    let entry = entries[0]
    let bits = 2 * (entry & 0x3F)
    if entry & Self.literalBits == Self.literal, bits <= UInt32(width) {
      entries[0] = (entry & 0xFF_0000) << 8 | entry & 0xFF_0000 | 2 * Self.literal | bits
    }
  }

  private static func reversed(_ code: UInt16) -> UInt16 {
    var code = code
    code = (code & 0x5555) << 1 | code >> 1 & 0x5555
    code = (code & 0x3333) << 2 | code >> 2 & 0x3333
    code = (code & 0x0F0F) << 4 | code >> 4 & 0x0F0F
    return code << 8 | code >> 8
  }

  /// Literals and lengths: base and extra bits (RFC 1951, 3.2.5).
  static let lengthSymbols: [Entry] =
    (0..<256).map { $0 << 16 | literal } + [endMark]
    + bases(from: 3, extraBits: (0..<28).map { $0 < 8 ? 0 : ($0 - 4) / 4 }) + [
      258 << 16, faultMark, faultMark,
    ]

  static let distanceSymbols: [Entry] =
    bases(from: 1, extraBits: (0..<30).map { $0 < 4 ? 0 : ($0 - 2) / 2 }) + [faultMark, faultMark]

  private static func bases(from first: UInt32, extraBits: [Int]) -> [Entry] {
    var base = first
    return extraBits.map { bits in
      defer { base += 1 << UInt32(bits) }
      return base << 16 | UInt32(bits)
    }
  }
}
