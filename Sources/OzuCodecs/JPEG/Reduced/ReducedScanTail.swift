import OzuImaging
import OzuSynchronization

/// The second half of a scan, which another thread decodes while the first is decoded.
///
/// **Why the result is right.** A scan without restart markers does not contain the places of its blocks. The tail begins at
/// a byte in the middle as if a group of blocks began there. Its first groups are wrong, but Huffman codes synchronize by
/// themselves, mostly within some hundred bytes (Klein and Wiseman, "Parallel Huffman decoding with applications to JPEG
/// files", 2003). The tail records the bits at which its first groups ended. The decoder of the first half continues
/// after the middle, a row of groups at a time, until it is at one of these bits. From there on both would read the same
/// groups: a group depends only on its bits, except for the sums of the mean values, whose difference stays the same as at
/// that bit. Without a common bit the decoder of the first half continues to the end, and the result of the tail is not used.
///
/// **The memory that it uses.** Its planes are its own, made on its thread. The file and the tables belong to the decoder of
/// the first half, which must call `end()` before it releases them: that waits for a running tail, and prevents the start
/// of a tail that has not begun.
///
/// `@unchecked Sendable`: other threads read the results of `run` only after `state` says that it is done.
final class ReducedScanTail: @unchecked Sendable {
  /// The input of the tail: the file, the place of the second half, and the tables.
  struct Plan: @unchecked Sendable {
    /// The file, which outlives the tail's run because of `end()`.
    var file: UnsafeRawBufferPointer
    /// The offset in the file at which the tail begins.
    var mark: Int
    var frame: ReducedJPEGFrame
    var scales: [Int]
    /// The components in the order of the scan: the index of each, and the part with its tables.
    var parts: [(index: Int, part: ReducedScan.Part)]
    /// The tables that `parts` points to.
    var tables: [HuffmanTable]
    var pool: PixelBufferPool
    /// The processor time after which the tail gives up.
    var cpuTime: Duration
    /// The memory budget for its planes.
    var reservation: DecodedByteBudget.Reservation
  }

  private enum Phase {
    case waiting, running, abandoned, done
  }

  private struct State {
    var phase = Phase.waiting
    var isUnwanted = false
    /// The ends of its first groups, when they are known.
    var ends: [ScanBoundaries.Boundary] = []
  }

  private let plan: Plan
  private let state = Mutex(State())
  private let finished = Latch()
  private var planes: [SamplePlane] = []
  private var components: [ReducedComponent] = []
  private var groupCount = 0
  private var missesData = false
  /// Whether it reached the end of the data, and not only the end of its planes.
  private var isWhole = false

  init(_ plan: Plan) {
    self.plan = plan
  }

  deinit {
    for component in components { component.free() }
  }

  /// The offset in the file at which it begins.
  var mark: Int { plan.mark }

  /// The number of ends of groups that are recorded. The decoder of the first half compares only the ends of its rows, and may
  /// be a row after the middle at its first comparison.
  private var boundaryCount: Int { 4 * plan.frame.groupColumns + 256 }

  /// Decodes on the calling thread.
  func run() {
    let isWanted = state.withLock { state in
      guard state.phase == .waiting else { return false }
      state.phase = .running
      return true
    }
    guard isWanted else { return }
    let isDone = decode()
    state.withLock { $0.phase = isDone ? .done : .abandoned }
    finished.open()
  }

  private func decode() -> Bool {
    let start = DecodingContext.systemThreadTime()
    let frame = plan.frame
    var parts: [ReducedScan.Part] = []
    for (index, part) in plan.parts {
      let plane = frame.plane(index, scale: plan.scales[index], isZero: false, pool: plan.pool)
      var component = ReducedComponent(
        samplesPerRow: plane.samplesPerRow, scale: plan.scales[index], blocks: frame.blocks(of: index))
      component.samples = plane.samples.baseAddress
      component.quantization.update(from: part.component.quantization, count: 64)
      component.keepDifferences()
      planes.append(plane)
      components.append(component)
      var own = part
      own.component = component
      parts.append(own)
    }
    let boundaries = ScanBoundaries(capacity: boundaryCount)
    var scan = ReducedScan(
      source: EntropySource(file: plan.file, position: plan.mark, mark: plan.mark), parts: parts,
      columns: frame.groupColumns, rows: frame.groupRows, restartInterval: 0, boundaries: boundaries)
    var isPublished = false
    for row in 0..<scan.rows {
      // Only the rows that it reaches, and before they leave the cache of the processor again.
      for component in parts.map(\.component) {
        let count = component.blockCount.height / scan.rows * component.lineStep
        (component.samples! + row * count).update(repeating: 0, count: count)
      }
      scan.decodeRow(row, .sequential)
      let isComplete = boundaries.ends.count == boundaries.capacity || !scan.hasData
      let isUnwanted = state.withLock { state in
        if isComplete, !isPublished { state.ends = boundaries.ends }
        return state.isUnwanted
      }
      isPublished = isPublished || isComplete
      if isUnwanted || DecodingContext.systemThreadTime() - start > plan.cpuTime { return false }
      if !scan.hasData { break }
    }
    // The planes may have ended before the data: then this is the first check whether the last group had all its bits.
    scan.finish()
    state.withLock { $0.ends = boundaries.ends }
    groupCount = boundaries.groupCount
    missesData = scan.source.missesData
    isWhole = !scan.hasData
    return true
  }

