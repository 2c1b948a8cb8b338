import OzuStandardCodecs
import Testing

@testable import OzuCodecs

@Suite("Huffman tables")
struct HuffmanTableTests {
  /// The luma AC table of ITU-T T.81 Annex K.3.3.2, with symbols of every size and run.
  static let standard = HuffmanTable.Definition(
    counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D],
    symbols: frequent + (0..<146).map(rare))

  private static let frequent: [UInt8] = [
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
  ]

  private static func rare(_ number: Int) -> UInt8 {
    let (run, size) = (number % 16, 1 + number / 16)
    return UInt8(run << 4 | size)
  }

  /// Two symbols, of one bit and of two bits.
  static let short = HuffmanTable.Definition(
    counts: [1, 1] + [UInt8](repeating: 0, count: 14), symbols: [0x01, 0xF0])

  /// Short codes for numbers of 6 to 9 bits, as in tables that are optimised for a picture of strong contrast.
  static let large = HuffmanTable.Definition(
    counts: [0, 2, 3] + [UInt8](repeating: 0, count: 13), symbols: [0x08, 0x07, 0x18, 0x09, 0x00])

  /// Symbols of sixteen zeros with one bit each: eleven bits contain more than a block has.
  static let zeros = HuffmanTable.Definition(
    counts: [1, 1] + [UInt8](repeating: 0, count: 14), symbols: [0xF0, 0x00])

  @Test("skip and decode the same as symbol by symbol", arguments: [standard, short, large, zeros])
  func lookups(definition: HuffmanTable.Definition) throws {
    for kind in [HuffmanTable.Kind.ac, .pairedAC, .progressiveAC] {
      let table = try #require(HuffmanTable(definition, kind: kind))
      defer { withExtendedLifetime(table) {} }
      let lookup = table.lookup
      func check(_ bits: Int, steps: Int, window: Int, width: Int) throws {
        try #require(HuffmanLookup.isBeyond(steps) == (bits == 0))
        if bits == 0 { return }
        let walk = Walk(lookup: lookup, window: window, width: width, bits: bits)
        try #require(walk.position == bits)
        try #require(bits <= width + 15)
        try #require(walk.done <= 63)
        try #require(steps == walk.done + (walk.isEnd ? HuffmanLookup.end : 0))
      }
      for window in 0..<1 << HuffmanLookup.skipWindow {
        let skips = lookup.skips[window]
        try check(
          Int(skips & 63), steps: Int(skips >> 7), window: window, width: HuffmanLookup.skipWindow)
      }
      for window in 0..<1 << HuffmanLookup.window {
        let several = lookup.several[window]
        let steps = kind.hasPairs ? several >> 56 : several >> 7 & 0x1FF
        try check(Int(several & 63), steps: Int(steps), window: window, width: HuffmanLookup.window)
        guard several & 63 != 0 else { continue }
        let walk = Walk(lookup: lookup, window: window, bits: Int(several & 63))
        if kind.hasPairs {
          let pairs = [0, 1].map { index in
            let number = Int16(truncatingIfNeeded: several >> UInt64(24 + 16 * index))
            return [Int(several >> UInt64(8 + 8 * index) & 0xFF), Int(number)]
          }
          let found = walk.numbers.map { [$0.place, $0.number] }
          // The loop over blocks counts on it between refills.
          try #require(several & 63 <= UInt64(HuffmanLookup.window))
          try #require(pairs == found + [[Int]](repeating: [64, 0], count: 2 - found.count))
        } else {
          let bytes = (0..<4).map { Int(Int8(truncatingIfNeeded: several >> UInt64(32 + 8 * $0))) }
          try #require(
            bytes == (0..<4).map { place in walk.numbers.first { $0.place == place }?.number ?? 0 })
        }
      }
    }
  }

  @Test("recognise the end of a block from every coefficient", arguments: [0, 1, 62, 63])
  func ends(index: Int) {
    #expect(!HuffmanLookup.isBeyond(HuffmanLookup.blockEnd(at: index)))
    for steps in 0...63 {
      #expect(HuffmanLookup.isBeyond(index + steps) == (index + steps > 63))
      #expect(HuffmanLookup.isBeyond(HuffmanLookup.blockEnd(at: index) + steps) == (index + steps > 63))
    }
    if index > 0 { #expect(HuffmanLookup.isBeyond(index + HuffmanLookup.noSteps - 1)) }
  }

  @Test("are used in a scan of some coefficients only if all their symbols are in the block")
  func inside() {
    for last in [1, 5, 62, 63] {
      for next in 1...last + 1 { #expect(HuffmanLookup.isInside(next, last: last)) }
      for next in last + 2...127 { #expect(!HuffmanLookup.isInside(next, last: last)) }
      for index in 1...last { #expect(HuffmanLookup.isInside(HuffmanLookup.blockEnd(at: index), last: last)) }
      // The last coefficient leaves no end: it would be that of the next block.
      for index in last + 1...126 {
        #expect(!HuffmanLookup.isInside(HuffmanLookup.blockEnd(at: index), last: last))
      }
    }
    #expect(!HuffmanLookup.isInside(1 + HuffmanLookup.noSteps, last: 63))
  }

  @Test("of progressive scans stop before a run of ends of blocks")
  func runsOfEnds() throws {
    // One bit for a coefficient, two for the end of two or three blocks.
    let definition = HuffmanTable.Definition(
      counts: [1, 1] + [UInt8](repeating: 0, count: 14), symbols: [0x01, 0x10])
    let table = try #require(HuffmanTable(definition, kind: .progressiveAC))
    defer { withExtendedLifetime(table) {} }
    let lookup = table.lookup
    // A coefficient of two bits, then the run.
    let window = 0b01_10_0000000
    #expect(lookup.several[window] & 63 == 2)
    #expect(lookup.several[window] >> 56 == 1)
    #expect(lookup.skips[window << 1] == 1 << 7 | 2)
    // Only the run.
    #expect(lookup.several[0b10_000000000] >> 56 == UInt64(HuffmanLookup.noSteps))
  }

  @Test("decode single symbols with their numbers")
  func values() throws {
    let table = try #require(HuffmanTable(Self.standard, kind: .ac))
    defer { withExtendedLifetime(table) {} }
    let lookup = table.lookup
    for window in 0..<1 << HuffmanLookup.window {
      let bits = UInt64(window) << (64 - HuffmanLookup.window)
      let (symbol, length) = lookup.symbol(bits)
      let entry = lookup.values[window]
      if length > HuffmanLookup.window {
        try #require(entry == 0)
      } else if symbol == 0 {
        try #require(entry == UInt32(length) | HuffmanLookup.blockEnd << 8)
      } else if length + Int(symbol & 15) > HuffmanLookup.window {
        try #require(entry == UInt32(length) | UInt32(symbol) << 16)
      } else {
        var walk = Walk(lookup: lookup, window: window, bits: 0)
        walk.step()
        try #require(Int(entry & 0xFF) == walk.position)
        try #require(Int(entry >> 8 & 0xFF) == Int(symbol >> 4) + 1)
        try #require(Int(Int32(bitPattern: entry) >> 16) == walk.last)
      }
    }
  }

  @Test("that are impossible are refused")
  func impossible() {
    func definition(_ counts: [UInt8], _ symbols: [UInt8]) -> HuffmanTable.Definition {
      HuffmanTable.Definition(
        counts: counts + [UInt8](repeating: 0, count: 16 - counts.count), symbols: symbols)
    }
    #expect(HuffmanTable(definition([3], [1, 2, 3]), kind: .ac) == nil)
    // A code must not be all ones.
    #expect(HuffmanTable(definition([2], [1, 2]), kind: .ac) == nil)
    #expect(HuffmanTable(definition([1], [1, 2]), kind: .ac) == nil)
    #expect(HuffmanTable(definition([1], [16]), kind: .dc) == nil)
    #expect(HuffmanTable(definition([1], [15]), kind: .dc) != nil)
    #expect(HuffmanTable(definition([], []), kind: .ac) != nil)
  }

  @Test("bits that are not a code are symbol 0 after 17 bits")
  func noCode() throws {
    let table = try #require(HuffmanTable(Self.short, kind: .ac))
    defer { withExtendedLifetime(table) {} }
    let lookup = table.lookup
    #expect(lookup.symbol(.max) == (0, 17))
    #expect(lookup.symbol(0) == (1, 1))
    #expect(lookup.symbol(1 << 63) == (0xF0, 2))
  }

  @Test("are cached by their definition and their kind")
  func cache() throws {
    let table = try #require(HuffmanTable.cached(Self.short, kind: .ac))
    #expect(HuffmanTable.cached(Self.short, kind: .progressiveAC) !== table)
    #expect(HuffmanTable.cached(Self.standard, kind: .ac) !== table)
    #expect(HuffmanTable.cached(.init(counts: [2], symbols: []), kind: .ac) == nil)
  }

  /// Decodes a window symbol by symbol, as the standard describes it.
  private struct Walk {
    let lookup: HuffmanLookup
    let bits: UInt64
    var position = 0
    var done = 0
    var isEnd = false
    var last = 0
    /// The numbers that are not zero, each with the count of coefficients before it.
    var numbers: [(place: Int, number: Int)] = []

    /// Walks over `count` bits.
    init(lookup: HuffmanLookup, window: Int, width: Int = HuffmanLookup.window, bits count: Int) {
      self.lookup = lookup
      bits = UInt64(window) << (64 - width)
      while position < count { step() }
    }

    mutating func step() {
      let (symbol, length) = lookup.symbol(bits << UInt64(position))
      let size = Int(symbol & 15)
      let run = Int(symbol >> 4)
      position += length + size
      if size == 0, run < 15 {
        isEnd = true
        return
      }
      let number = Int(((bits << UInt64(position - size)) >> 1) >> UInt64(63 - size))
      last = size == 0 ? 0 : number >> (size - 1) == 1 ? number : number - (1 << size) + 1
      if size > 0 { numbers.append((done + run, last)) }
      done += run + 1
    }
  }
}
