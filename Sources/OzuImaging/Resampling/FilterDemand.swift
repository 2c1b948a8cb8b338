/// What a filter along one axis needs at most, worked out from its numbers alone: no weight is computed.
///
/// All sums are in floating point, since sides that nobody has checked yet go in; they become integers at the end.
struct FilterDemand {
  /// The pairs of samples that make one of the result.
  let pairsPerSample: Double
  /// The pairs that the result looks at.
  let pairCount: Double
  /// The samples that come out.
  let count: Double
  /// How many samples are averaged into one before the filter.
  let factor: Double

  /// - Parameters:
  ///   - extent: how far the source reaches, in samples.
  ///   - length: the part that is shown.
  ///   - count: the samples that come out.
  init(extent: Double, length: Double, count: Int, kernel: ResamplingKernel) {
    self.count = Double(count)
    let taps = min(2 * kernel.support * length / self.count, extent)
    factor = max(1, (taps / ResamplingAxis.tapLimit).rounded(.up))
    let ratio = length / factor / self.count
    // A lift looks one sample further.
    let reach = kernel.support * (kernel == .box ? ratio : max(ratio, 1)) + 1
    let samples = (extent / factor).rounded(.up)
    let available = ((samples + 1) / 2).rounded(.down)
    pairsPerSample = min(((2 * reach).rounded(.up) / 2 + 2).rounded(.up), available)
    pairCount = min((length / factor / 2 + reach + 3).rounded(.up), available)
  }

  /// The bytes of the table, and of the windows that it is made of.
  var tableByteCount: Double { count * (80 + 20 * pairsPerSample) }
}
