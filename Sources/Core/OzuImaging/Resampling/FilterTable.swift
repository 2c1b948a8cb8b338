import OzuBase

/// The weights that make the samples of the result from the samples along one axis.
///
/// Result sample `j` of `count` covers the range from `origin + j * length / count` to `origin + (j + 1) * length /
/// count` of the source, where source sample `i` covers `i ..< i + 1`; the filter is centred on the middle of that
/// range. It may read samples outside the shown part, so a crop equals the same part of the full picture and has no
/// seam. At the ends of the source the filter is cut off, and the other weights are normalised. A centre outside
/// the source counts as one on its border.
///
/// Weights are 14-bit fixed point. They are rounded cumulatively: weight `i` is the difference of the rounded
/// running sums up to it and before it. So the sum is exactly `one` without a correction, the error of a weight is
/// below one unit, and the errors of neighbours cancel out in a smooth picture. Rounding each weight alone and
/// adding the rest to the largest would put an error of a hundred units on one sample of a wide box.
///
/// Samples are read in pairs, an even one and the next, because the processor multiplies and adds pairs at once.
/// Every result sample has the same number of pairs; surplus pairs have weight 0.
struct FilterTable: Sendable {
  /// The parameters that determine a table.
  struct Key: Hashable, Sendable {
    /// The length of the source. If it is not a whole number, the last sample covers the rest of it.
    var extent: Double
    /// The start of the part that is shown.
    var origin: Double
    /// The length of the part that is shown.
    var length: Double
    /// The number of samples in the result.
    var count: Int
    var kernel: ResamplingKernel
    /// How much fine detail is strengthened: `1 + lift * w²` for waves of `w` radians per sample, to the second
    /// order. A negative lift weakens it.
    var lift = 0.0
  }

  /// The fixed-point number of the weight 1.
  static let one = 1 << 14

  /// The pairs of source samples that are read: sample `2 * p` and its right neighbour for each `p`.
  let pairs: Range<Int>
  /// The number of pairs for one result sample.
  let pairsPerSample: Int
  /// The first pair of each result sample, counted from `pairs.lowerBound`; never decreases.
  ///
  /// `starts[j] + pairsPerSample <= pairs.count` for all `j`: this keeps the passes within their rows.
  let starts: [Int]
  /// The weights: `pairsPerSample` for each result sample, the even sample's in the low half of a word.
  let weights: [Int32]

  /// The bytes the table takes in memory.
  var byteCount: Int { starts.count * MemoryLayout<Int>.stride + weights.count * 4 }

  /// Computes a table.
  ///
  /// - Precondition: all numbers are finite; `extent`, `length` and `count` are positive.
  /// - Complexity: O(`count` × taps).
  init(_ key: Key) {
    precondition(key.extent > 0 && key.length > 0 && key.count > 0, "a filter has a source and a result")
    let windows = key.lift == 0 ? Self.windows(key) : Self.trimmed(Self.windows(key))
    let pairCount = (Self.sampleCount(key) + 1) / 2
    let pairsPerSample = windows.reduce(1) { longest, window in
      max(longest, (window.first + window.weights.count + 1) / 2 - window.first / 2)
    }
    // A window near the end is moved left until all its pairs exist; its weights stay on their samples.
    let starts = windows.map { min($0.first / 2, pairCount - pairsPerSample) }
    let lowest = starts.first ?? 0
    var weights = [Int32](repeating: 0, count: key.count * pairsPerSample)
    for (sample, window) in windows.enumerated() {
      for (offset, weight) in window.weights.enumerated() {
        let place = window.first + offset - 2 * starts[sample]
        let half = UInt32(UInt16(bitPattern: Int16(weight))) << (place & 1 == 0 ? 0 : 16)
        weights[sample * pairsPerSample + place / 2] |= Int32(bitPattern: half)
      }
    }
    self.pairsPerSample = pairsPerSample
    self.starts = starts.map { $0 - lowest }
    self.weights = weights
    pairs = lowest..<(starts.last ?? 0) + pairsPerSample
  }

  /// Consecutive source samples with their weights.
  private struct Window {
    var first: Int
    var weights: [Int]
  }

  private static func sampleCount(_ key: Key) -> Int { Int(key.extent.rounded(.up)) }