  /// The result of looking for a common end of a group.
  enum Meeting {
    /// A common end after this group of the tail, with the sums there. The groups up to it are left out.
    case found(group: Int, predictions: SIMD4<Int32>)
    /// None here; there may be one a row later.
    case notYet
    /// None here or later.
    case never
  }

  /// Looks for a group that ended at a number of bits after the mark.
  func meet(at bits: Int) -> Meeting {
    state.withLock { state in
      if state.phase == .abandoned { return .never }
      guard let last = state.ends.last else { return .notYet }
      guard bits <= last.bits else { return .never }
      var low = 0
      var high = state.ends.count - 1
      while low < high {
        let middle = (low + high) / 2
        if state.ends[middle].bits < bits { low = middle + 1 } else { high = middle }
      }
      guard state.ends[low].bits == bits else { return .notYet }
      return .found(group: low, predictions: state.ends[low].predictions)
    }
  }

  /// Waits until the tail is done; `false` if it gave up.
  ///
  /// - Throws: the errors of `checkpoint`, which is called a hundred times a second.
  func wait<Failure: Error>(checkpoint: () throws(Failure) -> Void) throws(Failure) -> Bool {
    while state.withLock({ $0.phase == .running }) {
      if finished.wait(milliseconds: 10) { break }
      try checkpoint()
    }
    return state.withLock { $0.phase == .done }
  }

  /// Stops the tail, and returns when it no longer reads the file or the tables: immediately, or after a row of groups.
  func end() {
    let isRunning = state.withLock { state in
      state.isUnwanted = true
      if state.phase == .waiting { state.phase = .abandoned }
      return state.phase == .running
    }
    if isRunning { finished.wait() }
  }

  /// The groups after group `group`, up to the end of a picture.
  ///
  /// Call it only after `wait` has returned `true`.
  ///
  /// - Parameter wanted: how many groups of the picture are left.
  /// - Returns: `nil` if its planes ended before the picture. Otherwise whether data were missing up to the last group.
  func rest(behind group: Int, wanted: Int) -> (isShort: Bool, groupCount: Int)? {
    let count = min(wanted, groupCount - group - 1)
    guard isWhole || count == wanted else { return nil }
    // It may have read beyond the picture. If a group lacked bits, it is the last one.
    return (missesData && groupCount - group - 1 <= wanted, count)
  }

  /// Writes the squares of a row of groups, with their means.
  ///
  /// Call it only after `wait` has returned `true`.
  ///
  /// - Parameters:
  ///   - groups: the numbers of the groups, at most as many as there are columns of them.
  ///   - targets: the components of the first half, in the order of the scan. The row begins at their first sample.
  ///   - offset: the amount that is added to the sums of differences of each component.
  func place(_ groups: Range<Int>, in targets: [ReducedComponent], offset: SIMD4<Int32>) {
    let columns = plan.frame.groupColumns
    precondition(groups.lowerBound >= 0 && groups.upperBound <= groupCount && groups.count <= columns)
    for (index, target) in targets.enumerated() {
      let block = plan.parts[index].part
      var from = groups.lowerBound
      while from < groups.upperBound {
        let run = min(columns - from % columns, groups.upperBound - from)
        components[index].copySquares(
          columns: block.horizontalBlocks * run, rows: block.verticalBlocks,
          from: (block.horizontalBlocks * (from % columns), block.verticalBlocks * (from / columns)),
          to: target, at: block.horizontalBlocks * (from - groups.lowerBound), adding: offset[index])
        from += run
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
    guard let flatBlocks, scale == target.scale, stride == target.stride, blockCount == target.blockCount
    else {
      return
    }
    precondition(
      source.column + columns <= blockCount.width && source.row + rows <= blockCount.height
        && column + columns <= blockCount.width)
    for row in 0..<rows {
      let from = block(column: source.column, row: source.row + row)
      let to = target.block(column: column, row: row)
      for y in 0..<scale {
        (to + y * stride).update(from: from + y * stride, count: columns * scale)
      }
      let flags = flatBlocks + ((source.row + row) * blockCount.width + source.column)
      for column in 0..<columns {
        let sum = Int32(to[column * scale]) &+ difference
        to[column * scale] = target.mean(sum, isFlat: flags[column])
      }
    }
  }
}
