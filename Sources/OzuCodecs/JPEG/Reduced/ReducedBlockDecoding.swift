/// Decoding one block of a sequential scan, by how much of it is kept. All of this is inlined into the loop over
/// a row of blocks. See `EntropySource` for why it stays inside its buffers.
extension BitReader {
  /// Takes a difference of mean values.
  @inline(__always)
  mutating func takeDifference(_ table: HuffmanLookup) -> Int32 {
    refill()
    let entry = table.values[window]
    if entry & 0xFF00 != 0 {
      consume(Int(entry & 0xFF))
      return Int32(bitPattern: entry) &>> 16
    }
    return Int32(truncatingIfNeeded: takeNumber(takeSymbol(table, entry: entry) & 15))
  }

  /// Takes a symbol whose number did not fit the window. `entry` is that of the next window in `values`.
  @inline(__always)
  mutating func takeSymbol(_ table: HuffmanLookup, entry: UInt32) -> Int {
    if entry != 0 {
      consume(Int(entry & 0xFF))
      return Int(entry &>> 16)
    }
    let (symbol, length) = table.symbol(bits)
    consume(length)
    return Int(symbol)
  }

  /// Takes one coefficient after a refill. `index` moves behind it, or to 64 and more at the end of the block.
  ///
  /// - Returns: the coefficient, which is that before the new `index`; 0 where only zeros were stepped over.
  @inline(__always)
  mutating func takeCoefficient(_ table: HuffmanLookup, index: inout Int) -> Int {
    let entry = table.values[window]
    let kind = entry &>> 8 & 0xFF
    if kind != 0 {
      consume(Int(entry & 0xFF))
      index &+= Int(kind)
      return Int(Int32(bitPattern: entry) &>> 16)
    }
    let symbol = takeSymbol(table, entry: entry)
    let size = symbol & 15
    let run = symbol &>> 4
    index = size == 0 && run < 15 ? 64 : index &+ run &+ 1
    return takeNumber(size)
  }

  /// Takes the difference of the mean value of a block and gives the value.
  @inline(__always)
  mutating func takeMean(
    _ component: inout ReducedComponent, dc: HuffmanLookup, ac: HuffmanLookup, number: Int
  ) -> Int16 {
    component.prediction &+= takeDifference(dc)
    // What a difference leaves of a refill holds a window. An end of the block and nothing before it:
    let isFlat = ac.skips[window] &>> 5 == 1
    if let flatBlocks = component.flatBlocks {
      flatBlocks[number] = isFlat
      return Int16(truncatingIfNeeded: component.prediction)
    }
    return isFlat ? component.flatMean(component.prediction) : component.mean(component.prediction)
  }

  /// Steps over the coefficients from `start` to the end of a block.
  @inline(__always)
  mutating func skipCoefficients(_ table: HuffmanLookup, from start: Int) {
    var index = start
    while index < 64 {
      refill()
      let entry = table.skips[window]
      let next = index &+ Int(entry &>> 6)
      // An entry that reaches the last coefficient may hold symbols of the next block: one by one then.
      if entry == 0 || next > 63 {
        _ = takeCoefficient(table, index: &index)
        continue
      }
      consume(Int(entry & 31))
      if entry & 32 != 0 { return }
      index = next
      let second = table.skips[window]
      let afterSecond = index &+ Int(second &>> 6)
      if second == 0 || afterSecond > 63 { continue }
      consume(Int(second & 31))
      if second & 32 != 0 { return }
      index = afterSecond
    }
  }

  /// Decodes a block of which four coefficients are kept: a mean value, and the lowest in each direction.
  @inline(__always)
  mutating func takeQuad(
    _ component: inout ReducedComponent, dc: HuffmanLookup, ac: HuffmanLookup,
    number: Int, to block: UnsafeMutablePointer<Int16>
  ) {
    let mean = takeMean(&component, dc: dc, ac: ac, number: number)
    // Four bytes, that of coefficient 1 lowest. What does not fit a byte is in the wide ones instead.
    var lows: UInt32 = 0
    var wide: (Int, Int, Int) = (0, 0, 0)
    var index = 1
    repeat {
      refill()
      let entry = ac.lows[window]
      let next = index &+ Int(truncatingIfNeeded: entry &>> 40 & 0xFF)
      if entry == 0 || next > 63 {
        let value = takeCoefficient(ac, index: &index)
        switch index {
        case 2: wide.0 = value
        case 3: wide.1 = value
        case 5: wide.2 = value
        default: break
        }
        continue
      }
      lows |= UInt32(truncatingIfNeeded: entry) &<< UInt32(truncatingIfNeeded: 8 &* (index &- 1))
      consume(Int(truncatingIfNeeded: entry &>> 32 & 0xFF))
      index = entry &>> 48 != 0 ? 64 : next
    } while index < 5
    skipCoefficients(ac, from: index)
    let first = Int(Int8(truncatingIfNeeded: lows)) &+ wide.0
    let second = Int(Int8(truncatingIfNeeded: lows &>> 8)) &+ wide.1
    let fourth = Int(Int8(truncatingIfNeeded: lows &>> 24)) &+ wide.2
    block[0] = mean
    block[1] = component.coefficient(first, at: 1)
    block[component.stride] = component.coefficient(second, at: 2)
    block[component.stride &+ 1] = component.coefficient(fourth, at: 4)
  }

  /// Decodes a block of which more coefficients are kept. The block's square is zero before.
  @inline(__always)
  mutating func takeSquare(
    _ component: inout ReducedComponent, dc: HuffmanLookup, ac: HuffmanLookup,
    number: Int, to block: UnsafeMutablePointer<Int16>
  ) {
    let mean = takeMean(&component, dc: dc, ac: ac, number: number)
    var index = 1
    repeat {
      // One symbol takes 32 bits at most, and most take few: the next one is often there as well.
      if count < 32 { refill() }
      let value = takeCoefficient(ac, index: &index)
      if index > 64 { break }
      // Those that are not kept are written over the mean, which comes last: no branch could foretell them.
      block[Int(component.targets[index &- 1])] = component.coefficient(value, at: index &- 1)
    } while index <= component.lastKept
    block[0] = mean
    skipCoefficients(ac, from: index)
  }
}