  /// The windows of all result samples. If the shown part is in the middle of the source, the second half mirrors
  /// the first, bit for bit: a symmetric picture gives a symmetric result.
  private static func windows(_ key: Key) -> [Window] {
    let last = sampleCount(key) - 1
    let isSymmetric = key.extent == Double(last + 1) && 2 * key.origin + key.length == key.extent
    var windows: [Window] = []
    windows.reserveCapacity(key.count)
    for sample in 0..<key.count {
      let mirror = key.count - 1 - sample
      if isSymmetric && mirror < sample {
        let twin = windows[mirror]
        windows.append(
          Window(first: last - (twin.first + twin.weights.count - 1), weights: twin.weights.reversed()))
      } else {
        windows.append(window(key, sample: sample))
      }
    }
    return windows
  }

  /// The windows without the weights at their ends that were rounded to 0. A window still does not begin after the
  /// next one.
  ///
  /// Only for a lift, which adds a sample on each side: nearly all of these are 0. Other windows have few of them.
  private static func trimmed(_ windows: [Window]) -> [Window] {
    var windows = windows
    var next = Int.max
    for index in windows.indices.reversed() {
      let window = windows[index]
      guard let lowest = window.weights.firstIndex(where: { $0 != 0 }),
        let highest = window.weights.lastIndex(where: { $0 != 0 })
      else { continue }
      let start = min(lowest, max(next - window.first, 0))
      next = window.first + start
      if start == 0 && highest == window.weights.count - 1 { continue }
      windows[index] = Window(first: next, weights: Array(window.weights[start...highest]))
    }
    return windows
  }

  private static func window(_ key: Key, sample: Int) -> Window {
    let ratio = key.length / Double(key.count)
    let middle = key.origin + (Double(sample) + 0.5) * key.length / Double(key.count)
    let center = min(max(middle, 0), key.extent)
    if key.kernel == .nearest {
      return Window(first: min(Int(center), sampleCount(key) - 1), weights: [one])
    }
    // The box covers exactly the result sample, be it wider or narrower than a source sample.
    let scale = key.kernel == .box ? ratio : max(ratio, 1)
    // Subtracting a fraction of both neighbours' weights is the same as adding it times 2 - 2 cos w, which is w²
    // for small w.
    let lift = key.kernel == .box ? 0 : key.lift
    let reach = key.kernel.support * scale + (lift == 0 ? 0 : 1)
    let lastSample = sampleCount(key) - 1
    // The box counts the samples that it touches; the other filters weight samples by their centres.
    let margin = key.kernel == .box ? 0 : 0.5
    let first = min(Int(max(center - reach + margin, 0)), lastSample)
    let last = min(max(Int(min(center + reach - margin, key.extent).rounded(.up)) - 1, first), lastSample)
    let exact = (first...last).map { index -> Double in
      let left = Double(index)
      let right = min(left + 1, key.extent)
      if key.kernel == .box { return max(0, min(right, center + reach) - max(left, center - reach)) }
      let distance = (left + right) / 2 - center
      func weight(_ distance: Double) -> Double { key.kernel.weight(at: distance / scale) }
      guard lift != 0 else { return weight(distance) * (right - left) }
      let lifted =
        weight(distance) * (1 + 2 * lift) - lift * (weight(distance - 1) + weight(distance + 1))
      return lifted * (right - left)
    }
    let sum = exact.reduce(0, +)
    // The sum is 0 only for a window that is far narrower than the precision of its own position.
    guard sum > 0 else { return Window(first: first, weights: [one]) }
    var exactTotal = 0.0
    var total = 0
    let weights = exact.map { weight in
      exactTotal += weight
      let rounded = Int((exactTotal / sum * Double(one)).rounded())
      defer { total = rounded }
      return rounded - total
    }
    return Window(first: first, weights: weights)
  }
}

extension FilterTable {
  /// A gallery resizes a hundred pictures of one size in the same way, and the sines of a table cost a tenth of a resize.
  private static let recent = RecentValues<Key, FilterTable>(countLimit: 32, costLimit: 1 << 20)

  /// The table for a key, a recently used one or computed now.
  ///
  /// - Complexity: O(1) for a known one.
  static func cached(_ key: Key) -> FilterTable {
    if let known = recent.value(for: key) { return known }
    let table = FilterTable(key)
    recent.insert(table, for: key, cost: table.byteCount)
    return table
  }
}
