import OzuBase
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
  private let points: [Packed]

  private static let largestCount = 1 << 16
  private static let shortestStep = 32

  private struct Packed {
    var position: UInt32
    var bit: UInt8
    var means: SIMD4<Int16>

    init?(_ point: JPEGScanWalker.ResumePoint) {
      guard let position = UInt32(exactly: point.position) else { return nil }
      self.position = position
      bit = UInt8(truncatingIfNeeded: point.bit)
      means = SIMD4(truncatingIfNeeded: point.means)
      // The sums of a valid picture have 12 bits.
      guard SIMD4<Int32>(truncatingIfNeeded: means) == point.means else { return nil }
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
    var points: [Packed] = []
    points.reserveCapacity((columns + step - 1) / step * frame.groupRows)
    var walker = JPEGScanWalker(
      file: file, parts: scan.parts, restartInterval: scan.restartInterval, from: scan.start)
    for _ in 0..<frame.groupRows {
      try context.checkpoint()
      for column in 0..<columns {
        guard walker.prepare() else { return nil }
        if column % step == 0 {
          guard let point = Packed(walker.resumePoint()) else { return nil }
          points.append(point)
        }
        walker.skipGroup()
      }
    }
    walker.finish()
    if walker.isBroken { return nil }
    self.points = points
  }

  /// The last known place at or before a group.
  ///
  /// - Precondition: the group is one of the picture.
  func resumePoint(row: Int, column: Int) -> JPEGScanWalker.ResumePoint {
    let pointsPerRow = (columns + step - 1) / step
    let packed = points[row * pointsPerRow + column / step]
    return JPEGScanWalker.ResumePoint(
      position: Int(packed.position), bit: Int(packed.bit), means: SIMD4(truncatingIfNeeded: packed.means),
      group: row * columns + column / step * step)
  }

  /// The bytes of the file for the groups of some rows and columns, and for the groups between them and the places before them.
  func byteCount(rows: Range<Int>, columns: Range<Int>) -> Int {
    rows.reduce(0) { sum, row in
      let start = resumePoint(row: row, column: columns.lowerBound).position
      return sum + max(0, end(row: row, column: columns.upperBound - 1) - start)
    }
  }

  /// The first known place after a group, or the end of the last group of its row.
  private func end(row: Int, column: Int) -> Int {
    let pointsPerRow = (columns + step - 1) / step
    let index = row * pointsPerRow + column / step + 1
    // After the last place, the bytes of one average step.
    guard index < points.count else {
      return Int(points[index - 1].position) + Int(points[index - 1].position) / max(1, index - 1)
    }
    return Int(points[index].position)
  }
}

/// Keeps the scan indices of the files from which parts were cut most recently, so that the next part needs no walk over
/// the whole file.
///
/// A file is identified by a checksum of all its bytes, or by the identity that the context of the decode has for it. The
/// cache keeps eight indices of a megabyte at most, and removes the one that was used the longest ago. An index is made
/// outside of the lock, so two threads may make the same one.
final class JPEGScanIndexCache: Sendable {
  static let shared = JPEGScanIndexCache()

  /// The identity of a file, and everything that the places of an index depend on beside the data.
  ///
  /// Hostile files can have one checksum, and then share an index if they also have the same shape. Their parts then show wrong
  /// pixels or are decoded from the whole file. But every group of the picture has a place in the index, and no place is outside
  /// of the file, since shapes and lengths are equal.
  struct Identity: Hashable {
    var byteCount: Int
    var checksum: UInt64
    var columns: Int
    var rows: Int
    var start: Int
    var restartInterval: Int
    /// How many blocks of each component a group has, in the order of the scan.
    var blockCounts: [Int]

    /// - Parameter known: the identity of the file if it has one already; it stores the checksum if it has none yet.
    init(
      _ file: UnsafeRawBufferPointer, _ known: FileIdentity? = nil, _ scan: JPEGSequentialScan,
      frame: ReducedJPEGFrame
    ) {
      byteCount = file.count
      checksum = known?.value { WordChecksum.of(file) } ?? WordChecksum.of(file)
      (columns, rows) = (frame.groupColumns, frame.groupRows)
      (start, restartInterval) = (scan.start.position, scan.restartInterval)
      blockCounts = scan.parts.map(\.blockCount)
    }
  }

  private let indices = RecentValues<Identity, JPEGScanIndex>(countLimit: 8)

  /// The index of a file, from the cache or made now; `nil` if the closure returns `nil`.
  func index<Failure: Error>(
    of identity: Identity, make: () throws(Failure) -> JPEGScanIndex?
  ) throws(Failure) -> JPEGScanIndex? {
    if let known = indices.value(for: identity) { return known }
    guard let index = try make() else { return nil }
    indices.insert(index, for: identity)
    return index
  }
}

/// A checksum of 64 bits for many bytes: four sums in parallel, with a multiplication for each word (as FNV-1a does for bytes).
///
/// It distinguishes the files of one process. It does not resist files that were made to have the same sum.
enum WordChecksum {
  /// - Complexity: O(bytes), several bytes in each cycle.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let factor: UInt64 = 0xFF51_AFD7_ED55_8CCD
    var sums = SIMD4<UInt64>(0x9E37_79B9_7F4A_7C15, 0xCBF2_9CE4_8422_2325, 0xC4CE_B9FE_1A85_EC53, 1)
    var position = 0
    // The loop's condition keeps each load of 32 bytes inside the buffer.
    while position + 32 <= bytes.count {
      let words = bytes.loadUnaligned(fromByteOffset: position, as: SIMD4<UInt64>.self)
      sums = (sums ^ words) &* SIMD4(repeating: factor)
      sums ^= sums &>> SIMD4(repeating: 29)
      position += 32
    }
    var sum = UInt64(bytes.count)
    for index in 0..<4 {
      sum = (sum ^ sums[index]) &* factor
      sum ^= sum >> 32
    }
    for byte in bytes[position...] {
      sum = (sum ^ UInt64(byte)) &* factor
      sum ^= sum >> 32
    }
    return sum
  }
}
