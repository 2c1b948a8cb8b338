/// Filters columns, four pixels at a time.
///
/// For the unsafe pointers see `HorizontalPass.swift`. Why every index is in bounds: the caller passes
/// `table.pairsPerSample` row offsets, each of a row that has `width` words rounded up to a multiple of four;
/// result rows have as many places (a bitmap's rows are multiples of 16 bytes, four pixels).
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
  /// - Parameter result: receives four samples for each word, `width` words rounded up to a whole block.
  func filter(
    _ rows: UnsafePointer<PixelWord>, offsets: [Int], row: Int, width: Int,
    to result: UnsafeMutablePointer<Int16>
  ) {
    let result = UnsafeMutableRawPointer(result)
    @inline(__always)
    func store(_ sum: SIMD4<Int32>, _ x: Int) {
      result.storeBytes(
        of: SIMD4<Int16>(truncatingIfNeeded: PixelWord.component(sum)), toByteOffset: 8 &* x,
        as: SIMD4<Int16>.self)
    }
    forEachBlock(rows, offsets: offsets, row: row, width: width, rounding: PixelWord.roundingToWord) {
      x, a, b, c, d in
      store(a, x)
      store(b, x &+ 1)
      store(c, x &+ 2)
      store(d, x &+ 3)
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
