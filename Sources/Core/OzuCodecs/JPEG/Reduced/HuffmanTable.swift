import OzuBase

/// A Huffman table of a JPEG, expanded so that one lookup of the next bits decodes as much as possible.
///
/// It owns the memory that `lookup` points to. `@unchecked Sendable`: that memory is written in `init` and only
/// read afterwards.
final class HuffmanTable: @unchecked Sendable {
  enum Kind: Hashable, Sendable {
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

  struct Definition: Hashable, Sendable {
    /// The number of codes of each length, 1 to 16.
    var counts: [UInt8]
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

/// Computes the entries of a `HuffmanLookup` by decoding windows of some bits.
struct HuffmanTableBuilder {
  private let kind: HuffmanTable.Kind
  private let width: Int
  /// For each window: the length of the first code in the high byte, and its symbol in the low one; 0 if the code is longer.
  private var codes: [UInt16]

  /// Takes a definition whose codes fit their lengths.
  init(_ definition: HuffmanTable.Definition, kind: HuffmanTable.Kind, width: Int) {
    self.kind = kind
    self.width = width
    codes = [UInt16](repeating: 0, count: 1 << width)
    var window = 0
    var place = 0
    for length in 1...width {
      let span = 1 << (width - length)
      for symbol in definition.symbols[place..<place + Int(definition.counts[length - 1])] {
        for index in window..<window + span { codes[index] = UInt16(length) << 8 | UInt16(symbol) }
        window += span
        place += 1
      }
    }
  }

  /// The code that begins at bit `position` of a window; `nil` if the window does not contain all of it.
  private func code(in window: Int, at position: Int) -> (symbol: Int, length: Int)? {
    let entry = codes[(window << position) & ((1 << width) - 1)]
    let length = Int(entry >> 8)
    guard length > 0, position + length <= width else { return nil }
    return (Int(entry & 0xFF), length)
  }

  /// The number of `size` bits that ends at bit `end` of a window.
  private func number(in window: Int, size: Int, end: Int) -> Int {
    guard size > 0 else { return 0 }
    let bits = (window >> (width - end)) & ((1 << size) - 1)
    return bits >> (size - 1) == 1 ? bits : bits - (1 << size) + 1
  }

  /// The entry of `values`.
  func value(_ window: Int) -> UInt32 {
    guard let (symbol, length) = code(in: window, at: 0) else { return 0 }
    let size = symbol & 15
    let run = symbol >> 4
    if kind != .dc, size == 0, run < 15 {
      let exponent = kind == .progressiveAC ? UInt32(run) : 0
      return UInt32(length) | (HuffmanLookup.blockEnd | exponent) << 8
    }
    let total = length + size
    guard total <= width else { return UInt32(length) | UInt32(symbol) << 16 }
    let number = UInt32(UInt16(truncatingIfNeeded: number(in: window, size: size, end: total)))
    return UInt32(total) | UInt32(run + 1) << 8 | number << 16
  }

  /// The entry of `skips`.
  func skip(_ window: Int) -> UInt16 {
    var position = 0
    var done = 0
    while position < width, let (symbol, length) = code(in: window, at: position) {
      let size = symbol & 15
      let run = symbol >> 4
      if size == 0, run < 15 {
        if kind == .progressiveAC && run > 0 { break }
        return UInt16(position + length) | UInt16(HuffmanLookup.end + done) << 7
      }
      guard done + run + 1 < 64 else { break }
      position += length + size
      done += run + 1
    }
    return position == 0 ? UInt16(HuffmanLookup.noSteps) << 7 : UInt16(position) | UInt16(done) << 7
  }

  /// The entry of `several` with four coefficients.
  func low(_ window: Int) -> UInt64 {
    var position = 0
    var done = 0
    var coefficients: UInt64 = 0
    func entry(_ position: Int, isEnd: Bool) -> UInt64 {
      coefficients << 32 | UInt64(position) | UInt64(isEnd ? HuffmanLookup.end + done : done) << 7
    }
    while position < width, let (symbol, length) = code(in: window, at: position) {
      let size = symbol & 15
      let run = symbol >> 4
      if size == 0, run < 15 {
        return entry(position + length, isEnd: true)
      }
      let end = position + length + size
      let place = done + run
      guard place < 63 else { break }
      if size > 0, place < 4 {
        guard size <= 7, end <= width else { break }
        let byte = UInt8(truncatingIfNeeded: number(in: window, size: size, end: end))
        coefficients |= UInt64(byte) << UInt64(8 * place)
      }
      position = end
      done = place + 1
    }
    return position == 0 ? UInt64(HuffmanLookup.noSteps) << 7 : entry(position, isEnd: false)
  }

  /// The entry of `several` with two coefficients.
  func pair(_ window: Int) -> UInt64 {
    var position = 0
    var done = 0
    var entry: UInt64 = 0
    var found = 0
    while position < width, let (symbol, length) = code(in: window, at: position) {
      let size = symbol & 15
      let run = symbol >> 4
      if size == 0, run < 15 {
        if kind == .progressiveAC && run > 0 { break }
        position += length
        done += HuffmanLookup.end
        break
      }
      let end = position + length + size
      guard end <= width, done + run < 63 else { break }
      position = end
      done += run + 1
      // Sixteen zeros write no coefficient.
      if size == 0 { continue }
      let number = UInt64(UInt16(truncatingIfNeeded: number(in: window, size: size, end: end)))
      entry |= UInt64(done - 1) << UInt64(8 + 8 * found) | number << UInt64(24 + 16 * found)
      found += 1
      if found == 2 { break }
    }
    if position == 0 { return UInt64(HuffmanLookup.noSteps) << 56 }
    for missing in found..<2 { entry |= 64 << UInt64(8 + 8 * missing) }
    return entry | UInt64(position) | UInt64(done) << 56
  }
}

extension HuffmanTable {
  private struct Key: Hashable {
    let definition: Definition
    let kind: Kind
  }

  /// Nearly all cameras and sites use the four tables of the standard, and expanding a table takes as long as decoding a
  /// small picture. At most about 1.4 MB.
  private static let recent = RecentValues<Key, HuffmanTable>(countLimit: 24)

  /// A table, a recently used one or made now; `nil` if the definition is invalid.
  static func cached(_ definition: Definition, kind: Kind) -> HuffmanTable? {
    let key = Key(definition: definition, kind: kind)
    if let known = recent.value(for: key) { return known }
    guard let table = HuffmanTable(definition, kind: kind) else { return nil }
    recent.insert(table, for: key)
    return table
  }
}
