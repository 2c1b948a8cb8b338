/// The rows of groups that a tail has of a picture, from its meeting with the scan on.
///
/// `@unchecked Sendable`: the tail is done, and nobody changes its planes or the numbers of the components any more. The decoder
/// owns the memory of the components, and ends all work on other threads before it releases it.
struct TailRows: @unchecked Sendable {
  let tail: ReducedScanTail
  let rest: ScanRest
  /// The row of groups of the picture with which they begin.
  let firstRow: Int
  /// Those of the picture.
  let components: [ReducedComponent]
  /// The components of the scan, in its order.
  let scanParts: [Int]

  /// The groups in a row.
  private var columns: Int { tail.plan.frame.groupColumns }

  /// Writes the squares of a row, with their means. Samples beside and below the groups that the tail has keep what they were.
  ///
  /// - Parameter samples: for each component the place of its rows, with the shape of `ReducedJPEGFrame.stripShape`.
  func place(_ row: Int, in samples: [UnsafeMutablePointer<Int16>]) {
    let first = min((row - firstRow) * columns, rest.groupCount)
    let end = min(first + columns, rest.groupCount)
    tail.place(first..<end, of: rest, in: scanParts.map { target($0, samples) })
  }

  /// The same with all samples, of which those beside and below the groups become zero coefficients, and makes samples of the coefficients.
  func make(_ row: Int, in samples: [UnsafeMutablePointer<Int16>]) {
    let blockRows = tail.plan.frame.components.map(\.verticalBlocks)
    let isFull = (row - firstRow + 1) * columns <= rest.groupCount
    for (index, start) in samples.enumerated() {
      let component = components[index]
      let written = isFull ? component.blockCount.width * component.scale : 0
      for line in 0..<blockRows[index] * component.scale {
        (start + (line * component.stride + written)).update(repeating: 0, count: component.stride - written)
      }
    }
    place(row, in: samples)
    for index in components.indices { target(index, samples).transform(0..<blockRows[index]) }
  }

  private func target(_ index: Int, _ samples: [UnsafeMutablePointer<Int16>]) -> ReducedComponent {
    var component = components[index]
    component.samples = samples[index]
    return component
  }
}
