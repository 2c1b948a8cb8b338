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

  /// Turns rows of blocks into samples, which are counted from the component's first sample on.
  func transform(_ index: Int, _ rows: Range<Int>, _ dequantization: Dequantization) {
    for row in rows { transform(index, row: row, dequantization).transform(scale: scales[index]) }
  }

  /// The same for rows of a progressive file.
  private func transform(_ index: Int, _ rows: Range<Int>, missing bits: [Int]) {
    let own = components[index].dequantization
    // Only the transforms of squares above 2 multiply, and without estimates for missing bits.
    guard components[index].estimate(bits) || scales[index] == 2 else { return transform(index, rows, own) }
    let units = Dequantization()
    defer { units.free() }
    for row in rows {
      transform(index, row: row, own).multiply(scale: scales[index])
      transform(index, row: row, units).transform(scale: scales[index])
    }
  }

  private func transform(_ index: Int, row: Int, _ dequantization: Dequantization) -> ReducedIDCT {
    let component = components[index]
    return ReducedIDCT(
      samples: component.samples! + row * component.scale * component.stride, stride: component.stride,
      blockCount: component.blockCount.width, dequantization: dequantization)
  }
}
