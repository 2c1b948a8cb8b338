/// Decodes a scan that adds one bit to coefficients: the refinement of ITU-T T.81 §G.1.2.3.
///
/// Such a scan has one bit for every coefficient of its band that is not zero after earlier scans, also for those that are
/// not kept. Between these bits are the codes of coefficients that become nonzero by the new bit. So the decoder must know
/// for every coefficient whether it is zero: `ReducedComponent.history` has a bit for each. Sets of coefficients are words in
/// which each coefficient is a bit, in zigzag order.
///
/// The processor cannot predict how many bits come between two codes, or how long runs of zeros are. So the loop over the codes
/// of a block has no branch for them: a list gives the place of each zero, and with it the number of bits that come before the
/// next code. These bits are collected in a word, and added to the coefficients after the last code of the block.
///
/// `EntropySource` explains why it stays inside its buffers. Its tables have only symbols of one bit (`ReducedJPEGDecoder`).
extension ReducedScan.Part {
  /// Decodes blocks.
  ///
  /// - Parameter zeros: memory for the list.
  @inline(never)
  func takeRefinement(_ start: BlockStretch, _ band: Refinement, _ zeros: ZeroPlaces) -> BlockStretch {
    var stretch = start
    guard let history = component.history else {
      stretch.column = stretch.end
      return stretch
    }
    var reader = start.reader
    var emptyBlocks = start.emptyBlocks
    var column = start.column
    let ac = ac
    let targets = component.targets
    let words = history + start.row &* component.blockCount.width
    let squares = component.block(column: 0, row: start.row)
    let scale = component.scale
    let step = Int16(truncatingIfNeeded: 1 &<< band.low)
    while column < start.end {
      let before = words[column] & band.coefficients
      if emptyBlocks > 0, before == 0 {
        emptyBlocks &-= 1
        column &+= 1
        continue
      }
      let block = squares + column &* scale
      let mean = block[0]
      // The bits of coefficients of `before`, that of the last one lowest, and their number.
      var corrections: UInt64 = 0
      var number = 0
      if emptyBlocks > 0 {
        emptyBlocks &-= 1
      } else {
        zeros.set(band.coefficients & ~before, first: band.first &>> 3, last: band.last &>> 3)
        var added: UInt64 = 0
        // The next coefficient, and the number of zeros before it.
        var index = band.first
        var zero = 0
        while index <= band.last {
          reader.refill()
          let entry = ac.values[reader.window]
          var run = Int(entry &>> 8 & 0xFF)
          var value = Int(Int32(bitPattern: entry) &>> 16)
          if 1...16 ~= run {
            reader.consume(entry: UInt64(entry))
          } else {
            run = 0
            guard let other = reader.takeProgressiveCoefficient(ac, index: &run, emptyBlocks: &emptyBlocks)
            else { break }
            value = other
          }
          // The run counts zeros. After them is the new coefficient, or the last of sixteen zeros.
          let place = zeros[zero &+ run &- 1]
          guard place < 64 else {
            // Sixteen zeros may be more than there are.
            if value != 0 { stretch.isBroken = true }
            break
          }
          let passed = place &- index &- run &+ 1
          corrections = corrections &<< UInt64(truncatingIfNeeded: passed) | reader.takeMany(passed)
          index = place &+ 1
          zero &+= run
          added |= UInt64(truncatingIfNeeded: value & 1) &<< UInt64(truncatingIfNeeded: place)
          block[Int(targets[place])] = Int16(truncatingIfNeeded: value) &* step
        }
        number = index &- band.first &- zero
        words[column] |= added
      }
      column &+= 1
      if before != 0 {
        let count = before.nonzeroBitCount
        let rest = count &- number
        reader.refill()
        corrections = corrections &<< UInt64(truncatingIfNeeded: rest) | reader.takeMany(rest)
        var bits = corrections &<< UInt64(truncatingIfNeeded: 64 &- count)
        var coefficients = before & band.reached
        // A coefficient that is not kept is added to the mean, which is restored.
        while bits != 0, coefficients != 0 {
          let place = Int(targets[coefficients.trailingZeroBitCount])
          let value = block[place]
          let sign = value &>> 15
          let mask = Int16(truncatingIfNeeded: Int64(bitPattern: bits) &>> 63)
          block[place] = value &+ (((step ^ sign) &- sign) & mask)
          coefficients &= coefficients &- 1
          bits &<<= 1
        }
      }
      block[0] = mean
      if reader.next >= start.limit { break }
    }
    stretch.reader = reader
    stretch.emptyBlocks = emptyBlocks
    stretch.column = column
    return stretch
  }
}

