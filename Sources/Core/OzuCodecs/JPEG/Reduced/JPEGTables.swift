/// The tables that a JPEG has defined so far, and its restart interval (ITU-T T.81 §B.2.4).
struct JPEGTables {
  /// The quantization steps of each slot, in zigzag order.
  private(set) var quantization = [[UInt8]?](repeating: nil, count: 4)
  /// The tables for differences of mean values, of each slot.
  private(set) var dcDefinitions = [HuffmanTable.Definition?](repeating: nil, count: 4)
  /// The tables for the other coefficients, of each slot.
  private(set) var acDefinitions = [HuffmanTable.Definition?](repeating: nil, count: 4)
  /// The number of groups of blocks between two restart markers; 0 if there are no markers.
  private(set) var restartInterval = 0

  /// Reads a segment of tables, or of the interval; `false` if it breaks a rule.
  mutating func read(_ marker: UInt8, _ segment: Span<UInt8>) -> Bool {
    switch marker {
    case JPEGMarker.quantization: return readQuantization(segment)
    case JPEGMarker.huffman: return readHuffman(segment)
    default:
      guard let interval = segment.bigEndian(at: 0, bytes: 2) else { return false }
      restartInterval = interval
      return true
    }
  }

  /// Reads a DQT segment; `false` for 16-bit tables, numbers of 0 and broken segments.
  private mutating func readQuantization(_ segment: Span<UInt8>) -> Bool {
    var position = 0
    while let name = segment.byte(at: position) {
      guard name < 4, position + 65 <= segment.count else { return false }
      let table = segment.copy(from: position + 1, byteCount: 64)
      guard !table.contains(0) else { return false }
      quantization[Int(name)] = table
      position += 65
    }
    return true
  }

  /// Reads a DHT segment; `false` if it is broken.
  private mutating func readHuffman(_ segment: Span<UInt8>) -> Bool {
    var position = 0
    while let name = segment.byte(at: position) {
      guard name & 0xEC == 0, position + 17 <= segment.count else { return false }
      let counts = segment.copy(from: position + 1, byteCount: 16)
      let count = counts.reduce(0) { $0 + Int($1) }
      guard count <= 256, position + 17 + count <= segment.count else { return false }
      let definition = HuffmanTable.Definition(
        counts: counts, symbols: segment.copy(from: position + 17, byteCount: count))
      if name & 0x10 == 0 {
        dcDefinitions[Int(name & 3)] = definition
      } else {
        acDefinitions[Int(name & 3)] = definition
      }
      position += 17 + count
    }
    return true
  }
}
