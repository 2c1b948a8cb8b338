/// Quantizes the coefficients of a component so that error and bits together are least: a value may become smaller, or zero,
/// where that saves more bits than it adds error (Crouse and Ramchandran, "Joint thresholding and quantizer selection for
/// transform image coding", 1997).
///
/// The error is counted in squares of a quantization step, and weighs less in blocks with much detail, where it is
/// hidden; the weights are those of mozjpeg.
struct TrellisQuantizer {
  /// The bits that an error of one step in a flat block is worth, and the energy of a coefficient, in squares of grey levels,
  /// that halves it.
  private static let flatWeight: Float = 19.03
  private static let halvingEnergy: Float = 1448

  /// The largest coefficient that Huffman codes of 8-bit files have.
  private static let largest: Float = 1023

  /// 1 divided by each step, in rows of frequencies. As coefficients are, steps are 8 times those of the file.
  private let inverse: [Float]

  // For one block, by place in zigzag order: the error of zeros up to there.
  private var zeroErrors = [Float](repeating: 0, count: 64)
  // For each value that may stay: its place, the least cost up to it, the value before it, and what it becomes.
  private var places = [Int](repeating: 0, count: 64)
  private var costs = [Float](repeating: 0, count: 64)
  private var previous = [Int](repeating: 0, count: 64)
  private var levels = [Int](repeating: 0, count: 64)
  // For the means of a row of blocks.
  private var means: [Float] = []
  private var weights: [Float] = []

  /// - Parameter steps: the quantization steps of the file, in rows of frequencies; none is 0.
  init(steps: [UInt16]) {
    inverse = steps.map { 1 / (8 * Float($0)) }
  }

  /// Quantizes a row of blocks in place, to the nearest values.
  func round(_ row: UnsafeMutableBufferPointer<Int16>) {
    for start in stride(from: 0, to: row.count, by: 64) {
      for k in 0..<64 {
        let value = row[start &+ k]
        // Between two multiples of a step there is at least 1, so half of it decides ties as integers do.
        let level = Int16(min(Self.largest, (Float(value.magnitude) + 0.0625) * inverse[k] + 0.5))
        row[start &+ k] = value < 0 ? -level : level
      }
    }
  }

  /// Quantizes a row of blocks in place, by the lengths of codes.
  mutating func quantize(_ row: UnsafeMutableBufferPointer<Int16>, _ lengths: JPEGCodeLengths) {
    means.removeAll(keepingCapacity: true)
    weights.removeAll(keepingCapacity: true)
    for start in stride(from: 0, to: row.count, by: 64) {
      let block = UnsafeMutableBufferPointer(rebasing: row[start..<start + 64])
      means.append(Float(block[0]) * inverse[0])
      weights.append(quantizeDetail(of: block, lengths.runs))
    }
    quantizeMeans(of: row, lengths.means)
  }

  /// Quantizes all but the mean of a block; the weight of its error.
  private mutating func quantizeDetail(of block: UnsafeMutableBufferPointer<Int16>, _ lengths: [Float])
    -> Float
  {
    var energy: Float = 0
    for k in 1..<64 {
      let value = Float(block[k])
      energy += value * value
    }
    let weight = Self.flatWeight / (1 + energy / (64 * 63 * Self.halvingEnergy))
    var count = 1
    (places[0], costs[0]) = (0, 0)
    for k in 1..<64 {
      let place = JPEGZigzag.order[k]
      let value = Float(block[place].magnitude) * inverse[place]
      zeroErrors[k] = zeroErrors[k &- 1] + value * value * weight
      guard value >= 0.5 else { continue }
      // The nearest level, and the largest with a bit less.
      let level = Int(min(Self.largest, value + 0.5))
      let category = Int.bitWidth &- level.leadingZeroBitCount
      let less = (1 << (category &- 1)) &- 1
      let error = (value - Float(level)) * (value - Float(level)) * weight
      let lessError = (value - Float(less)) * (value - Float(less)) * weight
      var best = Float.infinity
      var from = count &- 1
      while from >= 0 {
        let zeroError = zeroErrors[k &- 1] - zeroErrors[places[from]]
        if zeroError >= best { break }
        var run = k &- places[from] &- 1
        var cost = costs[from] + zeroError
        while run > 15 {
          cost += lengths[0xF0]
          run &-= 16
        }
        let whole = cost + error + lengths[run << 4 | category]
        if whole < best { (best, previous[count], levels[count]) = (whole, from, level) }
        if less > 0 {
          let smaller = cost + lessError + lengths[run << 4 | (category &- 1)]
          if smaller < best { (best, previous[count], levels[count]) = (smaller, from, less) }
        }
        from &-= 1
      }
      (places[count], costs[count]) = (k, best)
      count &+= 1
    }
    var (last, best) = (0, Float.infinity)
    for index in 0..<count {
      let place = places[index]
      let cost = costs[index] + zeroErrors[63] - zeroErrors[place] + (place < 63 ? lengths[0] : 0)
      if cost < best { (best, last) = (cost, index) }
    }
    for k in 1..<64 where block[k] != 0 {
      // The sign is kept until the level is known.
      block[k] = block[k] < 0 ? -1 : 1
    }
    var kept: UInt64 = 1
    while last > 0 {
      let place = JPEGZigzag.order[places[last]]
      block[place] *= Int16(truncatingIfNeeded: levels[last])
      kept |= 1 << UInt64(place)
      last = previous[last]
    }
    for k in 1..<64 where kept >> UInt64(k) & 1 == 0 { block[k] = 0 }
    return weight
  }

  /// Quantizes the means of a row: each to the nearest level or one beside it, so that the differences take few bits.
  private mutating func quantizeMeans(of row: UnsafeMutableBufferPointer<Int16>, _ lengths: [Float]) {
    var costs = SIMD4<Float>(0, .infinity, .infinity, .infinity)
    var bases: [Int32] = []
    var choices: [SIMD4<UInt8>] = []
    var before: Int32 = 1
    for (mean, weight) in zip(means, weights) {
      let base = Int32(min(Self.largest - 1, mean.rounded()))
      var newCosts = SIMD4<Float>(repeating: .infinity)
      var choice = SIMD4<UInt8>()
      for candidate in 0..<3 {
        let level = base &+ Int32(candidate) &- 1
        let error = (mean - Float(level)) * (mean - Float(level)) * weight
        for old in 0..<3 {
          let difference = level &- (before &+ Int32(old) &- 1)
          let cost = costs[old] + error + lengths[min(11, JPEGSymbolCounts.category(difference))]
          if cost < newCosts[candidate] {
            newCosts[candidate] = cost
            choice[candidate] = UInt8(old)
          }
        }
      }
      bases.append(base)
      choices.append(choice)
      (costs, before) = (newCosts, base)
    }
    var best = 0
    for candidate in 1..<3 where costs[candidate] < costs[best] { best = candidate }
    for index in bases.indices.reversed() {
      row[index * 64] = Int16(clamping: bases[index] + Int32(best) - 1)
      best = Int(choices[index][best])
    }
  }
}
