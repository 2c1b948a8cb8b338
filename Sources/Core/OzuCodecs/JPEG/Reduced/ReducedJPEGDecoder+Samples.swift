/// The samples of coefficients.
extension ReducedJPEGDecoder {
  /// Turns coefficients of the whole planes of a progressive file into samples.
  mutating func transform() {
    for index in planes.indices {
      if passes.isWhole(index) { components[index].flattenMeans() }
      let rows = 0..<frame.groupRows * frame.components[index].verticalBlocks
      for (rows, bits) in passes.missingBits(of: index, in: rows) { transform(index, rows, missing: bits) }
    }
  }

  /// Turns coefficients of some rows of blocks into samples.
  private func transform(_ index: Int, _ rows: Range<Int>, missing bits: [Int]) {
    // Only the transforms of squares above 2 multiply, and without estimates for missing bits.
    let component = components[index]
    guard component.estimate(bits) || component.scale == 2 else { return component.transform(rows) }
    let units = Dequantization()
    defer { units.free() }
    for row in rows {
      component.transform(row, component.dequantization).multiply(scale: component.scale)
      component.transform(row, units).transform(scale: component.scale)
    }
  }
}

extension ReducedComponent {
  /// Turns rows of blocks into samples, which are counted from the component's first sample on.
  func transform(_ rows: Range<Int>) {
    for row in rows { transform(row, dequantization).transform(scale: scale) }
  }

  fileprivate func transform(_ row: Int, _ dequantization: Dequantization) -> ReducedIDCT {
    ReducedIDCT(
      samples: samples! + row * scale * stride, stride: stride, blockCount: blockCount.width,
      dequantization: dequantization)
  }
}
