import OzuImaging
import OzuSynchronization

/// The second half of a scan, which another thread decodes while the first is decoded.
///
/// **How that can be right.** Nothing in a scan without restart markers says where blocks begin. This begins at some byte
/// in the middle as if a group of blocks began there. What it reads is nonsense at first, but Huffman codes fall into step
/// by themselves, mostly within some hundred bytes (Klein and Wiseman, "Parallel Huffman decoding with applications to JPEG
/// files", 2003). It writes down at which bits its first groups ended. The one who decodes the first half goes on
/// behind the middle, a row of groups at a time, until it stands at one of these bits. From there on both would read the
/// same: what a group gives depends on its bits alone, but for the sums of the mean values, which differ by what they differ
/// by there. So nothing is believed: without a common bit, the first one goes on to the end, and this was for nothing.
///
/// **Whose memory it touches.** Its planes are its own, made on its thread. The file and the tables belong to the one who
/// began it, who must call `end()` before they go: that waits for a tail that runs, and keeps one that has not begun from
/// beginning.
///
/// `@unchecked Sendable`: what `run` makes is read by others only after `state` says that it is done.
final class ReducedScanTail: @unchecked Sendable {
  /// How the second half was decoded.
  struct Plan: @unchecked Sendable {
    /// Outlives the tail's run, as `end()` sees to.
    var file: UnsafeRawBufferPointer
    /// Where in the file it begins.
    var mark: Int
    var frame: ReducedJPEGFrame
    var scales: [Int]
    /// The components in the order of the scan, with those they are decoded like.
    var parts: [(index: Int, part: ReducedScan.Part)]
    /// What `parts` points into.
    var tables: [HuffmanTable]
    var pool: PixelBufferPool
    /// The processor time after which it gives up.
    var cpuTime: Duration
    /// The budget's share for its planes.
    var reservation: DecodedByteBudget.Reservation
  }

  private enum Phase {
    case waiting, running, abandoned, done
  }

  private struct State {
    var phase = Phase.waiting
    var isUnwanted = false
    /// The ends of its first groups, once they are known.
    var ends: [ScanBoundaries.Boundary] = []
  }

  private let plan: Plan
  private let state = Mutex(State())
  private let finished = Latch()
  private var planes: [SamplePlane] = []
  private var components: [ReducedComponent] = []
  private var groupCount = 0
  private var missesData = false
  /// Whether it came to the end of the data, not just to the end of its planes.
  private var isWhole = false

  init(_ plan: Plan) {
    self.plan = plan
  }

  deinit {
    for component in components { component.free() }
  }

  /// Where in the file it begins.
  var mark: Int { plan.mark }

  /// How many ends of groups are written down: the first half looks at the ends of its rows only, and may stand a row
  /// behind the middle when it first looks.
  private var boundaryCount: Int { 4 * plan.frame.groupColumns + 256 }

  /// Decodes, on the calling thread.
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
      let plane = frame.plane(index, scale: plan.scales[index], pool: plan.pool)
      var component = ReducedComponent(
        plane: plane, scale: plan.scales[index], blocks: frame.blocks(of: index))
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
    // Its planes may have ended before its data did: then nobody has looked whether the last group had all its bits.
    scan.finish()
    state.withLock { $0.ends = boundaries.ends }
    groupCount = boundaries.groupCount
    missesData = scan.source.missesData
    isWhole = !scan.hasData
    return true
  }

  /// What one who stands behind the middle finds.
  enum Meeting {
    /// The groups up to this one, and their sums, are to be left out.
    case found(group: Int, predictions: SIMD4<Int32>)
    /// Perhaps a row later.
    case notYet
    /// Not any more.
    case never
  }

  /// Looks for a group that ended after so many bits behind the mark.
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

  /// Waits until it is done; `false` when it gave up.
  ///
  /// - Throws: what `checkpoint` throws, which is asked a hundred times a second.
  func wait<Failure: Error>(checkpoint: () throws(Failure) -> Void) throws(Failure) -> Bool {
    while state.withLock({ $0.phase == .running }) {
      if finished.wait(milliseconds: 10) { break }
      try checkpoint()
    }
    return state.withLock { $0.phase == .done }
  }

  /// Says that nobody wants it, and returns when nothing of the file or the tables is touched any more: at once, or after
  /// a row of groups.
  func end() {
    let isRunning = state.withLock { state in
      state.isUnwanted = true
      if state.phase == .waiting { state.phase = .abandoned }
      return state.phase == .running
    }
    if isRunning { finished.wait() }
  }

  /// Writes its groups into the planes of the first half: those behind `group`, to the beginning of a row.
  ///
  /// Only after `wait` has said that it is done.
  ///
  /// - Parameters:
  ///   - targets: the components of the first half, in the order of the scan.
  ///   - offset: what is added to the sums of differences of each.
  /// - Returns: whether data were missing up to the last group of the picture; `nil`, and nothing is written, when its
  ///   planes ended before the picture.
  func place(
    behind group: Int, in targets: [ReducedComponent], row firstRow: Int, offset: SIMD4<Int32>
  ) -> Bool? {
    let columns = plan.frame.groupColumns
    let wanted = (plan.frame.groupRows - firstRow) * columns
    let count = min(wanted, groupCount - group - 1)
    guard isWhole || count == wanted else { return nil }
    for (index, target) in targets.enumerated() {
      let block = plan.parts[index].part
      var placed = 0
      while placed < count {
        let from = group + 1 + placed
        let run = min(columns - from % columns, columns - placed % columns, count - placed)
        components[index].copySquares(
          columns: block.horizontalBlocks * run, rows: block.verticalBlocks,
          from: (block.horizontalBlocks * (from % columns), block.verticalBlocks * (from / columns)),
          to: target,
          at: (
            block.horizontalBlocks * (placed % columns), block.verticalBlocks * (firstRow + placed / columns)
          ),
          adding: offset[index])
        placed += run
      }
    }
    // It may have read on behind the picture. A group that lacked bits is its last.
    return missesData && groupCount - group - 1 <= wanted
  }
}

extension ReducedComponent {
  /// Copies squares of blocks side by side, and gives them their means, to which `difference` is added.
  ///
  /// Places and counts are in blocks; all are in the planes, which have the same size.
  fileprivate func copySquares(
    columns: Int, rows: Int, from source: (column: Int, row: Int), to target: ReducedComponent,
    at place: (column: Int, row: Int), adding difference: Int32
  ) {
    guard let flatBlocks, scale == target.scale, blockCount == target.blockCount else { return }
    precondition(
      source.column + columns <= blockCount.width && source.row + rows <= blockCount.height
        && place.column + columns <= blockCount.width && place.row + rows <= blockCount.height)
    for row in 0..<rows {
      let from = block(column: source.column, row: source.row + row)
      let to = target.block(column: place.column, row: place.row + row)
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
