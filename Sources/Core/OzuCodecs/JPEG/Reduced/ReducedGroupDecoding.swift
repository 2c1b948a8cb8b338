import OzuImaging

/// Decodes the blocks of one component in a group of a sequential scan.
///
/// There is a function for each number of kept coefficients. It takes the reader by value and returns it: then the reader's
/// three words stay in registers. With `inout` they are stored and loaded with each symbol.
///
/// The loop over the blocks is written three times. One loop that calls a closure for each block took 9 to 12 % more processor
/// time for a whole thumbnail with the reader `inout`, and 2 to 5 % with the reader by value.
extension ReducedScan.Part {
  /// Decodes the blocks of a group. The first is at `column` and `row` of the blocks of the plane.
  @inline(__always)
  mutating func takeBlocks(_ reader: BitReader, column: Int, row: Int) -> BitReader {
    switch component.scale {
    case 1: takeMeans(reader, column: column, row: row)
    case 2: takeQuads(reader, column: column, row: row)
    default: takeSquares(reader, column: column, row: row)
    }
  }

  /// Writes a mean value, or the sum of differences if means are not known yet.
  @inline(__always)
  private func store(
    _ prediction: Int32, isFlat: Bool, flags: UnsafeMutablePointer<Bool>?, number: Int,
    to block: UnsafeMutablePointer<Int16>
  ) {
    if let flags {
      flags[number] = isFlat
      block[0] = Int16(truncatingIfNeeded: prediction)
    } else {
      block[0] = component.mean(prediction, isFlat: isFlat)
    }
  }

  /// Keeps only mean values.
  @inline(never)
  private mutating func takeMeans(_ start: BitReader, column: Int, row: Int) -> BitReader {
    var reader = start
    let dc = dc, ac = ac
    var flags = component.flags(column: column, row: row)
    var prediction = component.prediction
    var line = component.block(column: column, row: row)
    var lines = verticalBlocks
    while lines > 0 {
      let block = line
      var x = 0
      while x < horizontalBlocks {
        prediction &+= reader.takeDifference(dc)
        let end = reader.skipCoefficients(ac, from: 1)
        store(
          prediction, isFlat: end == HuffmanLookup.blockEnd(at: 1), flags: flags, number: x, to: block + x)
        x &+= 1
      }
      lines &-= 1
      line += component.lineStep
      flags = flags.map { $0 + component.blockCount.width }
    }
    component.prediction = prediction
    return reader
  }

  /// Keeps four coefficients: the mean value, and the lowest frequencies in each direction.
  @inline(never)
  private mutating func takeQuads(_ start: BitReader, column: Int, row: Int) -> BitReader {
    var reader = start
    let dc = dc, ac = ac
    var flags = component.flags(column: column, row: row)
    let stride = component.stride
    let steps = (component.quantization[1], component.quantization[2], component.quantization[4])
    // Bytes multiplied by these steps stay in the range of coefficients. If not, the fourth number of `wide` marks it.
    let noWide: UInt64 = max(steps.0, steps.1, steps.2) <= 15 ? 0 : 1 << 48
    var prediction = component.prediction
    var line = component.block(column: column, row: row)
    var lines = verticalBlocks
    while lines > 0 {
      var block = line
      var x = 0
      while x < horizontalBlocks {
        prediction &+= reader.takeDifference(dc)
        // Four bytes, that of coefficient 1 lowest. A coefficient that does not fit into a byte is one of four in `wide`.
        var lows: UInt32 = 0
        var wide = noWide
        var index = 1
        while true {
          let entry = ac.several[reader.window]
          let next = index &+ Int(truncatingIfNeeded: UInt16(truncatingIfNeeded: entry) &>> 7)
          if HuffmanLookup.isBeyond(next) {
            reader.refill()
            let value = reader.takeCoefficient(ac, index: &index)
            switch index {
            case 2: wide |= UInt64(UInt16(truncatingIfNeeded: value))
            case 3: wide |= UInt64(UInt16(truncatingIfNeeded: value)) &<< 16
            case 5: wide |= UInt64(UInt16(truncatingIfNeeded: value)) &<< 32
            default: break
            }
            if index >= 5 { break }
          } else {
            lows |= UInt32(truncatingIfNeeded: entry &>> 32) &<< UInt32(truncatingIfNeeded: 8 &* index &- 8)
            reader.consume(entry: entry)
            index = next
            if next >= 5 { break }
          }
          reader.refill()
        }
        if index < 64 {
          reader.refill()
          reader.skipCoefficients(ac, from: index)
        }
        store(
          prediction, isFlat: index == HuffmanLookup.blockEnd(at: 1), flags: flags, number: x, to: block)
        let first = Int32(Int8(truncatingIfNeeded: lows))
        let second = Int32(Int8(truncatingIfNeeded: lows &>> 8))
        let fourth = Int32(Int8(truncatingIfNeeded: lows &>> 24))
        if wide == 0 {
          block[1] = Int16(truncatingIfNeeded: first &* steps.0)
          block[stride] = Int16(truncatingIfNeeded: second &* steps.1)
          block[stride &+ 1] = Int16(truncatingIfNeeded: fourth &* steps.2)
        } else {
          block[1] = ReducedComponent.product(first &+ Int32(Int16(truncatingIfNeeded: wide)), steps.0)
          block[stride] = ReducedComponent.product(
            second &+ Int32(Int16(truncatingIfNeeded: wide &>> 16)), steps.1)
          block[stride &+ 1] = ReducedComponent.product(
            fourth &+ Int32(Int16(truncatingIfNeeded: wide &>> 32)), steps.2)
        }
        block += 2
        x &+= 1
      }
      lines &-= 1
      line += component.lineStep
      flags = flags.map { $0 + component.blockCount.width }
    }
    component.prediction = prediction
    return reader
  }

