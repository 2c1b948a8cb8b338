/// Decodes symbols of a sequential scan. All functions are inlined into the loops over blocks. `EntropySource` explains why
/// they stay inside their buffers.
extension BitReader {
  /// Takes a difference of mean values. At least 45 bits are left afterwards.
  @inline(__always)
  mutating func takeDifference(_ table: HuffmanLookup) -> Int32 {
    refill()
    let entry = table.values[window]
    if entry & 0xFF00 != 0 {
      consume(entry: UInt64(entry))
      return Int32(bitPattern: entry) &>> 16
    }
    let difference = takeNumber(takeSymbol(table, entry: entry) & 15)
    refill()
    return Int32(truncatingIfNeeded: difference)
  }

  /// Takes a symbol whose number did not fit the window. `entry` is that of the next window in `values`.
  @inline(__always)
  mutating func takeSymbol(_ table: HuffmanLookup, entry: UInt32) -> Int {
    if entry != 0 {
      consume(entry: UInt64(entry))
      return Int(entry &>> 16)
    }
    let (symbol, length) = table.symbol(bits)
    consume(length)
    return Int(symbol)
  }

  /// Takes one coefficient after a refill. `index` moves after it, or to 64 or more at the end of the block.
  ///
  /// - Returns: the coefficient before the new `index`; 0 if only zeros were stepped over.
  @inline(__always)
  mutating func takeCoefficient(_ table: HuffmanLookup, index: inout Int) -> Int {
    let entry = table.values[window]
    let kind = entry &>> 8 & 0xFF
    if kind != 0 {
      consume(entry: UInt64(entry))
      index &+= Int(kind)
      return Int(Int32(bitPattern: entry) &>> 16)
    }
    let symbol = takeSymbol(table, entry: entry)
    let size = symbol & 15
    let run = symbol &>> 4
    index = size == 0 && run < 15 ? 64 : index &+ run &+ 1
    return takeNumber(size)
  }

  /// Steps over the coefficients from `start` to the end of a block. The register must have at least 27 bits.
  ///
  /// - Returns: `HuffmanLookup.blockEnd(at: start)` if the block ends immediately.
  @inline(__always)
  @discardableResult
  mutating func skipCoefficients(_ table: HuffmanLookup, from start: Int) -> Int {
    var index = start
    while true {
      // Two entries for each refill: after the second there are enough bits for the first one of the next round.
      let first = table.skips[skipWindow]
      var next = index &+ Int(first &>> 7)
      if next < 64 {
        consume(entry: UInt64(first))
        index = next
        refill()
        let second = table.skips[skipWindow]
        next = index &+ Int(second &>> 7)
        if next < 64 {
          consume(entry: UInt64(second))
          index = next
          continue
        }
        if !HuffmanLookup.isBeyond(next) {
          consume(entry: UInt64(second))
          return next
        }
      } else if !HuffmanLookup.isBeyond(next) {
        consume(entry: UInt64(first))
        return next
      }
      // The last coefficients are decoded one by one, because an entry may hold symbols of the next block.
      refill()
      _ = takeCoefficient(table, index: &index)
      if index > 63 { return index }
      refill()
    }
  }
}
