import OzuImaging

/// A scan that is being decoded: its data, and its components with their tables.
///
/// The pointers of `parts` belong to the decoder, which holds the planes and tables until the scan has ended. Only strips are held
/// for a row of groups at a time.
struct ReducedScan: ~Copyable {
  struct Part {
    var component: ReducedComponent
    var dc: HuffmanLookup
    var ac: HuffmanLookup
    var horizontalBlocks: Int
    var verticalBlocks: Int
  }

  var source: EntropySource
  private let parts: UnsafeMutableBufferPointer<Part>
  /// Groups of blocks in a row and in a column.
  let columns: Int
  let rows: Int
  /// Groups between two restart markers; 0 for none.
  let restartInterval: Int

  private var groupsToRestart = 0
  private var restartNumber: UInt8 = 0
  private var reader: BitReader
  /// The blocks that are still empty because of a run of ends of blocks (progressive).
  private var emptyBlocks = 0
  private(set) var hasData = true
  /// Records the ends of groups, so that the decoder of the data before can find them; `nil` to record none.
  private(set) var boundaries: ScanBoundaries?
  /// For `takeRefinement`.
  private let zeros: ZeroPlaces
  /// Whether a block broke a rule (`BlockStretch.isBroken`), so that libjpeg has to decode the file. The zeros that replace missing data
  /// may do that too, and do not count.
  private(set) var isBroken = false

  /// - Parameters:
  ///   - columns: the groups in a row.
  ///   - rows: the rows of groups.
  ///   - restartCount: the restart markers before the data.
  ///   - boundaries: where the ends of groups are recorded, if they are.
  init(
    source: consuming EntropySource, parts: [Part], columns: Int, rows: Int, restartInterval: Int,
    restartCount: Int = 0, boundaries: ScanBoundaries? = nil
  ) {
    self.source = source
    self.boundaries = boundaries
    zeros = ZeroPlaces()
    self.parts = .allocate(capacity: parts.count)
    _ = self.parts.initialize(fromContentsOf: parts)
    self.columns = columns
    self.rows = rows
    self.restartInterval = restartInterval
    groupsToRestart = restartInterval == 0 ? .max : restartInterval
    restartNumber = UInt8(truncatingIfNeeded: restartCount & 7)
    reader = self.source.start()
  }

  deinit {
    parts.deallocate()
    zeros.free()
  }

  enum Step {
    /// All coefficients of a sequential scan.
    case sequential
    /// Mean values, from bit `low` on.
    case firstMeans(low: Int)
    /// One more bit of mean values.
    case nextMeans(low: Int)
    /// The upper bits of coefficients.
    case coefficients(FirstBand)
    /// One more bit of coefficients. The table has only symbols of one bit.
    case refinement(Refinement)
  }

  /// Sets the places of a strip, which are zero, for each part. It is then row 0.
  mutating func setPlaces(_ samples: (Int) -> UnsafeMutablePointer<Int16>) {
    for index in parts.indices { parts[index].component.samples = samples(index) }
  }

  /// Decodes a row of groups.
  ///
  /// The step is chosen here, outside the loop over blocks, so that the loop is compiled once for each kind of step.
  mutating func decodeRow(_ row: Int, _ step: Step) {
    switch step {
    case .sequential:
      forEachPart(in: row) { reader, part, column in
        reader = part.pointee.takeBlocks(
          reader, column: column &* part.pointee.horizontalBlocks, row: row &* part.pointee.verticalBlocks)
      }
    case .firstMeans(let low):
      forEachBlock(in: row) { reader, part, block in
        part.pointee.component.prediction &+= reader.takeDifference(part.pointee.dc)
        block[0] = part.pointee.component.mean(part.pointee.component.prediction &<< Int32(low))
      }
    case .nextMeans(let low):
      forEachBlock(in: row) { reader, part, block in
        reader.refill()
        // Without a branch, because the processor could not predict it.
        let bit = Int16(truncatingIfNeeded: reader.take(1))
        block[0] &+= part.pointee.component.mean(1 &<< Int32(low)) & (0 &- bit)
      }
    case .coefficients(let band):
      forEachStretch(in: row) { part, stretch in
        band.isTracked ? part.takeTracked(stretch, band) : part.takeUntracked(stretch, band)
      }
    case .refinement(let band):
      let zeros = zeros
      forEachStretch(in: row) { part, stretch in part.takeRefinement(stretch, band, zeros) }
    }
  }

