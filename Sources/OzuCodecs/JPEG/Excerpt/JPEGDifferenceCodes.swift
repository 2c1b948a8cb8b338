/// The codes of a table for differences of mean values, and for those that the table lacks.
///
/// The first block of a row that was cut out differs from its new neighbour by more than it did from the old one, and a
/// table that was made for its picture has codes for what the picture needs alone. What is missing gets codes of 16 bits
/// behind all others (ITU-T T.81 §C.2): those that are there stay as they are.
struct JPEGDifferenceCodes {
  /// The table with the added codes.
  let definition: HuffmanTable.Definition
  /// By the bits of a difference, 0 to 11: its code and the length of that; a length of 0 for none.
  private let codes: [(code: UInt32, length: Int)]

  /// The most bits of a difference in a picture of 8 bits (Table F.1).
  private static let largestSize = 11

  /// - Parameter definition: of a table that `HuffmanTable` takes.
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
    // The code of all ones stays free.
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
