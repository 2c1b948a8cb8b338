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
