/// An axis with its weights in floating point: result `j` is the sum of `weights[j * taps ..< (j + 1) * taps]`
/// times the samples from `starts[j]` on.
struct WideAxis {
  let factor: Int
  let taps: Int
  let starts: [Int]
  let weights: [Float]
  /// The length of the source in samples, after averaging by the factor.
  let extent: Int

  /// - Parameters:
  ///   - step: how many samples are averaged into one before the filter.
  ///   - lift: the loss of detail that the filter then compensates for.
  init(
    extent: Int, origin: Double, length: Double, count: Int, kernel: ResamplingKernel, step: Int, lift: Double
  ) {
    let table: FilterTable
    if step > 1 {
      let part = 1 / Double(step)
      let filter = ResamplingAxis.filtering(
        extent: Double(extent) / Double(step), origin: origin * part, length: length * part, count: count,
        kernel: kernel, lift: lift)
      (factor, table) = (step * filter.factor, filter.table)
    } else {
      let axis = ResamplingAxis(extent: extent, origin: origin, length: length, count: count, kernel: kernel)
      guard let own = axis.table else {
        (factor, taps, starts) = (1, 1, (0..<count).map { axis.offset + $0 })
        (weights, self.extent) = ([Float](repeating: 1, count: count), extent)
        return
      }
      (factor, table) = (axis.factor, own)
    }
    self.extent = (extent + factor - 1) / factor
    taps = table.pairsPerSample * 2
    starts = table.starts.map { 2 * ($0 + table.pairs.lowerBound) }
    let unit = 1 / Float(FilterTable.one)
    weights = table.weights.flatMap { word -> [Float] in
      let bits = UInt32(bitPattern: word)
      return [
        Float(Int16(truncatingIfNeeded: bits)) * unit, Float(Int16(truncatingIfNeeded: bits >> 16)) * unit,
      ]
    }
  }
}

/// One resize of 16-bit pixels.
///
/// Unsafe pointers. Why every index is in bounds: the first row of scratch memory has a place for each sample of
/// the source, and for each tap beyond its end, which has weight 0; the ring has a row for each tap of the vertical
/// filter, and a window has the same number of rows and never moves back.
struct WideRun {
  let bitmap: Bitmap
  let horizontal: WideAxis
  let vertical: WideAxis
  let curve: LightCurve?
  let pool: PixelBufferPool

  private static let rowsPerCheckpoint = 32

  func execute<Failure: Error>(
    to target: UnsafeMutableRawBufferPointer, bytesPerRow: Int, checkpoint: () throws(Failure) -> Void
  ) throws(Failure) {
    let width = horizontal.starts.count
    let lineCount = max(bitmap.size.width, horizontal.extent) + horizontal.taps
    let block = pool.takeBlock(
      byteCount: (2 * lineCount + width * (vertical.taps + 1)) * MemoryLayout<SIMD4<Float>>.stride)
    defer { pool.giveBack(block) }
    let line = block.bindMemory(to: SIMD4<Float>.self).baseAddress!
    line.initialize(repeating: .zero, count: 2 * lineCount + width * (vertical.taps + 1))
    let sum = line + lineCount
    let ring = sum + lineCount
    let result = ring + width * vertical.taps
    try bitmap.withUnsafeBytes { (source) throws(Failure) in
      var next = 0
      for (y, start) in vertical.starts.enumerated() {
        if y % Self.rowsPerCheckpoint == 0 { try checkpoint() }
        for row in max(next, start)..<max(next, start + vertical.taps) {
          // Rows after the last have weight 0.
          guard row < vertical.extent else { continue }
          if row % Self.rowsPerCheckpoint == 0 { try checkpoint() }
          read(row, of: source, to: line, sum)
          filter(line, to: ring + row % vertical.taps * width)
        }
        next = max(next, start + vertical.taps)
        combine(ring, row: y, start: start, to: result)
        let pixels = (target.baseAddress! + y * bytesPerRow).assumingMemoryBound(to: SIMD4<UInt16>.self)
        for x in 0..<width { pixels[x] = word(result[x]) }
      }
    }
  }

  /// Reads a row, or the mean of `factor` rows, averaged across too.
  private func read(
    _ row: Int, of source: UnsafeRawBufferPointer, to line: UnsafeMutablePointer<SIMD4<Float>>,
    _ sum: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    let rows = row * vertical.factor..<min((row + 1) * vertical.factor, bitmap.size.height)
    if rows.count == 1, horizontal.factor == 1 {
      readRow(rows.lowerBound, of: source) { line[$0] = $1 }
      return
    }
    if curve == nil, horizontal.factor * vertical.factor <= Self.mostWords {
      // The same memory for the integer sums, which have the same size; a run uses only one kind.
      let words = UnsafeMutableRawPointer(sum).bindMemory(to: WordSums.self, capacity: horizontal.extent)
      return average(rows, of: source, to: line, words)
    }
    for x in 0..<bitmap.size.width { sum[x] = .zero }
    for row in rows { readRow(row, of: source) { sum[$0] += $1 } }
    for x in 0..<horizontal.extent {
      let columns = x * horizontal.factor..<min((x + 1) * horizontal.factor, bitmap.size.width)
      var total = SIMD4<Float>.zero
      for column in columns { total += sum[column] }
      line[x] = total / Float(rows.count * columns.count)
    }
  }

