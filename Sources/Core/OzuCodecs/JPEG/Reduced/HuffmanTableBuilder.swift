/// Computes the entries of a `HuffmanLookup` by decoding windows of some bits.
struct HuffmanTableBuilder {
  private let kind: HuffmanTable.Kind
  /// The number of bits of a window.
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
