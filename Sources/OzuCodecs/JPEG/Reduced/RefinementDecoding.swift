/// Decodes one block of a scan that adds one bit to coefficients: the refinement of ITU-T T.81 §G.1.2.3.
///
/// Such a scan has one bit for every coefficient of its band that is not zero after earlier scans, also for those that are
/// not kept. Between these bits are the codes of coefficients that become nonzero by the new bit. So the decoder must know
/// for every coefficient whether it is zero: `ReducedComponent.history` has a bit for each. Sets of coefficients are words in
/// which each coefficient is a bit, in zigzag order. The bits of those that are not kept are counted and stepped over at once.
///
/// `EntropySource` explains why it stays inside its buffers. Its tables have only symbols of one bit (`ReducedJPEGDecoder`).
extension BitReader {
  /// The least number of bits in the register after a refill.
  private static let refilled = 56

  /// Decodes the bit `low` of the coefficients of a band.
  ///
  /// - Parameters:
  ///   - history: the coefficients that are not zero; those that become nonzero are added.
  ///   - emptyBlocks: the number of blocks from this one on without new coefficients.
  /// - Returns: `false` for a run of zeros that is longer than the block; no encoder writes one.
  @inline(__always)
  mutating func takeRefinement(
    _ component: ReducedComponent, ac: HuffmanLookup, band: Refinement, emptyBlocks: inout Int,
    history: inout UInt64, to block: UnsafeMutablePointer<Int16>
  ) -> Bool {
    let before = history & band.coefficients
    var rest = band.coefficients
    var isWhole = true
    if emptyBlocks > 0 {
      emptyBlocks &-= 1
    } else {
      while rest != 0 {
        refill()
        var run = 0
        guard let value = takeProgressiveCoefficient(ac, index: &run, emptyBlocks: &emptyBlocks) else {
          break
        }
        // The run counts zeros. After them is the new coefficient, or the last of sixteen zeros. Short runs have no
        // branch, because the processor could not predict it.
        var zeros = rest & ~before
        for step in 1..<4 { zeros &= zeros &- (run > step ? 1 : 0) }
        while run > 4 {
          zeros &= zeros &- 1
          run &-= 1
        }
        let found = zeros & (0 &- zeros)
        let passed = found == 0 ? rest : rest & (found &- 1)
        takeCorrections(passed & before, component, band, to: block)
        rest = found == 0 ? 0 : rest & ~(found | (found &- 1))
        guard value != 0 else { continue }
        guard found != 0 else {
          isWhole = false
          break
        }
        history |= found
        let index = found.trailingZeroBitCount
        let place = component.places[index]
        if place >= 0 { block[Int(place)] = component.coefficient(value, at: index, from: band.low) }
      }
    }
    takeCorrections(rest & before, component, band, to: block)
    return isWhole
  }

  /// Takes a bit for each coefficient of a set and adds it to those that are kept.
  @inline(__always)
  private mutating func takeCorrections(
    _ coefficients: UInt64, _ component: ReducedComponent, _ band: Refinement,
    to block: UnsafeMutablePointer<Int16>
  ) {
    guard coefficients != 0 else { return }
    let number = coefficients.nonzeroBitCount
    if count < number {
      refill()
      // Rare: more bits than the register holds.
      if number > Self.refilled {
        let half = coefficients & 0xFFFF_FFFF
        takeCorrections(of: half, number: half.nonzeroBitCount, component, band, to: block)
        refill()
        takeCorrections(
          of: coefficients &- half, number: number &- half.nonzeroBitCount, component, band, to: block)
        return
      }
    }
    takeCorrections(of: coefficients, number: number, component, band, to: block)
  }

  /// The same for a set whose bits are in the register.
  @inline(__always)
  private mutating func takeCorrections(
    of coefficients: UInt64, number: Int, _ component: ReducedComponent, _ band: Refinement,
    to block: UnsafeMutablePointer<Int16>
  ) {
    // All bits are taken at once, so that the next symbol does not wait until they are used.
    let corrections = bits
    consume(number)
    var kept = coefficients & band.kept
    while kept != 0 {
      let index = kept.trailingZeroBitCount
      let lower = coefficients & ((kept & (0 &- kept)) &- 1)
      kept &= kept &- 1
      let bit = Int(truncatingIfNeeded: corrections &>> UInt64(63 &- lower.nonzeroBitCount)) & 1
      let place = Int(component.places[index])
      block[place] = component.refined(block[place], by: bit, at: index, from: band.low)
    }
  }
}

/// The coefficients and the bit of a scan of last bits.
struct Refinement {
  /// The coefficients of the scan, as bits in zigzag order.
  let coefficients: UInt64
  /// Those of them that are kept.
  let kept: UInt64
  /// The bit that it adds.
  let low: Int

  init(first: Int, last: Int, low: Int, of component: ReducedComponent) {
    coefficients = Self.set(first...last)
    kept = coefficients & component.kept
    self.low = low
  }

  /// The coefficients of a range, 0 to 63, as bits.
  static func set(_ range: ClosedRange<Int>) -> UInt64 {
    (UInt64.max >> UInt64(63 - range.upperBound)) & (UInt64.max << UInt64(range.lowerBound))
  }
}

extension ReducedComponent {
  /// A coefficient that is not zero, with one more bit.
  @inline(__always)
  func refined(_ value: Int16, by bit: Int, at index: Int, from low: Int) -> Int16 {
    let step = Int(quantization[index])
    let change = (bit &<< low) &* step &+ missing(step, below: low) &- missing(step, below: low &+ 1)
    let whole = Int(value) &+ (value < 0 ? 0 &- change : change)
    return Int16(truncatingIfNeeded: max(-2048, min(2047, whole)))
  }
}
