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
