import OzuImaging

/// Where the groups of blocks of a sequential scan are in its file: places from which one can go on, every few groups of
/// each row.
///
/// Nothing in such a file says where a block begins, so without an index every part of the picture costs all that stands
/// before it. Made once, by stepping over all blocks, it takes 16 bytes for each 32 groups or more, a megabyte at most.
struct JPEGScanIndex: Sendable {
  /// The groups of a row from one place to the next.
  let step: Int
  let columns: Int
  private let places: [Packed]

  /// The most places of an index.
  private static let largestCount = 1 << 16
  private static let shortestStep = 32

  /// A place in 16 bytes.
  private struct Packed {
    var position: UInt32
    var bit: UInt8
    var means: SIMD4<Int16>

    init?(_ place: JPEGScanWalker.Place) {
      guard let position = UInt32(exactly: place.position) else { return nil }
      self.position = position
      bit = UInt8(truncatingIfNeeded: place.bit)
      means = SIMD4(truncatingIfNeeded: place.means)
      // Sums of a sound picture have 12 bits.
      guard SIMD4<Int32>(truncatingIfNeeded: means) == place.means else { return nil }
    }
  }

  /// Steps over a scan; `nil` when data are missing, or more than an index holds.
  ///
  /// - Throws: what `DecodingContext.checkpoint()` throws, which is asked at every row of groups.
  /// - Complexity: O(bytes).
  init?(
    file: UnsafeRawBufferPointer, _ scan: JPEGSequentialScan, frame: ReducedJPEGFrame,
    context: DecodingContext
  ) throws(DecodingError) {
    columns = frame.groupColumns
    var step = Self.shortestStep
    while (columns + step - 1) / step * frame.groupRows > Self.largestCount { step *= 2 }
    self.step = step
    var places: [Packed] = []
    places.reserveCapacity((columns + step - 1) / step * frame.groupRows)
    var walker = JPEGScanWalker(
      file: file, parts: scan.parts, restartInterval: scan.restartInterval, from: scan.start)
    for _ in 0..<frame.groupRows {
      try context.checkpoint()
      for column in 0..<columns {
        guard walker.prepare() else { return nil }
        if column % step == 0 {
          guard let place = Packed(walker.place()) else { return nil }
          places.append(place)
        }
        walker.skipGroup()
      }
    }
    walker.finish()
    if walker.isBroken { return nil }
    self.places = places
  }

  /// The last known place at or before a group.
  ///
  /// - Precondition: the group is one of the picture.
  func place(row: Int, column: Int) -> JPEGScanWalker.Place {
    let placesPerRow = (columns + step - 1) / step
    let packed = places[row * placesPerRow + column / step]
    return JPEGScanWalker.Place(
      position: Int(packed.position), bit: Int(packed.bit), means: SIMD4(truncatingIfNeeded: packed.means),
      group: row * columns + column / step * step)
  }

  /// The bytes of the file that hold the groups of some rows and columns, and those before them from the last places on.
  func byteCount(rows: Range<Int>, columns: Range<Int>) -> Int {
    rows.reduce(0) { sum, row in
      let start = place(row: row, column: columns.lowerBound).position
      return sum + max(0, end(row: row, column: columns.upperBound - 1) - start)
    }
  }

  /// The first known place behind a group, or the end of its row's last.
  private func end(row: Int, column: Int) -> Int {
    let placesPerRow = (columns + step - 1) / step
    let index = row * placesPerRow + column / step + 1
    // Behind the last place the bytes of one step, as many as an ordinary one has.
    guard index < places.count else {
      return Int(places[index - 1].position) + Int(places[index - 1].position) / max(1, index - 1)
    }
    return Int(places[index].position)
  }
}
