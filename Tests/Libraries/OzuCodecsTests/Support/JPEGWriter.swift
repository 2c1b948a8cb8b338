import Foundation
import OzuImaging

/// Writes sequential JPEGs with given coefficients and Huffman tables: valid files that no encoder makes.
///
/// All components share one quantization table of ones, one DC table and one AC table.
struct JPEGWriter {
  /// The blocks of a component in a group: side by side, and one below the other.
  struct Sampling {
    var horizontal = 1
    var vertical = 1
  }

  /// The symbols of a Huffman table with the lengths of their codes, shorter ones first.
  struct Table {
    var codes: [(symbol: UInt8, length: Int)]

    /// All codes of one length.
    init(_ symbols: [UInt8], length: Int) {
      codes = symbols.map { ($0, length) }
    }

    init(_ codes: [(symbol: UInt8, length: Int)]) {
      self.codes = codes
    }

    /// How many codes each length has, 1 to 16 (ITU-T T.81 §B.2.4.2).
    var counts: [UInt8] {
      (1...16).map { length in UInt8(codes.count { $0.length == length }) }
    }

    /// The codes, assigned in order (ITU-T T.81 Annex C).
    var words: [UInt8: (code: Int, length: Int)] {
      var words: [UInt8: (code: Int, length: Int)] = [:]
      var next = 0
      var lastLength = codes.first?.length ?? 0
      for (symbol, length) in codes {
        next <<= length - lastLength
        lastLength = length
        words[symbol] = (next, length)
        next += 1
      }
      return words
    }
  }

  var size: PixelSize
  var components = [Sampling()]
  var dcTable: Table
  var acTable: Table
  /// The coefficients of a block in zigzag order, the first as the difference from the block before.
  var block: (_ component: Int) -> [Int]

  /// The bytes before the scan data.
  var head: Data {
    var bytes: [UInt8] = [0xFF, 0xD8]
    bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    let parts = components.enumerated().flatMap { index, sampling -> [UInt8] in
      [UInt8(index + 1), UInt8(sampling.horizontal << 4 | sampling.vertical), 0]
    }
    let frame: [UInt8] = [8] + word(size.height) + word(size.width) + [UInt8(components.count)]
    bytes += segment(0xC0, frame + parts)
    bytes += segment(0xC4, [0x00] + dcTable.counts + dcTable.codes.map(\.symbol))
    bytes += segment(0xC4, [0x10] + acTable.counts + acTable.codes.map(\.symbol))
    let scan = components.indices.flatMap { index -> [UInt8] in [UInt8(index + 1), 0] }
    bytes += segment(0xDA, [UInt8(components.count)] + scan + [0, 63, 0])
    return Data(bytes)
  }

  /// The scan data, without the end marker.
  var scan: Data {
    var writer = BitWriter()
    let (dc, ac) = (dcTable.words, acTable.words)
    let width = 8 * (components.map(\.horizontal).max() ?? 1)
    let height = 8 * (components.map(\.vertical).max() ?? 1)
    let groupCount = ((size.width + width - 1) / width) * ((size.height + height - 1) / height)
    for _ in 0..<groupCount {
      for (index, sampling) in components.enumerated() {
        for _ in 0..<sampling.horizontal * sampling.vertical {
          write(block(index), dc, ac, to: &writer)
        }
      }
    }
    return writer.finished
  }

  var data: Data { head + scan + [0xFF, 0xD9] }

  private func write(
    _ coefficients: [Int], _ dc: [UInt8: (code: Int, length: Int)], _ ac: [UInt8: (code: Int, length: Int)],
    to writer: inout BitWriter
  ) {
    func put(_ symbol: Int, _ number: Int, _ table: [UInt8: (code: Int, length: Int)]) {
      guard let word = table[UInt8(symbol)] else { preconditionFailure("the table has no symbol \(symbol)") }
      writer.put(word.code, word.length)
      let length = symbol & 15
      writer.put(number < 0 ? number + (1 << length) - 1 : number, length)
    }
    put(Self.bitCount(coefficients[0]), coefficients[0], dc)
    var run = 0
    for value in coefficients.dropFirst() {
      guard value != 0 else {
        run += 1
        continue
      }
      while run > 15 {
        put(0xF0, 0, ac)
        run -= 16
      }
      put(run << 4 | Self.bitCount(value), value, ac)
      run = 0
    }
    if run > 0 { put(0, 0, ac) }
  }

  /// The bits of a number: its category in ITU-T T.81 Table F.1.
  private static func bitCount(_ value: Int) -> Int { Int.bitWidth - abs(value).leadingZeroBitCount }

  private func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

  private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + word(content.count + 2) + content
  }
}

/// A stream of bits, the highest first, with a zero stuffed after each 0xFF.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var bits = 0
  private var count = 0

  mutating func put(_ value: Int, _ length: Int) {
    bits = bits << length | value & ((1 << length) - 1)
    count += length
    while count >= 8 {
      count -= 8
      let byte = UInt8(bits >> count & 255)
      bytes.append(byte)
      if byte == 0xFF { bytes.append(0) }
    }
    bits &= (1 << count) - 1
  }

  /// The bytes, the last one filled up with ones.
  var finished: Data {
    var copy = self
    if copy.count > 0 { copy.put(0xFF, 8 - copy.count) }
    return Data(copy.bytes)
  }
}
