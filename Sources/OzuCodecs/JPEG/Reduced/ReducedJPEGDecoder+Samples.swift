/// The samples of coefficients.
extension ReducedJPEGDecoder {
  /// Turns coefficients of whole planes into samples, from the rows of groups where that was done before up to `end`.
  mutating func transform(upTo end: Int) {
    for index in planes.indices {
      if passes.isWhole(index) { components[index].flattenMeans() }
      let vertical = frame.components[index].verticalBlocks
      let rows = transformedRows * vertical..<end * vertical
      guard frame.isProgressive else {
        transform(index, rows, components[index].dequantization)
        continue
      }
      for (rows, bits) in passes.missingBits(of: index, in: rows) { transform(index, rows, missing: bits) }
    }
    transformedRows = end
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
