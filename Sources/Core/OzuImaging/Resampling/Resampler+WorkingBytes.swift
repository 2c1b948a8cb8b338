import OzuBase

extension Resampler {
  private static let wordByteCount = Double(MemoryLayout<PixelWord>.stride)

  /// The most bytes that `resample(_:region:to:pool:)` takes beside source and result, including the rounding of
  /// the pool.
  ///
  /// The source is in `bgra8`. One in another format is converted, which takes another bitmap of its size.
  ///
  /// - Complexity: O(1).
  func workingByteCount(of source: PixelSize, region: PixelRegion, to size: PixelSize) -> Int {
    if light == .linear { return lightByteCount(of: source, region: region, to: size) }
    let across = FilterDemand(
      extent: Double(source.width), length: region.width, count: size.width, kernel: kernel)
    let down = FilterDemand(
      extent: Double(source.height), length: region.height, count: size.height, kernel: kernel)
    var wordCount = Self.padded(across.count) * down.pairsPerSample + 2 * across.pairCount
    if mayGoDownFirst(across, down) {
      wordCount = max(wordCount, Self.padded(2 * across.pairCount) * (down.pairsPerSample + 0.5))
    }
    return Int(clamping: across.tableByteCount + down.tableByteCount)
      .saturatingSum(Self.blockByteCount(wordCount * Self.wordByteCount))
  }

  /// The same for a picture in planes.
  ///
  /// - Parameters:
  ///   - layout: the layout of the planes.
  ///   - stored: the size of the picture in pixels. Planes may have fewer samples, which need less.
  ///   - region: the part that is shown, in pixels of `stored`.
  func workingByteCount(
    ofPlanes layout: PlaneLayout, in stored: PixelSize, region: PixelRegion, to size: PixelSize
  ) -> Int {
    let count = layout.source == .rows ? 4 : layout.chromaStep == nil ? 1 : 3
    return planesByteCount(
      count: count, width: Double(stored.width), height: Double(stored.height), region: region, to: size)
  }

  /// The memory for bands of the result, and, for each plane, for the rows between its passes.
  private func planesByteCount(
    count: Int, width: Double, height: Double, region: PixelRegion, to size: PixelSize
  ) -> Int {
    let across = FilterDemand(extent: width, length: region.width, count: size.width, kernel: kernel)
    let down = FilterDemand(extent: height, length: region.height, count: size.height, kernel: kernel)
    let rowStride = across.count + 32
    let ringWordCount =
      (down.pairsPerSample + 3) * rowStride / 4 + 2 * across.pairCount + across.count
    let ring = Self.blockByteCount(ringWordCount * Self.wordByteCount)
    let band = Self.blockByteCount(rowStride * Double(Self.bandRows * count) * 2)
    var sum = band.saturatingSum(Int(clamping: Double(count) * (across.tableByteCount + down.tableByteCount)))
    for _ in 0..<count { sum = sum.saturatingSum(ring) }
    return sum
  }

  /// The most bytes of the strips of planes that are in memory at one time (`PlaneStrips`), including the rounding of the pool.
  ///
  /// - Parameters:
  ///   - luma: the eighths of luma; `chroma` those of chroma.
  ///   - layout: that of a decoder that makes strips.
  ///   - stored: the size of the picture in pixels.
  ///   - region: the part that is shown, in pixels of `stored`.
  func stripsByteCount(
    luma: Int, chroma: Int, layout: PlaneLayout, stored: PixelSize, region: PixelRegion, to size: PixelSize
  ) -> Int {
    let pixelRows = Double(layout.stripRows ?? 8)
    // The eighths of each kind of plane, its step, and how many there are.
    var kinds = [(luma, PlaneLayout.ChromaStep(horizontal: 1, vertical: 1), 1.0)]
    if let step = layout.chromaStep { kinds.append((chroma, step, 2)) }
    var window = 0.0
    var sampleCount = 0.0
    for (eighths, step, planes) in kinds {
      let across = Double(eighths) / 8 / Double(step.horizontal)
      let down = Double(eighths) / 8 / Double(step.vertical)
      let demand = FilterDemand(
        extent: Double(stored.height) * down, length: region.height * down, count: size.height, kernel: kernel
      )
      // Planes take turns band by band: one may be a band behind another, and each reads four pairs at a time.
      let bandRows = region.height * down / Double(size.height) * Double(Self.bandRows)
      window = max(window, ((2 * demand.pairsPerSample + 16) * demand.factor + bandRows) / down)
      // Rows have whole groups of at most 4 blocks, and room for a vector.
      sampleCount += planes * ((Double(stored.width) + 32) * across + 16) * pixelRows * down
    }
    let strips = min((window / pixelRows).rounded(.up) + 2, (Double(stored.height) / pixelRows).rounded(.up))
    return Int(clamping: strips * Double(Self.blockByteCount(sampleCount * 2)))
  }

  /// The memory for planes of light: the strips that a window of the filter covers, and the memory for making one.
  private func lightByteCount(of source: PixelSize, region: PixelRegion, to size: PixelSize) -> Int {
    // Pictures without alpha have one channel less.
    let channels = 4
    let step = averagingStep(region: region, to: size)
    let columns = (Double(source.width) / Double(step.columns)).rounded(.up)
    let rows = (Double(source.height) / Double(step.rows)).rounded(.up)
    let means = region.scaled(horizontal: 1 / Double(step.columns), vertical: 1 / Double(step.rows))
    let filters = planesByteCount(
      count: channels, width: Double(source.width) / Double(step.columns),
      height: Double(source.height) / Double(step.rows), region: means, to: size)
    let down = FilterDemand(
      extent: Double(source.height) / Double(step.rows), length: means.height, count: size.height,
      kernel: kernel)
    // Channels take turns band by band: the last one may be a band behind, and each reads four pairs at a time.
    let bandRows = means.height / Double(size.height) * Double(Self.bandRows)
    let windowRows = (2 * down.pairsPerSample + 16) * down.factor + bandRows
    let stripRows = Double(LightRows.stripRows)
    let strips = min((windowRows / stripRows).rounded(.up) + 2, (rows / stripRows).rounded(.up))
    let strip = Self.blockByteCount((columns + 7) * min(rows, stripRows) * 2 * Double(channels))
    let sums = Self.blockByteCount(columns * 4 * Double(channels))
    let making = strips * Double(strip) + Double(sums)
    return filters.saturatingSum(Int(clamping: making))
  }

  /// Whether `ResamplingRun` may filter columns before rows, which needs wider rows in between. It compares exact
  /// numbers; those of `FilterDemand` differ from them by at most three pairs.
  private func mayGoDownFirst(_ across: FilterDemand, _ down: FilterDemand) -> Bool {
    func least(_ pairs: Double) -> Double { max(1, pairs - 3) }
    let acrossFirst =
      2 * down.pairCount * across.count * across.pairsPerSample
      + down.count * across.count * down.pairsPerSample
    let downFirst =
      down.count * 2 * least(across.pairCount) * least(down.pairsPerSample)
      + down.count * across.count * least(across.pairsPerSample)
    return downFirst * 1.25 < acrossFirst
  }

  /// The largest padded width of a row in the passes over pixels.
  private static func padded(_ width: Double) -> Double { width + 16 }

  /// The size of the block that the pool lends for this many bytes.
  static func blockByteCount(_ count: Double) -> Int {
    let bytes = Int(clamping: count)
    return bytes > DecodingLimits.countableByteCount ? bytes : PixelBufferPool.sizeClass(bytes)
  }
}

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
