/// Finds all pairs of 64-bit hashes that differ in a few bits, without comparing each with each other.
///
/// Multi-index hashing (Norouzi, Punjani, Fleet 2012): a hash has four bands of 16 bits. If two hashes differ in `limit` bits, they
/// differ in `limit / 4` bits or fewer in one of the bands at least. So each band has a table from its value to the hashes that have
/// it, in which those of each value meet those of the values that are so near. 100,000 hashes within 8 bits take 18 million look-ups and
/// 80 million comparisons in place of 5 billion.
struct NearHashes {
  let hashes: [UInt64]
  let limit: Int

  private static let bandCount = 4
  private static let valueCount = 1 << 16

  /// - Parameters:
  ///   - hashes: all different.
  ///   - limit: the number of bits in which two of a pair differ at most, 0 to 64.
  init(_ hashes: [UInt64], within limit: Int) { (self.hashes, self.limit) = (hashes, limit) }

  /// Calls a closure with the indexes of each pair, the smaller first, once or several times.
  func forEachPair(_ body: (Int, Int) -> Void) {
    if isSlowerByBands { forEachPairOfAll(body) } else { forEachPairByBands(body) }
  }

  /// The pairs by the tables of the bands. A pair that is near in several bands comes several times.
  func forEachPairByBands(_ body: (Int, Int) -> Void) {
    let masks = Self.masks(upTo: limit / Self.bandCount)
    for band in 0..<Self.bandCount { forEachPair(band, masks, body) }
  }

  /// Whether it takes fewer steps to compare all with each other: for few hashes, and for a limit that leaves most of them.
  var isSlowerByBands: Bool {
    let count = Double(hashes.count)
    let values = Double(Self.valueCount)
    // The meetings of two values: each costs about four comparisons, because it misses the processor's cache.
    let meetings = Double(Self.bandCount * Self.ballSize(limit / Self.bandCount)) / 2
    let compared = count * count / values * meetings
    let steps = min(count, values) * meetings * 4 + compared + 2 * values * Double(Self.bandCount)
    return steps > count * count / 2
  }

  func forEachPairOfAll(_ body: (Int, Int) -> Void) {
    for second in hashes.indices {
      let hash = hashes[second]
      for first in 0..<second where (hashes[first] ^ hash).nonzeroBitCount <= limit { body(first, second) }
    }
  }

  /// The pairs that are near in one band.
  private func forEachPair(_ band: Int, _ masks: [UInt16], _ body: (Int, Int) -> Void) {
    func value(_ hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash >> (16 * UInt64(band))) }
    // The hashes sorted by the value of the band, and where those of each value begin.
    var starts = [Int](repeating: 0, count: Self.valueCount + 1)
    for hash in hashes { starts[Int(value(hash)) + 1] += 1 }
    for number in 1...Self.valueCount { starts[number] += starts[number - 1] }
    var places = starts
    var sorted = [(hash: UInt64, index: Int)](repeating: (0, 0), count: hashes.count)
    for (index, hash) in hashes.enumerated() {
      let number = Int(value(hash))
      sorted[places[number]] = (hash, index)
      places[number] += 1
    }
    for number in 0..<Self.valueCount where starts[number] < starts[number + 1] {
      let own = starts[number]..<starts[number + 1]
      for mask in masks {
        let other = number ^ Int(mask)
        // Two values meet once.
        guard other >= number else { continue }
        for first in starts[other]..<starts[other + 1] {
          let hash = sorted[first].hash
          for second in own where (sorted[second].hash ^ hash).nonzeroBitCount <= limit && first != second {
            let (a, b) = (sorted[first].index, sorted[second].index)
            body(min(a, b), max(a, b))
          }
        }
      }
    }
  }

  /// The numbers of 16 bits of which a few at most are set.
  private static func masks(upTo count: Int) -> [UInt16] {
    (0...UInt16.max).filter { $0.nonzeroBitCount <= count }
  }

  /// How many they are.
  private static func ballSize(_ count: Int) -> Int {
    var (sum, term) = (1, 1)
    for bits in 1...16 where bits <= count {
      term = term * (17 - bits) / bits
      sum += term
    }
    return sum
  }
}
