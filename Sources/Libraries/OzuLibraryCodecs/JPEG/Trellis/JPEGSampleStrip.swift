import CCodecs

/// The samples of one row of groups of blocks: brightness and the two differences of colour, converted and reduced as libjpeg
/// does it, to the bit.
struct JPEGSampleStrip {
  let width: Int
  let height: Int
  let componentCount: Int
  /// How many pixels a sample of colour covers on each side.
  private let chromaWidth: Int
  private let chromaHeight: Int
  /// Samples in a row, whole groups of blocks.
  private let stride: Int
  /// Brightness and the differences of blue and red, for every pixel. Grey has no differences.
  private var luma: [UInt8]
  private var blue: [UInt8]
  private var red: [UInt8]
  /// The differences, reduced; empty if they are kept at full size.
  private var reducedBlue: [UInt8]
  private var reducedRed: [UInt8]

  init(width: Int, height: Int, parameters: OzuJPEGParameters) {
    (self.width, self.height) = (width, height)
    let chroma = parameters.is_gray ? .full : parameters.chroma
    chromaWidth = chroma == .full ? 1 : 2
    chromaHeight = chroma == .quarter ? 2 : 1
    componentCount = parameters.is_gray ? 1 : 3
    let groupWidth = 8 * chromaWidth
    stride = (width + groupWidth - 1) / groupWidth * groupWidth
    luma = [UInt8](repeating: 0, count: stride * 8 * chromaHeight)
    blue = componentCount > 1 ? luma : []
    red = blue
    reducedBlue = [UInt8](repeating: 0, count: chromaWidth > 1 ? stride / 2 * 8 : 0)
    reducedRed = reducedBlue
  }

  /// How many strips the picture has.
  var count: Int { (height + rowCount - 1) / rowCount }

  /// How many rows of blocks of a component are in a strip.
  func blockRowCount(_ component: Int) -> Int { component == 0 ? chromaHeight : 1 }

  /// Rows of pixels in a strip.
  private var rowCount: Int { 8 * chromaHeight }

  /// Fills the strip from rows of premultiplied BGRA, blended over white. Beyond the edges the last samples are repeated.
  ///
  /// Unsafe pointer: `height` rows of `width` pixels, `bytesPerRow` apart.
  mutating func fill(_ number: Int, from pixels: UnsafeRawPointer, bytesPerRow: Int, isOpaque: Bool) {
    let first = number * rowCount
    let present = min(rowCount, height - first)
    for row in 0..<present {
      convert(pixels + (first + row) * bytesPerRow, row * stride, isOpaque)
    }
    repeatLastRow(of: &luma, present, stride)
    guard componentCount > 1 else { return }
    guard chromaWidth > 1 else {
      repeatLastRow(of: &blue, present, stride)
      repeatLastRow(of: &red, present, stride)
      return
    }
    // An odd last row is its own neighbour; below are copies of the last reduced row.
    let reducedCount = (present + chromaHeight - 1) / chromaHeight
    for row in 0..<reducedCount {
      let (upper, lower) = (row * chromaHeight, min((row + 1) * chromaHeight, present) - 1)
      reduce(blue, upper, lower, into: &reducedBlue, row)
      reduce(red, upper, lower, into: &reducedRed, row)
    }
    repeatLastRow(of: &reducedBlue, reducedCount, stride / 2)
    repeatLastRow(of: &reducedRed, reducedCount, stride / 2)
  }