  /// Keeps more coefficients, which `ReducedIDCT` multiplies by their quantization steps. The squares must be zero before.
  @inline(never)
  private mutating func takeSquares(_ start: BitReader, column: Int, row: Int) -> BitReader {
    var reader = start
    let dc = dc, ac = ac
    var flags = component.flags(column: column, row: row)
    let lastKept = component.lastKept
    let targets = component.targets
    var prediction = component.prediction
    var line = component.block(column: column, row: row)
    var lines = verticalBlocks
    while lines > 0 {
      var block = line
      var x = 0
      while x < horizontalBlocks {
        prediction &+= reader.takeDifference(dc)
        // At least 45 bits: enough for two entries of 11 bits. So the register is refilled after every second entry.
        var index = 1
        while true {
          let first = ac.several[reader.window]
          if HuffmanLookup.isBeyond(index &+ Int(first &>> 56)) {
            reader.refill()
            let value = reader.takeCoefficient(ac, index: &index)
            if index > 64 { break }
            block[Int(targets[index &- 1])] = Int16(truncatingIfNeeded: value)
          } else {
            Self.write(first, behind: index, to: block, targets)
            reader.consume(entry: first)
            index &+= Int(first &>> 56)
            if index > lastKept { break }
            let second = ac.several[reader.window]
            let next = index &+ Int(second &>> 56)
            if !HuffmanLookup.isBeyond(next) {
              Self.write(second, behind: index, to: block, targets)
              reader.consume(entry: second)
              index = next
            }
          }
          if index > lastKept { break }
          reader.refill()
        }
        store(
          prediction, isFlat: index == HuffmanLookup.blockEnd(at: 1), flags: flags, number: x, to: block)
        if index < 64 {
          reader.refill()
          reader.skipCoefficients(ac, from: index)
        }
        block += component.scale
        x &+= 1
      }
      lines &-= 1
      line += component.lineStep
      flags = flags.map { $0 + component.blockCount.width }
    }
    component.prediction = prediction
    return reader
  }

  /// Writes the two coefficients of an entry that begins at coefficient `index`.
  @inline(__always)
  private static func write(
    _ entry: UInt64, behind index: Int, to block: UnsafeMutablePointer<Int16>,
    _ targets: UnsafeMutablePointer<Int32>
  ) {
    let first = index &+ Int(UInt8(truncatingIfNeeded: entry &>> 8))
    let second = index &+ Int(UInt8(truncatingIfNeeded: entry &>> 16))
    block[Int(targets[first])] = Int16(truncatingIfNeeded: entry &>> 24)
    block[Int(targets[second])] = Int16(truncatingIfNeeded: entry &>> 40)
  }
}