  /// The number of 16-bit words whose sum fits into 32 bits.
  private static let mostWords = 1 << 16

  /// The means of blocks, with integer sums.
  private func average(
    _ rows: Range<Int>, of source: UnsafeRawBufferPointer, to line: UnsafeMutablePointer<SIMD4<Float>>,
    _ sum: UnsafeMutablePointer<WordSums>
  ) {
    let (step, width) = (horizontal.factor, bitmap.size.width)
    let whole = width / step
    for (index, row) in rows.enumerated() {
      let pixels = (source.baseAddress! + row * bitmap.bytesPerRow).assumingMemoryBound(to: UInt64.self)
      for x in 0..<horizontal.extent {
        let first = x &* step
        var total = index == 0 ? WordSums() : sum[x]
        for column in first..<(x < whole ? first &+ step : width) { total.add(pixels[column]) }
        sum[x] = total
      }
    }
    let share = 1 / Float(rows.count * step)
    for x in 0..<whole { line[x] = sum[x].numbers * share }
    // The last block at the right is smaller.
    if whole < horizontal.extent {
      line[whole] = sum[whole].numbers / Float(rows.count * (width - whole * step))
    }
  }

  /// The sums of the four words of pixels, each in 32 bits, two in an integer: at most `mostWords` are added.
  private struct WordSums {
    private var even: UInt64 = 0
    private var odd: UInt64 = 0

    @inline(__always)
    mutating func add(_ pixel: UInt64) {
      even &+= pixel & 0x0000_FFFF_0000_FFFF
      odd &+= pixel &>> 16 & 0x0000_FFFF_0000_FFFF
    }

    /// The sums as numbers, in the order of the words: the lowest is first on a little-endian machine.
    @inline(__always)
    var numbers: SIMD4<Float> {
      SIMD4(
        Float(UInt32(truncatingIfNeeded: even)), Float(UInt32(truncatingIfNeeded: odd)),
        Float(UInt32(truncatingIfNeeded: even &>> 32)), Float(UInt32(truncatingIfNeeded: odd &>> 32)))
    }
  }

  @inline(__always)
  private func readRow(_ row: Int, of source: UnsafeRawBufferPointer, _ take: (Int, SIMD4<Float>) -> Void) {
    let pixels = (source.baseAddress! + row * bitmap.bytesPerRow).assumingMemoryBound(to: SIMD4<UInt16>.self)
    guard let curve else {
      for x in 0..<bitmap.size.width { take(x, SIMD4<Float>(pixels[x])) }
      return
    }
    for x in 0..<bitmap.size.width { take(x, curve.light(pixels[x])) }
  }

  private func filter(_ line: UnsafePointer<SIMD4<Float>>, to row: UnsafeMutablePointer<SIMD4<Float>>) {
    let taps = horizontal.taps
    horizontal.weights.withUnsafeBufferPointer { weights in
      horizontal.starts.withUnsafeBufferPointer { starts in
        for x in 0..<starts.count {
          let samples = line + starts[x]
          var total = SIMD4<Float>.zero
          for tap in 0..<taps { total += samples[tap] * weights[x &* taps &+ tap] }
          row[x] = total
        }
      }
    }
  }

  private func combine(
    _ ring: UnsafePointer<SIMD4<Float>>, row: Int, start: Int, to result: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    let (taps, width) = (vertical.taps, horizontal.starts.count)
    result.update(repeating: .zero, count: width)
    for tap in 0..<taps {
      let weight = vertical.weights[row * taps + tap]
      guard weight != 0 else { continue }
      let samples = ring + (start + tap) % taps * width
      for x in 0..<width { result[x] += samples[x] * weight }
    }
  }

  /// A pixel of the result: colours limited to alpha, and opaque if the source is.
  @inline(__always)
  private func word(_ sample: SIMD4<Float>) -> SIMD4<UInt16> {
    var sample = curve.map { $0.value(sample) } ?? sample
    if bitmap.isOpaque { sample.w = 65_535 }
    let alpha = max(0, min(sample.w, 65_535))
    return SIMD4<UInt16>(truncatingIfNeeded: sample.limited(to: SIMD4(repeating: alpha)).words)
  }
}
