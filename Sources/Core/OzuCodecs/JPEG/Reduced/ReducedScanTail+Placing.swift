/// The way of a tail's groups to their places in the picture.
extension ReducedScanTail {
  /// Writes the squares of a row of groups, with their means.
  ///
  /// Call it only after `work.wait` has returned `true`.
  ///
  /// - Parameters:
  ///   - groups: the numbers of the groups in the rest, at most as many as there are columns of them.
  ///   - targets: the components of the first thread, in the order of the scan. The row begins at their first sample.
  func place(_ groups: Range<Int>, of rest: ScanRest, in targets: [ReducedComponent]) {
    let columns = plan.frame.groupColumns
    precondition(groups.lowerBound >= 0 && groups.upperBound <= rest.groupCount && groups.count <= columns)
    var column = 0
    rest.forEachRun(of: groups) { run in
      var from = run.groups.lowerBound
      while from < run.groups.upperBound {
        let count = min(columns - from % columns, run.groups.upperBound - from)
        for (index, target) in targets.enumerated() {
          let block = plan.parts[index].part
          components[index].copySquares(
            columns: block.horizontalBlocks * count, rows: block.verticalBlocks,
            from: (block.horizontalBlocks * (from % columns), block.verticalBlocks * (from / columns)),
            to: target, at: block.horizontalBlocks * column, adding: run.offset[index])
        }
        from += count
        column += count
      }
    }
  }
}

extension ReducedComponent {
  /// Copies the squares of blocks, and writes their means, to which `difference` is added.
  ///
  /// Places and counts are in blocks. Both planes have the same width, and a row of groups in the target has at least `rows` rows.
  fileprivate func copySquares(
    columns: Int, rows: Int, from source: (column: Int, row: Int), to target: ReducedComponent,
    at column: Int, adding difference: Int32
  ) {
    guard let flatBlocks, scale == target.scale, stride == target.stride,
      blockCount.width == target.blockCount.width
    else {
      return
    }
    precondition(
      source.column + columns <= blockCount.width && source.row + rows <= blockCount.height
        && column + columns <= blockCount.width)
    let step = target.quantization[0]
    for row in 0..<rows {
      let from = block(column: source.column, row: source.row + row)
      let to = target.block(column: column, row: row)
      let flags = flatBlocks + ((source.row + row) * blockCount.width + source.column)
      guard scale > 1 else {
        // Several at a time.
        for column in 0..<columns {
          to[column] = Self.mean(Int32(from[column]) &+ difference, step: step, isFlat: flags[column])
        }
        continue
      }
      for y in 0..<scale {
        (to + y * stride).update(from: from + y * stride, count: columns * scale)
      }
      for column in 0..<columns {
        let sum = Int32(to[column * scale]) &+ difference
        to[column * scale] = Self.mean(sum, step: step, isFlat: flags[column])
      }
    }
  }
}
