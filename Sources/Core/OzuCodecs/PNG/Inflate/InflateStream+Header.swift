/// The codes of a block: fixed, or described before its data (RFC 1951, 3.2.6 and 3.2.7).
///
/// Unsafe pointers: a description has at most 286 + 30 lengths, and there is room for 320.
extension InflateStream {
  /// The order of the lengths of the code for lengths.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthCodeSymbols: [InflateTable.Entry] = (0..<19).map { $0 << 16 }
  private static let fixedLiterals =
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112) + [UInt8](repeating: 7, count: 24)
    + [UInt8](repeating: 8, count: 8)
  private static let fixedDistances = [UInt8](repeating: 5, count: 32)

  func makeFixedCodes() -> Bool {
    guard !hasFixedCodes else { return true }
    hasFixedCodes = true
    return Self.fixedLiterals.withUnsafeBufferPointer { makeLiterals($0) }
      && Self.fixedDistances.withUnsafeBufferPointer { makeDistances($0) }
  }

  func readCodes() -> Bool {
    hasFixedCodes = false
    guard let counts = take(14) else { return false }
    let literalCount = Int(counts & 31) + 257
    let distanceCount = Int(counts >> 5 & 31) + 1
    guard literalCount <= 286, distanceCount <= 30 else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 320) { lengths in
      lengths.initialize(repeating: 0)
      for index in 0..<Int(counts >> 10) + 4 {
        guard let length = take(3) else { return false }
        lengths[Self.order[index]] = UInt8(length)
      }
      let codeLengths = UnsafeBufferPointer(rebasing: lengths[..<19])
      guard lengthCodes.build(codeLengths, Self.lengthCodeSymbols, allowsOne: false) else { return false }
      let count = literalCount + distanceCount
      lengths.update(repeating: 0)
      guard readLengths(lengths, count) else { return false }
      // A block must be able to end.
      guard lengths[256] != 0 else { return false }
      return makeLiterals(UnsafeBufferPointer(rebasing: lengths[..<literalCount]))
        && makeDistances(UnsafeBufferPointer(rebasing: lengths[literalCount..<count]))
    }
  }

  private func readLengths(_ lengths: UnsafeMutableBufferPointer<UInt8>, _ count: Int) -> Bool {
    var index = 0
    while index < count {
      fillBits()
      let entry = lengthCodes.entry(bits)
      guard entry & InflateTable.faultMark == 0, take(UInt64(entry & 0x3F)) != nil else { return false }
      let symbol = Int(entry >> 16)
      var (value, number) = (UInt8(truncatingIfNeeded: symbol), 1)
      if symbol >= 16 {
        guard let extra = take(symbol == 16 ? 2 : symbol == 17 ? 3 : 7) else { return false }
        number = Int(extra) + (symbol == 18 ? 11 : 3)
        guard symbol > 16 || index > 0, number <= count - index else { return false }
        value = symbol == 16 ? lengths[index - 1] : 0
      }
      for _ in 0..<number {
        lengths[index] = value
        index += 1
      }
    }
    return true
  }

  private func makeLiterals(_ lengths: UnsafeBufferPointer<UInt8>) -> Bool {
    literals.build(lengths, InflateTable.lengthSymbols, joinsLiterals: true)
  }

  private func makeDistances(_ lengths: UnsafeBufferPointer<UInt8>) -> Bool {
    distances.build(lengths, InflateTable.distanceSymbols)
  }
}
