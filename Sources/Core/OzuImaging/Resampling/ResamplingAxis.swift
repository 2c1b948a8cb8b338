/// The work along one axis of a resize: choosing rows or columns, or a filter. If the filter would have too many
/// taps for its weights, a reduction by a whole factor comes first.
struct ResamplingAxis: Sendable {
  /// The number of taps beyond which 14-bit weights lose precision: the mean weight of 256 taps is 64 units.
  static let tapLimit = 256.0

  /// How many source samples are averaged into one before the filter.
  let factor: Int
  /// The filter; `nil` where samples are copied.
  let table: FilterTable?
  /// The first sample that is copied.
  let offset: Int
  /// The number of samples in the result.
  let count: Int

  /// Plans an axis of `extent` samples, of which the range of `length` from `origin` becomes `count` samples.
  init(extent: Int, origin: Double, length: Double, count: Int, kernel: ResamplingKernel) {
    self.count = count
    if length == Double(count), let first = Int(exactly: origin), first >= 0, first <= extent - count {
      factor = 1
      table = nil
      offset = first
      return
    }
    let filter = Self.filtering(
      extent: Double(extent), origin: origin, length: length, count: count, kernel: kernel)
    factor = filter.factor
    table = filter.table
    offset = 0
  }

  /// The filter of an axis, even if copying would be enough, and the reduction before it.
  ///
  /// - Parameters:
  ///   - extent: the length of the source; it may end in the middle of its last sample.
  ///   - lift: how much fine detail is strengthened (see `FilterTable.Key`).
  static func filtering(
    extent: Double, origin: Double, length: Double, count: Int, kernel: ResamplingKernel,
    lift: Double = 0
  ) -> (factor: Int, table: FilterTable) {
    // Not more than there are: a filter may extend beyond the bitmap on both sides.
    let taps = min(2 * kernel.support * length / Double(count), extent)
    let factor = max(1, Int((taps / tapLimit).rounded(.up)))
    let scale = 1 / Double(factor)
    // Mitchell's filter softens a picture even if its size does not change. Bitmaps are copied in that case, and
    // planes should give the same result.
    let keepsSize = length == Double(count) && origin == origin.rounded()
    let kernel = kernel == .mitchell && keepsSize ? .bilinear : kernel
    let table = FilterTable.cached(
      FilterTable.Key(
        // Divided, not multiplied by the reciprocal: 31,242 samples in blocks of 123 are exactly 254.
        extent: extent / Double(factor),
        origin: origin * scale, length: length * scale, count: count, kernel: kernel,
        // After further averaging, the detail that the lift is for is gone.
        lift: factor == 1 ? lift : 0))
    return (factor, table)
  }

  /// The number of samples, after the reduction, that the filter reads.
  var sampleCount: Int { table.map { 2 * $0.pairs.count } ?? count }

  /// The number of pairs of samples for one of the result; 0 if samples are copied.
  var pairsPerSample: Int { table?.pairsPerSample ?? 0 }
}
