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
            var sums = Sums(upper + starts[x], lower + starts[x], weights.baseAddress! + x &* count)
            for pair in 0..<count { sums.add(pair) }
            result[x] = sums.word
          }
        }
      }
    }
  }

  /// The same for a number of pairs that is known to the compiler.
  @inline(never)
  private func filter<Count: PairCount>(
    _ upper: UnsafePointer<PixelWord>, _ lower: UnsafePointer<PixelWord>,
    to result: UnsafeMutablePointer<PixelWord>, _ count: Count.Type
  ) {
    table.starts.withUnsafeBufferPointer { starts in
      table.weights.withUnsafeBufferPointer { weights in
        for x in 0..<starts.count {
          var sums = Sums(upper + starts[x], lower + starts[x], weights.baseAddress! + x &* Count.value)
          sums.add(0)
          sums.add(1)
          if Count.value > 2 { sums.add(2) }
          if Count.value > 3 { sums.add(3) }
          if Count.value > 4 { sums.add(4) }
          if Count.value > 5 { sums.add(5) }
          if Count.value > 6 { sums.add(6) }
          if Count.value > 7 { sums.add(7) }
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
  let weights: UnsafePointer<Int32>
  var upperSum = PixelWord.roundingToWord
  var lowerSum = PixelWord.roundingToWord

  @inline(__always)
  init(
    _ upper: UnsafePointer<PixelWord>, _ lower: UnsafePointer<PixelWord>, _ weights: UnsafePointer<Int32>
  ) {
    self.upper = upper
    self.lower = lower
    self.weights = weights
  }

  @inline(__always)
  mutating func add(_ pair: Int) {
    let weight = PixelWord(repeating: weights[pair]).wide
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