  /// Transforms a row of blocks of a component.
  ///
  /// - Parameter step: the quantization step of the mean, to let white overshoot; nil for coefficients equal to libjpeg's.
  ///
  /// Unsafe pointer: `count` blocks of 64 coefficients.
  func transform(
    _ component: Int, blockRow: Int, overshoot step: UInt16?, into blocks: UnsafeMutablePointer<Int16>,
    count: Int
  ) {
    let isReduced = component > 0 && chromaWidth > 1
    let samples =
      component == 0 ? luma : component == 1 ? isReduced ? reducedBlue : blue : isReduced ? reducedRed : red
    let stride = isReduced ? stride / 2 : stride
    precondition(count * 8 <= stride && (blockRow + 1) * 8 * stride <= samples.count)
    samples.withUnsafeBytes { samples in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 64) { block in
        guard let start = samples.baseAddress, let block = block.baseAddress else { return }
        let target = UnsafeMutableRawPointer(block)
        for x in 0..<count {
          for y in 0..<8 {
            let row = start + ((blockRow &* 8 &+ y) &* stride &+ x &* 8)
            let centered = SIMD8<Int32>(truncatingIfNeeded: row.loadUnaligned(as: SIMD8<UInt8>.self)) &- 128
            target.storeBytes(of: centered, toByteOffset: y &* 32, as: SIMD8<Int32>.self)
          }
          if let step { JPEGOvershoot.apply(to: block, step: Int32(step)) }
          JPEGForwardTransform.transform(block, into: blocks + x &* 64)
        }
      }
    }
  }

  /// Converts a row of pixels by ITU-T T.871, with 16 bits after the point.
  private mutating func convert(_ row: UnsafeRawPointer, _ offset: Int, _ isOpaque: Bool) {
    let (hasColor, width) = (componentCount > 1, width)
    let half: Int32 = 1 << 15
    let center = (128 << 16) + half - 1
    luma.withUnsafeMutableBufferPointer { luma in
      blue.withUnsafeMutableBufferPointer { blue in
        red.withUnsafeMutableBufferPointer { red in
          for x in 0..<width {
            let pixel = UInt32(littleEndian: row.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self))
            // The colours are premultiplied: blending over white adds 255 - alpha to each of them.
            let white = isOpaque ? 0 : 255 &- Int32(pixel >> 24)
            let r = min(255, Int32(pixel >> 16 & 255) &+ white)
            let g = min(255, Int32(pixel >> 8 & 255) &+ white)
            let b = min(255, Int32(pixel & 255) &+ white)
            let y = 19595 &* r &+ 38470 &* g &+ 7471 &* b
            luma[offset &+ x] = UInt8(truncatingIfNeeded: (y &+ half) >> 16)
            guard hasColor else { continue }
            let u = half &* b &- 11059 &* r &- 21709 &* g
            let v = half &* r &- 27439 &* g &- 5329 &* b
            blue[offset &+ x] = UInt8(truncatingIfNeeded: (u &+ center) >> 16)
            red[offset &+ x] = UInt8(truncatingIfNeeded: (v &+ center) >> 16)
          }
          for x in width..<stride {
            luma[offset + x] = luma[offset + width - 1]
            guard hasColor else { continue }
            blue[offset + x] = blue[offset + width - 1]
            red[offset + x] = red[offset + width - 1]
          }
        }
      }
    }
  }

  /// Means of two or four samples; halves and quarters are rounded down and up in turn.
  private func reduce(_ samples: [UInt8], _ upper: Int, _ lower: Int, into reduced: inout [UInt8], _ row: Int)
  {
    let (count, isPair) = (stride / 2, chromaHeight == 1)
    samples.withUnsafeBufferPointer { samples in
      reduced.withUnsafeMutableBufferPointer { reduced in
        for x in 0..<count {
          let (top, bottom) = (upper &* stride &+ 2 &* x, lower &* stride &+ 2 &* x)
          let bias = Int32(x & 1)
          let pair = Int32(samples[top]) &+ Int32(samples[top &+ 1])
          let other = Int32(samples[bottom]) &+ Int32(samples[bottom &+ 1])
          let mean = isPair ? (pair &+ bias) >> 1 : (pair &+ other &+ 1 &+ bias) >> 2
          reduced[row &* count &+ x] = UInt8(truncatingIfNeeded: mean)
        }
      }
    }
  }

  /// Copies the last of the present rows to those below it.
  private func repeatLastRow(of samples: inout [UInt8], _ present: Int, _ stride: Int) {
    for index in present * stride..<max(present * stride, samples.count) {
      samples[index] = samples[index - stride]
    }
  }
}

/// The forward DCT of 8 x 8 samples: libjpeg's accurate method in integers (Loeffler, Ligtenberg and Moschytz, "Practical
/// fast 1-D DCT algorithms with 11 multiplications", 1989), equal to the bit. Coefficients are 8 times those of the
/// standard, which keeps three bits more than the rounded ones.
enum JPEGForwardTransform {
  private typealias Vector = SIMD8<Int32>
  private typealias Vectors = (Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector)

  /// Bits after the point of the constants, and of the first results.
  private static let constantBits: Int32 = 13
  private static let passBits: Int32 = 2

  /// Transforms rows of samples, which are around zero, to rows of frequencies.
  ///
  /// Unsafe pointers: there are 64 of each.
  static func transform(_ samples: UnsafeMutablePointer<Int32>, into block: UnsafeMutablePointer<Int16>) {
    let rows = pass(transposed(samples), evenShift: -passBits, shift: constantBits - passBits)
    UnsafeMutableRawPointer(samples).storeBytes(of: rows, as: Vectors.self)
    let result = pass(transposed(samples), evenShift: passBits, shift: constantBits + passBits)
    func narrow(_ row: Vector) -> SIMD8<Int16> { SIMD8(truncatingIfNeeded: row) }
    let narrowed = (
      narrow(result.0), narrow(result.1), narrow(result.2), narrow(result.3), narrow(result.4),
      narrow(result.5),
      narrow(result.6), narrow(result.7)
    )
    UnsafeMutableRawPointer(block).storeBytes(of: narrowed, as: type(of: narrowed))
  }

