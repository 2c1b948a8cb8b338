import OzuBase

/// How often the symbols of Huffman coding occur in a sequential scan of quantized blocks (ITU-T T.81, F.1.2).
struct JPEGSymbolCounts {
  /// Categories of differences of means, and of runs of zeros with the category of the coefficient after them.
  private(set) var means = [UInt32](repeating: 0, count: 16)
  private(set) var runs = [UInt32](repeating: 0, count: 256)

  /// Adds a row of quantized blocks in rows of frequencies.
  mutating func add(_ row: UnsafeBufferPointer<Int16>) {
    var mean: Int16 = 0
    for start in stride(from: 0, to: row.count, by: 64) {
      means[Self.category(Int32(row[start]) - Int32(mean))] += 1
      mean = row[start]
      var run = 0
      for k in 1..<64 {
        let value = row[start + JPEGZigzag.order[k]]
        if value == 0 {
          run += 1
          continue
        }
        while run > 15 {
          runs[0xF0] += 1
          run -= 16
        }
        runs[run << 4 | Self.category(Int32(value))] += 1
        run = 0
      }
      if run > 0 { runs[0] += 1 }
    }
  }

  /// The bits of a value without leading zeros.
  static func category(_ value: Int32) -> Int { 32 - value.magnitude.leadingZeroBitCount }
}

/// The bits that symbols and the bits after them take, by how often they occurred: what Huffman codes for these counts come
/// near to. A symbol that did not occur counts as half of one.
struct JPEGCodeLengths {
  let means: [Float]
  let runs: [Float]

  init(_ counts: JPEGSymbolCounts) {
    means = Self.lengths(counts.means) { $0 }
    runs = Self.lengths(counts.runs) { $0 & 15 }
  }

  private static func lengths(_ counts: [UInt32], _ extraBits: (Int) -> Int) -> [Float] {
    let sum = counts.reduce(Float(1)) { $0 + Float($1) }
    return counts.indices.map { log2(sum / max(0.5, Float(counts[$0]))) + Float(extraBits($0)) }
  }
}

enum JPEGZigzag {
  /// The index in rows of frequencies of each coefficient in zigzag order.
  static let order = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
    14, 21, 28, 35,
    42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61,
    54, 47, 55, 62, 63,
  ]
}
