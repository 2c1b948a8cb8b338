/// Filters along rows.
///
/// This file and `VerticalPass.swift` are the inner loops of the resampler and use unsafe pointers. Why every
/// index is in bounds: a source row has `table.pairs.count` words; `FilterTable` guarantees that each window
/// `starts[x] ..< starts[x] + pairsPerSample` lies in `0 ..< pairs.count`, and that there are
/// `pairsPerSample` weights for each of the `starts.count` samples. Result rows have `starts.count` places.
struct HorizontalPass {
  let table: FilterTable

  /// Filters two rows, one below the other, into words for the vertical pass.
  ///
  /// Two at once, because the weights are then loaded once for both.
  ///
  /// - Parameters:
  ///   - upper: words of neighbouring pixels, `table.pairs.count` of them.
  ///   - lower: as `upper`; it may be the same row.
  ///   - result: `table.starts.count` words of pixels above each other.
  func filter(
    _ upper: UnsafePointer<PixelWord>, _ lower: UnsafePointer<PixelWord>,
    to result: UnsafeMutablePointer<PixelWord>
  ) {
    switch table.pairsPerSample {
    case 2: filter(upper, lower, to: result, Two.self)
    case 3: filter(upper, lower, to: result, Three.self)
    case 4: filter(upper, lower, to: result, Four.self)
    case 5: filter(upper, lower, to: result, Five.self)
    case 6: filter(upper, lower, to: result, Six.self)
    case 7: filter(upper, lower, to: result, Seven.self)
    case 8: filter(upper, lower, to: result, Eight.self)
    default:
      let count = table.pairsPerSample
      table.starts.withUnsafeBufferPointer { starts in
        table.weights.withUnsafeBufferPointer { weights in
          for x in 0..<starts.count {
            var sums = Sums(upper + starts[x], lower + starts[x])
            for pair in 0..<count { sums.add(pair, weights[x &* count &+ pair]) }
            result[x] = sums.word
          }
        }
      }
    }
  }

  /// The same for a number of pairs that is known to the compiler: without a loop over them, and with fewer loads.
  ///
  /// Not inlined, because the optimiser stops inlining vector operations in a function of all numbers.
  @inline(never)
  private func filter<Count: PairCount>(
    _ upper: UnsafePointer<PixelWord>, _ lower: UnsafePointer<PixelWord>,
    to result: UnsafeMutablePointer<PixelWord>, _ count: Count.Type
  ) {
    table.starts.withUnsafeBufferPointer { starts in
      table.weights.withUnsafeBufferPointer { weights in
        for x in 0..<starts.count {
          var sums = Sums(upper + starts[x], lower + starts[x])
          let all = UnsafeRawPointer(weights.baseAddress! + x &* Count.value)
          if Count.value < 4 {
            let weights = all.assumingMemoryBound(to: Int32.self)
            sums.add(0, weights[0])
            sums.add(1, weights[1])
            if Count.value > 2 { sums.add(2, weights[2]) }
          } else {
            // Four at a time; the last four overlap the first.
            let weights = all.loadUnaligned(as: SIMD4<Int32>.self)
            sums.add(0, weights[0])
            sums.add(1, weights[1])
            sums.add(2, weights[2])
            sums.add(3, weights[3])
            let last = all.loadUnaligned(fromByteOffset: 4 &* (Count.value &- 4), as: SIMD4<Int32>.self)
            if Count.value > 7 { sums.add(Count.value &- 4, last[0]) }
            if Count.value > 6 { sums.add(Count.value &- 3, last[1]) }
            if Count.value > 5 { sums.add(Count.value &- 2, last[2]) }
            if Count.value > 4 { sums.add(Count.value &- 1, last[3]) }
          }
          result[x] = sums.word
        }
      }
    }
  }

  /// Filters one row into pixels.
  ///
  /// - Parameters:
  ///   - row: words of neighbouring pixels, `table.pairs.count` of them.
  ///   - result: `table.starts.count` pixels of four bytes.
  ///   - opacity: `0xFF00_0000` for opaque pictures, otherwise 0.
  func filter(
    _ row: UnsafePointer<PixelWord>, to result: UnsafeMutablePointer<UInt32>, opacity: UInt32
  ) {
    let count = table.pairsPerSample
    table.starts.withUnsafeBufferPointer { starts in
      table.weights.withUnsafeBufferPointer { weights in
        for x in 0..<starts.count {
          let start = starts[x]
          let first = x &* count
          var sum = PixelWord.roundingToByte
          for pair in 0..<count {
            sum = row[start &+ pair].multiplied(by: weights[first &+ pair], addedTo: sum)
          }
          result[x] = PixelWord.bytes(sum, opacity: opacity)
        }
      }
    }
  }
}

/// The sums of two rows for a sample of the result.
private struct Sums {
  let upper: UnsafePointer<PixelWord>
  let lower: UnsafePointer<PixelWord>
  var upperSum = PixelWord.roundingToWord
  var lowerSum = PixelWord.roundingToWord

  @inline(__always)
  init(_ upper: UnsafePointer<PixelWord>, _ lower: UnsafePointer<PixelWord>) {
    self.upper = upper
    self.lower = lower
  }

  @inline(__always)
  mutating func add(_ pair: Int, _ weights: Int32) {
    let weight = PixelWord(repeating: weights).wide
    upperSum = upper[pair].multiplied(byWide: weight, addedTo: upperSum)
    lowerSum = lower[pair].multiplied(byWide: weight, addedTo: lowerSum)
  }

  @inline(__always)
  var word: PixelWord { PixelWord(PixelWord.component(upperSum), PixelWord.component(lowerSum)) }
}

/// A number of pairs for which there is a loop without branches.
private protocol PairCount {
  static var value: Int { get }
}

private enum Two: PairCount { static var value: Int { 2 } }
private enum Three: PairCount { static var value: Int { 3 } }
private enum Four: PairCount { static var value: Int { 4 } }
private enum Five: PairCount { static var value: Int { 5 } }
private enum Six: PairCount { static var value: Int { 6 } }
private enum Seven: PairCount { static var value: Int { 7 } }
private enum Eight: PairCount { static var value: Int { 8 } }
