/// An upper bound of the memory that a filter along one axis needs, computed from the sizes alone, without any
/// weight.
///
/// All sums are in floating point, because the sides are not checked yet; they become integers at the end.
struct FilterDemand {
  /// The number of pairs of samples for one sample of the result.
  let pairsPerSample: Double
  /// The number of pairs that the filter reads.
  let pairCount: Double
  /// The number of samples in the result.
  let count: Double
  /// How many samples are averaged into one before the filter.
  let factor: Double

  /// - Parameters:
  ///   - extent: the length of the source, in samples.
  ///   - length: the part that is shown.
  ///   - count: the number of samples in the result.
  init(extent: Double, length: Double, count: Int, kernel: ResamplingKernel) {
    self.count = Double(count)
    let taps = min(2 * kernel.support * length / self.count, extent)
    factor = max(1, (taps / ResamplingAxis.tapLimit).rounded(.up))
    let ratio = length / factor / self.count
    // A lift reads one more sample on each side.
    let reach = kernel.support * (kernel == .box ? ratio : max(ratio, 1)) + 1
    let samples = (extent / factor).rounded(.up)
    let available = ((samples + 1) / 2).rounded(.down)
    pairsPerSample = min(((2 * reach).rounded(.up) / 2 + 2).rounded(.up), available)
    pairCount = min((length / factor / 2 + reach + 3).rounded(.up), available)
  }

  /// The bytes of the table, and of the windows from which it is made.
  var tableByteCount: Double { count * (80 + 20 * pairsPerSample) }
}
