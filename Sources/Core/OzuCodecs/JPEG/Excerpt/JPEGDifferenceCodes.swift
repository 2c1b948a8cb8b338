/// The codes of a table for differences of mean values, and for those that the table lacks.
///
/// The first block of a row in a part has a new neighbour, and may differ from it by more than from the old one. A table
/// that was made for its picture has codes only for the differences of that picture. The missing differences get codes of
/// 16 bits, after all others (ITU-T T.81 §C.2), so the existing codes do not change.
struct JPEGDifferenceCodes {
  /// The table with the added codes.
  let definition: HuffmanTable.Definition
  /// For the number of bits of a difference, 0 to 11: the code and its length; the length is 0 if there is no code.
  private let codes: [(code: UInt32, length: Int)]

  /// The most bits of a difference in a picture of 8 bits (Table F.1).
  private static let largestSize = 11

  /// - Parameter definition: the definition of a table that `HuffmanTable` accepts.
  init(_ definition: HuffmanTable.Definition) {
    var extended = definition
    var codes = [(code: UInt32, length: Int)](repeating: (0, 0), count: Self.largestSize + 1)
    var code: UInt32 = 0
    var place = 0
    for length in 1...16 {
      for _ in 0..<definition.counts[length - 1] {
        let size = Int(definition.symbols[place])
        if codes.indices.contains(size), codes[size].length == 0 { codes[size] = (code, length) }
        code += 1
        place += 1
      }
      if length < 16 { code <<= 1 }
    }
    // The code that is all ones stays unused.
    for size in codes.indices where codes[size].length == 0 {
      guard code + 1 < 1 << 16, extended.counts[15] < .max, extended.symbols.count < 256 else { break }
      codes[size] = (code, 16)
      code += 1
      extended.counts[15] += 1
      extended.symbols.append(UInt8(size))
    }
    self.definition = extended
    self.codes = codes
  }

  /// Writes a difference: the code of its size, and its bits (§F.1.2.1.1); `false` when it has no code.
  func write(_ difference: Int32, to writer: inout JPEGBitWriter) -> Bool {
    let magnitude = difference.magnitude
    let size = 32 - magnitude.leadingZeroBitCount
    guard size <= Self.largestSize, codes[size].length > 0 else { return false }
    writer.write(codes[size].code, count: codes[size].length)
    guard size > 0 else { return true }
    let bits = difference > 0 ? magnitude : UInt32(bitPattern: difference &- 1) & (1 << UInt32(size) - 1)
    writer.write(bits, count: size)
    return true
  }
}

/// Collects the data of a scan, with a stuffed zero after each 0xFF (ITU-T T.81 §F.1.2.3).
struct JPEGBitWriter {
  private(set) var bytes: [UInt8]
  private var word: UInt64 = 0
  private var count = 0

  /// - Parameter bytes: the bytes before the data.
  init(after bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Appends the lowest bits of a word.
  ///
  /// - Parameter count: 1 to 32.
  @inline(__always)
  mutating func write(_ bits: UInt32, count: Int) {
    word = word &<< UInt64(truncatingIfNeeded: count) | UInt64(bits)
    self.count &+= count
    while self.count >= 8 {
      self.count &-= 8
      let byte = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: self.count))
      bytes.append(byte)
      if byte == 0xFF { bytes.append(0) }
    }
  }

  /// Fills the last byte with ones, and appends a marker.
  mutating func end(marker: UInt8) {
    let rest = (8 - count) & 7
    if rest > 0 { write(1 << UInt32(rest) - 1, count: rest) }
    bytes += [0xFF, marker]
    word = 0
  }
}
