/// Filters columns, four pixels at a time, or eight words of a plane.
///
/// For the unsafe pointers see `HorizontalPass.swift`. Why every index is in bounds: the caller passes
/// `table.pairsPerSample` row offsets, each of a row that has `width` words rounded up to a multiple of four, or a
/// multiple of eight for planes; result rows have as many places (a bitmap's rows are multiples of 16 bytes, four
/// pixels).
struct VerticalPass {
  let table: FilterTable

  /// The number of pixels that are filtered at a time.
  static let block = 4

  /// A width rounded up to whole blocks.
  static func padded(_ width: Int) -> Int { (width + block - 1) / block * block }

  /// Filters one row of the result into pixels.
  ///
  /// - Parameters:
  ///   - rows: the base address of the offsets.
  ///   - offsets: the places of the rows of words that the weights belong to, `table.pairsPerSample` of them.
  ///   - row: the index of the result row.
  ///   - width: the number of pixels in a row.
  ///   - result: receives the pixels, in whole blocks.
  ///   - opacity: `0xFF00_0000` for opaque pictures, otherwise 0.
  func filter(
    _ rows: UnsafePointer<PixelWord>, offsets: [Int], row: Int, width: Int,
    to result: UnsafeMutablePointer<UInt32>, opacity: UInt32
  ) {
    forEachBlock(rows, offsets: offsets, row: row, width: width, rounding: PixelWord.roundingToByte) {
      x, a, b, c, d in
      result[x] = PixelWord.bytes(a, opacity: opacity)
      result[x &+ 1] = PixelWord.bytes(b, opacity: opacity)
      result[x &+ 2] = PixelWord.bytes(c, opacity: opacity)
      result[x &+ 3] = PixelWord.bytes(d, opacity: opacity)
    }
  }

  /// Filters one row of the result into words of neighbouring pixels for the horizontal pass.
  ///
  /// - Parameter result: receives half as many words as `width` rounded up to a whole block.
  func filter(
    _ rows: UnsafePointer<PixelWord>, offsets: [Int], row: Int, width: Int,
    to result: UnsafeMutablePointer<PixelWord>
  ) {
    forEachBlock(rows, offsets: offsets, row: row, width: width, rounding: PixelWord.roundingToWord) {
      x, a, b, c, d in
      result[x / 2] = PixelWord(PixelWord.component(a), PixelWord.component(b))
      result[x / 2 &+ 1] = PixelWord(PixelWord.component(c), PixelWord.component(d))
    }
  }

  /// Filters one row of the result into samples of a plane, where a word is four columns.
  ///
  /// Eight words at a time, because a pair of weights is then loaded once for all; their sums just fit into the
  /// registers of x86-64.
  ///
  /// - Parameters:
  ///   - width: the number of words in a row, a multiple of eight.
  ///   - result: receives four samples for each word.
  func filter(
    _ rows: UnsafePointer<PixelWord>, offsets: [Int], row: Int, width: Int,
    to result: UnsafeMutablePointer<Int16>
  ) {
    let count = table.pairsPerSample
    precondition(offsets.count == count, "one row for each pair of weights")
    precondition(width % 8 == 0, "rows of whole groups")
    let result = UnsafeMutableRawPointer(result)
    @inline(__always)
    func store(_ first: SIMD4<Int32>, _ second: SIMD4<Int32>, _ x: Int) {
      let samples = SIMD8(lowHalf: first, highHalf: second) &>> SIMD8(repeating: 14)
      result.storeBytes(
        of: SIMD8<Int16>(truncatingIfNeeded: samples), toByteOffset: 8 &* x, as: SIMD8<Int16>.self)
    }
    withUnsafeTemporaryAllocation(of: Tap.self, capacity: count) { taps in
      for pair in 0..<count {
        let weights = PixelWord(repeating: table.weights[row &* count &+ pair])
        taps.initializeElement(at: pair, to: Tap(weights: weights, words: rows + offsets[pair]))
      }
      var x = 0
      while x < width {
        var sums = Sums()
        for pair in 0..<count {
          let tap = taps[pair]
          sums.add(tap.words + x, tap.weights)
        }
        store(sums.a, sums.b, x)
        store(sums.c, sums.d, x &+ 2)
        store(sums.e, sums.f, x &+ 4)
        store(sums.g, sums.h, x &+ 6)
        x &+= 8
      }
    }
  }

  /// A row of words and the pair of weights that it is multiplied by.
  ///
  /// In memory, not in variables: a weight that is constant in a loop is widened before it, and then the
  /// multiplication is no longer a single instruction (see `PixelWord`).
  private struct Tap {
    /// The pair in each lane.
    let weights: PixelWord
    let words: UnsafePointer<PixelWord>
  }

  private struct Sums {
    var a = PixelWord.roundingToWord
    var b = PixelWord.roundingToWord
    var c = PixelWord.roundingToWord
    var d = PixelWord.roundingToWord
    var e = PixelWord.roundingToWord
    var f = PixelWord.roundingToWord
    var g = PixelWord.roundingToWord
    var h = PixelWord.roundingToWord

    @inline(__always)
    mutating func add(_ words: UnsafePointer<PixelWord>, _ weights: PixelWord) {
      let pairs = weights.wide
      a = words[0].multiplied(byWide: pairs, addedTo: a)
      b = words[1].multiplied(byWide: pairs, addedTo: b)
      c = words[2].multiplied(byWide: pairs, addedTo: c)
      d = words[3].multiplied(byWide: pairs, addedTo: d)
      e = words[4].multiplied(byWide: pairs, addedTo: e)
      f = words[5].multiplied(byWide: pairs, addedTo: f)
      g = words[6].multiplied(byWide: pairs, addedTo: g)
      h = words[7].multiplied(byWide: pairs, addedTo: h)
    }
  }

  @inline(__always)
  private func forEachBlock(
    _ rows: UnsafePointer<PixelWord>, offsets: [Int], row: Int, width: Int, rounding: SIMD4<Int32>,
    finish: (Int, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>) -> Void
  ) {
    let count = table.pairsPerSample
    precondition(offsets.count == count, "one row for each pair of weights")
    offsets.withUnsafeBufferPointer { offsets in
      table.weights.withUnsafeBufferPointer { weights in
        for x in stride(from: 0, to: width, by: Self.block) {
          var a = rounding
          var b = rounding
          var c = rounding
          var d = rounding
          for pair in 0..<count {
            let weight = weights[row &* count &+ pair]
            let words = rows + (offsets[pair] &+ x)
            a = words[0].multiplied(by: weight, addedTo: a)
            b = words[1].multiplied(by: weight, addedTo: b)
            c = words[2].multiplied(by: weight, addedTo: c)
            d = words[3].multiplied(by: weight, addedTo: d)
          }
          finish(x, a, b, c, d)
        }
      }
    }
  }
}
