extension BinaryInteger {
  /// Its lowest bytes, the most significant of them first.
  package func bigEndianBytes(_ count: Int) -> [UInt8] { littleEndianBytes(count).reversed() }

  /// Its lowest bytes, the least significant first.
  package func littleEndianBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