  private static func transposed(_ v: UnsafePointer<Int32>) -> Vectors {
    func column(_ x: Int) -> Vector {
      Vector(v[x], v[8 &+ x], v[16 &+ x], v[24 &+ x], v[32 &+ x], v[40 &+ x], v[48 &+ x], v[56 &+ x])
    }
    return (column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7))
  }

  /// One direction. Sums without a multiplication are shifted by `evenShift`, to the left if it is negative.
  @inline(__always)
  private static func pass(_ v: Vectors, evenShift: Int32, shift: Int32) -> Vectors {
    func descaled(_ value: Vector, _ shift: Int32) -> Vector {
      shift < 0
        ? value &<< Vector(repeating: -shift)
        : (value &+ Vector(repeating: 1 &<< (shift &- 1))) &>> Vector(repeating: shift)
    }
    let (sum0, sum1, sum2, sum3) = (v.0 &+ v.7, v.1 &+ v.6, v.2 &+ v.5, v.3 &+ v.4)
    let (odd3, odd2, odd1, odd0) = (v.0 &- v.7, v.1 &- v.6, v.2 &- v.5, v.3 &- v.4)
    let (outer, inner) = (sum0 &+ sum3, sum1 &+ sum2)
    let (outerTurn, innerTurn) = (sum0 &- sum3, sum1 &- sum2)
    let turn = (innerTurn &+ outerTurn) &* 4433
    let common = (odd0 &+ odd2 &+ odd1 &+ odd3) &* 9633
    let z1 = (odd0 &+ odd3) &* -7373
    let z2 = (odd1 &+ odd2) &* -20995
    let z3 = (odd0 &+ odd2) &* -16069 &+ common
    let z4 = (odd1 &+ odd3) &* -3196 &+ common
    return (
      descaled(outer &+ inner, evenShift),
      descaled(odd3 &* 12299 &+ z1 &+ z4, shift),
      descaled(turn &+ outerTurn &* 6270, shift),
      descaled(odd2 &* 25172 &+ z2 &+ z3, shift),
      descaled(outer &- inner, evenShift),
      descaled(odd1 &* 16819 &+ z2 &+ z4, shift),
      descaled(turn &- innerTurn &* 15137, shift),
      descaled(odd0 &* 2446 &+ z1 &+ z3, shift)
    )
  }
}

/// Lets white areas of a block be more than white where they meet an edge. A decoder cuts such values off, and the
/// edge needs fewer coefficients: text on white gets less noise around it (Lesiński, "Overshoot deringing", as in mozjpeg).
enum JPEGOvershoot {
  private static let white: Int32 = 127
  private static let limit: Int32 = 31

  /// Changes samples around zero in a block that is partly white.
  ///
  /// Runs of white samples along the zigzag, which passes through a block as edges do, become curves that continue the
  /// slopes of their ends.
  ///
  /// - Parameter step: the quantization step of the mean: larger values could not be written apart.
  ///
  /// Unsafe pointer: 64 samples.
  static func apply(to samples: UnsafeMutablePointer<Int32>, step: Int32) {
    var (count, sum): (Int32, Int32) = (0, 0)
    for k in 0..<64 {
      sum &+= samples[k]
      count &+= samples[k] >= white ? 1 : 0
    }
    guard count > 0, count < 64 else { return }
    // The mean must stay in its range.
    let top = white + min(min(limit, 2 * step), (white * 64 - sum) / count)
    var start = 0
    while start < 64 {
      if samples[JPEGZigzag.order[start]] < white {
        start += 1
        continue
      }
      var end = start + 1
      while end < 64, samples[JPEGZigzag.order[end]] >= white { end += 1 }
      raise(samples, start..<end, top)
      start = end + 1
    }
  }

  private static func raise(_ samples: UnsafeMutablePointer<Int32>, _ run: Range<Int>, _ top: Int32) {
    func sample(_ place: Int) -> Float { Float(samples[JPEGZigzag.order[min(max(place, 0), 63)]]) }
    let (before, after) = (sample(run.lowerBound - 1), sample(run.upperBound))
    var rise = max(before - sample(run.lowerBound - 2), Float(white) - before)
    var fall = max(after - sample(run.upperBound + 1), Float(white) - after)
    if run.lowerBound == 0 { rise = fall }
    if run.upperBound == 64 { fall = rise }
    let length = Float(run.count)
    for place in run {
      // A cubic curve from white to white with these slopes.
      let t = Float(place - run.lowerBound + 1) / (length + 1)
      let value = Float(white) + length * t * (1 - t) * (rise * (1 - t) + fall * t)
      samples[JPEGZigzag.order[place]] = min(Int32(value.rounded(.up)), top)
    }
  }
}
