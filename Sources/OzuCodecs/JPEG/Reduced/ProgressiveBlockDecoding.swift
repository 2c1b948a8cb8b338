/// Decodes one block of a progressive scan. `EntropySource` explains why it stays inside its buffers.
extension BitReader {
  /// Decodes the coefficients `first...last` of a block in a first scan of them (ITU-T T.81 §G.1.2.2).
  ///
  /// - Parameters:
  ///   - low: the lowest bit of the coefficients in this scan; later scans have the lower bits.
  ///   - isTracked: whether scans of last bits will be read: then no coefficient is stepped over.
  ///   - emptyBlocks: the number of blocks from this one on that have no coefficients in the scan.
  /// - Returns: for a tracked scan, the coefficients that are not zero, as bits.
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
        // Symbols beyond `last` would belong to the next block, and the entry may end in a run of block ends.
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

  /// Takes one symbol after a refill, with its number. Returns a coefficient and moves `index` after it; the coefficient is
  /// 0 if only zeros were stepped over. Returns `nil` for the end of the block and perhaps of some that follow.
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

  /// The number of empty blocks after this one, from a run of block ends. The register has enough bits: the code took at
  /// most 17 of the 56, and the run has at most 14.
  @inline(__always)
  private mutating func takeRun(exponent: Int) -> Int {
    (1 &<< exponent) &- 1 &+ take(exponent)
  }
}

extension ReducedComponent {
  /// A dequantized coefficient whose bits below `low` are not known.
  ///
  /// Small values are more frequent than large ones, so 3/8 of the range of the missing bits is added. That improves the
  /// picture by about half a decibel over adding nothing.
  @inline(__always)
  func coefficient(_ value: Int, at index: Int, from low: Int) -> Int16 {
    let missing = missing(Int(quantization[index]), below: low)
    let known = (value &<< low) &* Int(quantization[index])
    let whole = value < 0 ? known &- missing : known &+ missing
    return Int16(truncatingIfNeeded: max(-2048, min(2047, whole)))
  }

  /// The amount that is added for the missing bits of a coefficient below `low`.
  @inline(__always)
  func missing(_ step: Int, below low: Int) -> Int {
    (((1 &<< low) &- 1) &* step &* 3) &>> 3
  }
}