extension BitReader {
  /// Takes up to 63 bits, when the register has at least 38. Of 56 that many are left after the code and the bit of a coefficient.
  @inline(__always)
  fileprivate mutating func takeMany(_ count: Int) -> UInt64 {
    // Rare.
    guard count > 32 else { return UInt64(truncatingIfNeeded: take(count)) }
    let upper = take(count &- 32)
    refill()
    return UInt64(truncatingIfNeeded: upper &<< 32 | take(32))
  }
}

/// The coefficients and the bit of a scan of last bits.
struct Refinement {
  let first: Int
  let last: Int
  /// The coefficients of the scan, as bits in zigzag order.
  let coefficients: UInt64
  /// Those of them that come up to the last one that is kept.
  let reached: UInt64
  let low: Int

  init(first: Int, last: Int, low: Int, of component: ReducedComponent) {
    self.first = first
    self.last = last
    coefficients = Self.set(first...last)
    reached = coefficients & Self.set(0...component.lastKept)
    self.low = low
  }

  /// The coefficients of a range, 0 to 63, as bits.
  static func set(_ range: ClosedRange<Int>) -> UInt64 {
    (UInt64.max >> UInt64(63 - range.upperBound)) & (UInt64.max << UInt64(range.lowerBound))
  }
}

/// The places of the set bits of a word, in ascending order: a list that a scan of last bits makes for each block, of the
/// coefficients that are zero.
///
/// Why every index is in bounds: eight bits at a time are looked up in tables of 256. A word has at most 64 bits, so the last
/// eight places are written from entry 64 at most, and 16 marks of the end behind at most 64 entries: 80 entries in all. Readers
/// look up these 16 at most.
struct ZeroPlaces {
  /// The mark behind the last place. Places are below 64.
  static let none: UInt8 = 255

  private static let capacity = 80

  /// For each byte the places of its bits, the first one lowest; and behind the 256 of them the number of bits of each.
  ///
  /// `nonisolated(unsafe)`: written once, before the pointer is returned.
  private nonisolated(unsafe) static let places: UnsafePointer<UInt64> = {
    let places = UnsafeMutablePointer<UInt64>.allocate(capacity: 512)
    for byte in 0..<256 {
      var word: UInt64 = 0
      var count: UInt64 = 0
      for place in 0..<8 where byte >> place & 1 == 1 {
        word |= UInt64(place) << (8 * count)
        count += 1
      }
      (places + byte).initialize(to: word)
      (places + 256 + byte).initialize(to: count)
    }
    return UnsafePointer(places)
  }()

  private let list: UnsafeMutablePointer<UInt8>
  private let places = Self.places

  init() {
    list = .allocate(capacity: Self.capacity)
    list.initialize(repeating: Self.none, count: Self.capacity)
  }

  func free() { list.deallocate() }

  /// The place of a bit; `none` behind the last one.
  @inline(__always)
  subscript(_ index: Int) -> Int { Int(list[index]) }

  /// Lists the bits of a word that has none outside of the bytes `first...last`.
  @inline(__always)
  func set(_ word: UInt64, first: Int, last: Int) {
    let list = UnsafeMutableRawPointer(list)
    var rest = word &>> UInt64(truncatingIfNeeded: 8 &* first)
    var base = UInt64(truncatingIfNeeded: first) &* 0x0808_0808_0808_0808
    var count = 0
    for _ in first...last {
      let byte = Int(truncatingIfNeeded: rest & 255)
      (list + count).storeBytes(of: places[byte] &+ base, as: UInt64.self)
      count &+= Int(truncatingIfNeeded: places[byte &+ 256])
      rest &>>= 8
      base &+= 0x0808_0808_0808_0808
    }
    (list + count).storeBytes(of: .max, as: UInt64.self)
    (list + count + 8).storeBytes(of: .max, as: UInt64.self)
  }
}
