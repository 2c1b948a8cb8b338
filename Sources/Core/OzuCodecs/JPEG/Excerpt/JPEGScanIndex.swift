import OzuImaging

/// The places of the groups of blocks of a sequential scan in its file. There is a place every few groups of each row, and
/// decoding can begin at each of them.
///
/// Such a file does not contain the places of its blocks, so without an index a decoder must read everything before a part.
/// The index is made once, by stepping over all blocks. It has 16 bytes for each 32 groups or more, a megabyte at most.
struct JPEGScanIndex: Sendable {
  /// The number of groups from one place of a row to the next.
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
      // The sums of a valid picture have 12 bits.
      guard SIMD4<Int32>(truncatingIfNeeded: means) == place.means else { return nil }
    }
  }

  /// Steps over a scan; `nil` if data are missing, or there are more groups than an index holds.
  ///
  /// - Throws: the errors of `DecodingContext.checkpoint()`, which is called at every row of groups.
  /// - Complexity: O(bytes).
  init?(
    file: UnsafeRawBufferPointer, _ scan: JPEGSequentialScan, frame: ReducedJPEGFrame,
    context: DecodingContext
  ) throws(ImageDecodingError) {
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

  /// The bytes of the file for the groups of some rows and columns, and for the groups between them and the places before them.
  func byteCount(rows: Range<Int>, columns: Range<Int>) -> Int {
    rows.reduce(0) { sum, row in
      let start = place(row: row, column: columns.lowerBound).position
      return sum + max(0, end(row: row, column: columns.upperBound - 1) - start)
    }
  }

  /// The first known place after a group, or the end of the last group of its row.
  private func end(row: Int, column: Int) -> Int {
    let placesPerRow = (columns + step - 1) / step
    let index = row * placesPerRow + column / step + 1
    // After the last place, the bytes of one average step.
    guard index < places.count else {
      return Int(places[index - 1].position) + Int(places[index - 1].position) / max(1, index - 1)
    }
    return Int(places[index].position)
  }
}