  /// Calls the closure for the square of each block of a row of groups.
  @inline(__always)
  private mutating func forEachBlock(
    in row: Int, _ take: (inout BitReader, UnsafeMutablePointer<Part>, UnsafeMutablePointer<Int16>) -> Void
  ) {
    forEachPart(in: row) { reader, part, column in
      for y in 0..<part.pointee.verticalBlocks {
        for x in 0..<part.pointee.horizontalBlocks {
          let block = part.pointee.component.block(
            column: column &* part.pointee.horizontalBlocks &+ x,
            row: row &* part.pointee.verticalBlocks &+ y)
          take(&reader, part, block)
        }
      }
    }
  }

  @inline(__always)
  private mutating func forEachPart(
    in row: Int, _ take: (inout BitReader, UnsafeMutablePointer<Part>, _ column: Int) -> Void
  ) {
    var reader = self.reader
    for column in 0..<columns {
      if groupsToRestart == 0 { reader = restart(reader) }
      groupsToRestart &-= 1
      guard hasData else { continue }
      if reader.next >= source.limit {
        reader = prepare(reader)
        if !hasData { continue }
      }
      for part in parts.baseAddress!..<parts.baseAddress! + parts.count {
        take(&reader, part, column)
      }
      boundaries?.note(source.bitsTaken(reader), predictions: Self.predictions(parts))
    }
    self.reader = reader
  }

  /// Calls the closure for all blocks of a row of a scan that has one component, with one block in each group. A call takes the
  /// blocks of a stretch up to its end, or up to the first block for which `prepare` must be called.
  private mutating func forEachStretch(in row: Int, _ take: (Part, BlockStretch) -> BlockStretch) {
    var column = 0
    while column < columns {
      if groupsToRestart == 0 {
        reader = restart(reader)
        emptyBlocks = 0
      }
      let end = column + min(columns - column, groupsToRestart)
      if hasData, reader.next >= source.limit { reader = prepare(reader) }
      var reached = end
      if hasData {
        let stretch = take(
          parts[0],
          BlockStretch(
            reader: reader, emptyBlocks: emptyBlocks, row: row, column: column, end: end, limit: source.limit)
        )
        reader = stretch.reader
        if stretch.isBroken, !source.isBehindEnd(reader) { isBroken = true }
        emptyBlocks = stretch.emptyBlocks
        reached = stretch.column
      }
      groupsToRestart -= reached - column
      column = reached
    }
  }

  /// The number of bits that were taken after the source's mark; `nil` before the mark.
  var bitsBehindMark: Int? {
    guard let bits = source.bitsBehindMark(reader), bits >= 0 else { return nil }
    return bits
  }

  /// The sums of differences of mean values, component by component.
  var predictions: SIMD4<Int32> { Self.predictions(parts) }

  private static func predictions(_ parts: UnsafeMutableBufferPointer<Part>) -> SIMD4<Int32> {
    var predictions = SIMD4<Int32>()
    for index in parts.indices { predictions[index] = parts[index].component.prediction }
    return predictions
  }

  /// Checks at the end whether the last groups had all their bits.
  mutating func finish() {
    if hasData { source.note(reader) }
  }

  /// Loads more data, or notes that there are none. It takes the reader by value and returns it: with `inout` the loop above would
  /// keep it in memory.
  @inline(never)
  private mutating func prepare(_ reader: BitReader) -> BitReader {
    var moved = reader
    hasData = source.prepare(&moved)
    return moved
  }

  /// Begins after a restart marker.
  @inline(never)
  private mutating func restart(_ reader: BitReader) -> BitReader {
    if hasData { source.note(reader) }
    hasData = source.restart(expecting: restartNumber)
    restartNumber = (restartNumber &+ 1) & 7
    groupsToRestart = restartInterval
    for index in parts.indices { parts[index].component.prediction = 0 }
    return hasData ? source.start() : reader
  }
}

/// Blocks of a row that are decoded at once: none of them follows a restart marker.
///
/// A function that decodes blocks takes it by value and returns it. So it has its own copy of the reader, which stays in
/// registers.
struct BlockStretch {
  var reader: BitReader
  /// The number of blocks from `column` on that the scan's last run of ends of blocks covers.
  var emptyBlocks: Int
  let row: Int
  var column: Int
  let end: Int
  /// `reader.next` must be below this before a block that is not the first: `EntropySource.prepare` was called for that one.
  let limit: UnsafePointer<UInt8>
  /// Whether a run of zeros led to a coefficient behind the last one of the scan. No encoder writes one. libjpeg takes the coefficient
  /// although another scan has it, which may have other bits of it.
  var isBroken = false
}
