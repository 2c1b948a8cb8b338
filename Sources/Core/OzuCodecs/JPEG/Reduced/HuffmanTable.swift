/// A Huffman table of a JPEG, expanded so that one lookup of the next bits decodes as much as possible.
///
/// It owns the memory that `lookup` points to. `@unchecked Sendable`: that memory is written in `init` and only
/// read afterwards.
final class HuffmanTable: @unchecked Sendable {
  /// How a table is used.
  enum Kind: Hashable, Sendable {
    /// Differences of mean values.
    case dc
    /// Coefficients of a sequential scan, of which at most the lowest four are kept.
    case ac
    /// Coefficients of a sequential scan of which more are kept.
    case pairedAC
    /// Coefficients of a progressive scan, where ends of blocks come in runs.
    case progressiveAC

    /// Whether entries of `several` have two coefficients.
    var hasPairs: Bool { self == .pairedAC || self == .progressiveAC }
  }

  /// The codes and symbols that a table is made of.
  struct Definition: Hashable, Sendable {
    /// The number of codes of each length, 1 to 16.
    var counts: [UInt8]
    /// The symbols in the order of their codes.
    var symbols: [UInt8]
  }

  /// A table without codes, for scans that need none.
  static let empty = HuffmanTable(
    Definition(counts: [UInt8](repeating: 0, count: 16), symbols: []), kind: .dc)

  private let memory: UnsafeMutableRawPointer
  /// The pointer for the inner loops, which is valid as long as the table.
  let lookup: HuffmanLookup

  /// Makes a table; `nil` if its codes do not fit their lengths, or a symbol is out of range.
  init?(_ definition: Definition, kind: Kind) {
    guard definition.counts.count == 16,
      definition.counts.reduce(0, { $0 + Int($1) }) == definition.symbols.count
    else { return nil }
    // The difference of two means has at most 15 bits, even in 12-bit files.
    if kind == .dc, definition.symbols.contains(where: { $0 > 15 }) { return nil }
    memory = .allocate(byteCount: HuffmanLookup.byteCount, alignment: HuffmanLookup.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: HuffmanLookup.byteCount)
    lookup = HuffmanLookup(memory)
    // Written only here: the loops have pointers for reading.
    let values = UnsafeMutablePointer(mutating: lookup.values)
    let skips = UnsafeMutablePointer(mutating: lookup.skips)
    let several = UnsafeMutablePointer(mutating: lookup.several)
    let limits = UnsafeMutablePointer(mutating: lookup.limits)
    let offsets = UnsafeMutablePointer(mutating: lookup.offsets)
    let symbols = UnsafeMutablePointer(mutating: lookup.symbols)
    let size = 1 << HuffmanLookup.window
    let skipSize = 1 << HuffmanLookup.skipWindow
    skips.update(repeating: UInt16(HuffmanLookup.noSteps) << 7, count: skipSize)
    several.update(repeating: UInt64(HuffmanLookup.noSteps) << (kind.hasPairs ? 56 : 7), count: size)

    var code: UInt32 = 0
    var place = 0
    for length in 1...16 {
      let count = UInt32(definition.counts[length - 1])
      // The code of all ones is reserved; libjpeg refuses tables that have it.
      guard code + count < 1 << UInt32(length), place + Int(count) <= 256 else { return nil }
      offsets[length] = place - Int(code)
      code += count
      place += Int(count)
      limits[length] = code << UInt32(16 - length)
      code <<= 1
    }
    for (index, symbol) in definition.symbols.enumerated() { symbols[index] = symbol }
    let builder = HuffmanTableBuilder(definition, kind: kind, width: HuffmanLookup.window)
    for window in 0..<size {
      values[window] = builder.value(window)
      if kind == .dc { continue }
      several[window] = kind.hasPairs ? builder.pair(window) : builder.low(window)
    }
    if kind == .dc { return }
    let skipper = HuffmanTableBuilder(definition, kind: kind, width: HuffmanLookup.skipWindow)
    for window in 0..<skipSize { skips[window] = skipper.skip(window) }
  }

  deinit {
    memory.deallocate()
  }
}
