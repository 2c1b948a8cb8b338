/// Decoding one block of a progressive scan. See `EntropySource` for why it stays inside its buffers.
extension BitReader {
  /// Decodes the coefficients `first...last` of a block in a first scan of them (ITU-T T.81 §G.1.2.2).
  ///
  /// - Parameters:
  ///   - low: the bit from which on the coefficients come; the lower ones come in later scans, which are not
  ///     decoded.
  ///   - isTracked: whether scans of last bits will be read: then no coefficient is stepped over.
  ///   - emptyBlocks: how many blocks from this one on have no coefficients in the scan.
  /// - Returns: of a tracked scan, the coefficients that are not zero, as bits.
  @inline(__always)
  @discardableResult
  mutating func takeProgressive(
    _ component: ReducedComponent, ac: HuffmanLookup, first: Int, last: Int, low: Int, isTracked: Bool,
    emptyBlocks: inout Int, to block: UnsafeMutablePointer<Int16>
  ) -> UInt64 {
    if emptyBlocks > 0 {
      emptyBlocks &-= 1
      return 0
    }
    var found: UInt64 = 0
    let lastKept = isTracked ? last : min(last, component.lastKept)
    var index = first
    while index <= last {
      refill()
      if index > lastKept {
        // Symbols beyond `last` would belong to the next block; the entry may also end in a run of ends.
        let entry = ac.skips[window]
        let next = index &+ Int(entry &>> 7)
        if next <= last {
          consume(entry: UInt64(entry))
          index = next
          continue
        }
        if next >= HuffmanLookup.end, next <= HuffmanLookup.blockEnd(at: last) {
          consume(entry: UInt64(entry))
          return found
        }
      }
      guard let value = takeProgressiveCoefficient(ac, index: &index, emptyBlocks: &emptyBlocks) else {
        break
      }
      guard index <= 64, value != 0 else { continue }
      found |= 1 &<< UInt64(truncatingIfNeeded: index &- 1)
      let place = component.places[index &- 1]
      guard place >= 0 else { continue }
      block[Int(place)] = component.coefficient(value, at: index &- 1, from: low)
    }
    return found
  }

  /// Takes one symbol after a refill, and its number: a coefficient, behind which `index` moves and which is 0 where
  /// only zeros were stepped over; or `nil` for the end of the block and of some that follow.
  @inline(__always)
  mutating func takeProgressiveCoefficient(
    _ ac: HuffmanLookup, index: inout Int, emptyBlocks: inout Int
  ) -> Int? {
    let entry = ac.values[window]
    let kind = entry &>> 8 & 0xFF
    if kind & HuffmanLookup.blockEnd != 0 {
      consume(entry: UInt64(entry))
      emptyBlocks = takeRun(exponent: Int(kind & 15))
      return nil
    }
    if kind != 0 {
      consume(entry: UInt64(entry))
      index &+= Int(kind)
      return Int(Int32(bitPattern: entry) &>> 16)
    }
    let symbol = takeSymbol(ac, entry: entry)
    let size = symbol & 15
    let run = symbol &>> 4
    if size == 0, run < 15 {
      emptyBlocks = takeRun(exponent: run)
      return nil
    }
    index &+= run &+ 1
    return takeNumber(size)
  }

  /// How many blocks are empty behind this one, from a run of ends of blocks. The bits are there: a code has
  /// taken 17 at most of the 56, and the run has 14.
  @inline(__always)
  private mutating func takeRun(exponent: Int) -> Int {
    (1 &<< exponent) &- 1 &+ take(exponent)
  }
}

extension ReducedComponent {
  /// A dequantized coefficient of which the bits below `low` are not known.
  ///
  /// Of the values it can have, the smaller are the more frequent: so 3/8 of what is missing is added, which
  /// is worth about half a decibel over leaving it.
  @inline(__always)
  func coefficient(_ value: Int, at index: Int, from low: Int) -> Int16 {
    let missing = missing(Int(quantization[index]), below: low)
    let known = (value &<< low) &* Int(quantization[index])
    let whole = value < 0 ? known &- missing : known &+ missing
    return Int16(truncatingIfNeeded: max(-2048, min(2047, whole)))
  }

  /// What is added for the bits of a coefficient below `low`.
  @inline(__always)
  func missing(_ step: Int, below low: Int) -> Int {
    (((1 &<< low) &- 1) &* step &* 3) &>> 3
  }
}
