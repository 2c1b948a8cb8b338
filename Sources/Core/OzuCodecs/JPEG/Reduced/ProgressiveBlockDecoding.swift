/// The coefficients and the lowest bit of a first scan.
struct FirstBand {
  let first: Int
  let last: Int
  /// The lowest bit of the coefficients in this scan; later scans have the lower bits.
  let low: Int
  /// Whether scans of last bits will be read: then no coefficient is stepped over.
  let isTracked: Bool
}

/// Decodes the blocks of a first scan of coefficients (ITU-T T.81 §G.1.2.2). `EntropySource` explains why it stays inside its
/// buffers.
///
/// Coefficients are written as they are: `Dequantization` multiplies them. One that is not kept is written over the mean, which
/// is restored after the block.
extension ReducedScan.Part {
  /// Decodes all coefficients, and notes which are not zero.
  @inline(never)
  func takeTracked(_ start: BlockStretch, _ band: FirstBand) -> BlockStretch {
    guard let history = component.history else { return takeUntracked(start, band) }
    var stretch = start
    var reader = start.reader
    let ac = ac
    let targets = component.targets
    let words = history + start.row &* component.blockCount.width
    let squares = component.block(column: 0, row: start.row)
    let last = band.last
    let low = band.low
    while stretch.column < stretch.end {
      if stretch.stepOverEmptyBlocks() { break }
      let block = squares + stretch.column &* component.scale
      let mean = block[0]
      var found: UInt64 = 0
      var index = band.first
      while index <= last {
        reader.refill()
        let entry = ac.several[reader.window]
        let next = index &+ Int(entry &>> 56)
        if HuffmanLookup.isInside(next, last: last) {
          found |= Self.write(entry, behind: index, from: low, to: block, targets)
          reader.consume(entry: entry)
          index = next
          continue
        }
        guard
          let value = reader.takeProgressiveCoefficient(ac, index: &index, emptyBlocks: &stretch.emptyBlocks)
        else { break }
        // Sixteen zeros.
        guard value != 0 else { continue }
        guard index &- 1 <= last else {
          stretch.isBroken = true
          break
        }
        found |= 1 &<< UInt64(truncatingIfNeeded: index &- 1)
        block[Int(targets[index &- 1])] = Int16(truncatingIfNeeded: value &<< low)
      }
      block[0] = mean
      words[stretch.column] |= found
      stretch.column &+= 1
      if reader.next >= stretch.limit { break }
    }
    stretch.reader = reader
    return stretch
  }

  /// Decodes the coefficients that are kept.
  @inline(never)
  func takeUntracked(_ start: BlockStretch, _ band: FirstBand) -> BlockStretch {
    var stretch = start
    var reader = start.reader
    let ac = ac
    let targets = component.targets
    let squares = component.block(column: 0, row: start.row)
    let last = band.last
    let lastKept = min(last, component.lastKept)
    let low = band.low
    while stretch.column < stretch.end {
      if stretch.stepOverEmptyBlocks() { break }
      let block = squares + stretch.column &* component.scale
      let mean = block[0]
      var index = band.first
      while index <= last {
        reader.refill()
        if index > lastKept {
          let entry = ac.skips[reader.skipWindow]
          let next = index &+ Int(entry &>> 7)
          if HuffmanLookup.isInside(next, last: last) {
            reader.consume(entry: UInt64(entry))
            index = next
            continue
          }
        } else {
          let entry = ac.several[reader.window]
          let next = index &+ Int(entry &>> 56)
          if HuffmanLookup.isInside(next, last: last) {
            Self.write(entry, behind: index, from: low, to: block, targets)
            reader.consume(entry: entry)
            index = next
            continue
          }
        }
        guard
          let value = reader.takeProgressiveCoefficient(ac, index: &index, emptyBlocks: &stretch.emptyBlocks)
        else { break }
        guard value != 0 else { continue }
        guard index &- 1 <= last else {
          stretch.isBroken = true
          break
        }
        block[Int(targets[index &- 1])] = Int16(truncatingIfNeeded: value &<< low)
      }
      block[0] = mean
      stretch.column &+= 1
      if reader.next >= stretch.limit { break }
    }
    stretch.reader = reader
    return stretch
  }

  /// Writes the two coefficients of an entry that begins at coefficient `index`. Returns them as bits.
  @inline(__always)
  @discardableResult
  private static func write(
    _ entry: UInt64, behind index: Int, from low: Int, to block: UnsafeMutablePointer<Int16>,
    _ targets: UnsafeMutablePointer<Int32>
  ) -> UInt64 {
    let places = (index &+ Int(entry &>> 8 & 0xFF), index &+ Int(entry &>> 16 & 0xFF))
    let values = (
      Int16(truncatingIfNeeded: entry &>> 24), Int16(truncatingIfNeeded: entry &>> 40)
    )
    block[Int(targets[places.0])] = values.0 &<< Int16(truncatingIfNeeded: low)
    block[Int(targets[places.1])] = values.1 &<< Int16(truncatingIfNeeded: low)
    // A coefficient that is not there is zero.
    return (values.0 == 0 ? 0 : 1) &<< UInt64(truncatingIfNeeded: places.0)
      | (values.1 == 0 ? 0 : 1) &<< UInt64(truncatingIfNeeded: places.1)
  }
}

extension BlockStretch {
  /// Moves to the end of a run of empty blocks, and says whether the end of the stretch is reached.
  @inline(__always)
  fileprivate mutating func stepOverEmptyBlocks() -> Bool {
    guard emptyBlocks > 0 else { return false }
    let count = min(emptyBlocks, end &- column)
    emptyBlocks &-= count
    column &+= count
    return column == end
  }
}

extension BitReader {
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
