import OzuBase

/// The division of a scan into pieces, for two threads.
///
/// One thread decodes the scan from its beginning. The other takes the pieces one after the other, the last one first; each ends where
/// the one before it begins. So nobody needs to know how long a byte takes, which depends on the picture: a sky has
/// several times as many blocks in a byte as leaves.
package struct ScanDivision: Sendable {
  /// The least number of bytes of the first piece that is taken. By default 96 KB: decoding them takes about ten times as long as waking a
  /// thread.
  package var smallestByteCount: Int
  /// The least number of bytes of the others. By default 12 KB: there are some KB between the last byte that the first
  /// thread has loaded and those that it will have loaded when it sees the piece.
  package var smallestPieceByteCount: Int { smallestByteCount / 8 }
  /// The fraction of the data before the first piece that is taken. By default 0.6: if there is most work at the end of the data, the
  /// first thread is not done much earlier.
  package var share: Double

  /// The most bytes of the strips that the second thread makes of coefficients at one time, while the first one resamples those before
  /// them. By default 1 MB. A third of the rows is less in small pictures, down to an eighth of this number: making so many takes about
  /// as long as waking a thread.
  package var batchByteCount: Int

  package init(smallestByteCount: Int = 96 << 10, share: Double = 0.6, batchByteCount: Int = 1 << 20) {
    self.smallestByteCount = smallestByteCount
    self.batchByteCount = batchByteCount
    self.share = share
  }

  /// Where the first piece that is taken begins, in data that begin at `position`; `nil` if it would be too small.
  ///
  /// The end of the data is not known before they are read, so the end of the file is used in its place.
  func mark(in file: UnsafeRawBufferPointer, from position: Int) -> Int? {
    guard position >= 0, position < file.count else { return nil }
    let distance = Int(clamping: Double(file.count - position) * max(0, min(1, share)))
    let mark = Self.mark(in: file, from: position + max(1, distance))
    return mark < file.count && file.count - mark >= smallestByteCount ? mark : nil
  }

  /// Where the next piece begins: in the middle between the other thread and the pieces that were taken. `nil` if it
  /// would be too small.
  func mark(in file: UnsafeRawBufferPointer, between position: Int, and end: Int) -> Int? {
    let distance = (end - position) / 2
    guard distance >= max(1, smallestPieceByteCount) else { return nil }
    let mark = Self.mark(in: file, from: position + distance)
    return mark < end ? mark : nil
  }

  /// The first place from `position` on that is not a stuffed byte, which follows a 0xFF.
  private static func mark(in file: UnsafeRawBufferPointer, from position: Int) -> Int {
    var mark = position
    while mark < file.count, file[mark - 1] == 0xFF { mark += 1 }
    return mark
  }
}

/// The ends of the first groups of blocks of a scan that was decoded from the middle, and the number of all its groups.
///
/// The decoder of the scan's beginning uses it to find out whether both are at the same bit between two groups: then they
/// would read the same groups from there on.
struct ScanBoundaries {
  struct Boundary {
    /// The number of bits from the beginning on.
    var bits: Int
    var predictions: SIMD4<Int32>
  }

  let capacity: Int
  /// The ends of groups 0, 1, 2, …, in ascending order of their bits.
  private(set) var ends: [Boundary] = []
  private(set) var groupCount = 0

  init(capacity: Int) {
    self.capacity = capacity
    ends.reserveCapacity(capacity)
  }

  @inline(__always)
  mutating func note(_ bits: Int, predictions: @autoclosure () -> SIMD4<Int32>) {
    groupCount &+= 1
    if ends.count < capacity { ends.append(Boundary(bits: bits, predictions: predictions())) }
  }
}

/// A piece of a scan that was decoded from a place in its middle on.
struct ScanPiece {
  /// The piece behind it, and the groups after which both were at the same bit.
  struct Link {
    /// The group of the piece behind it, or -1 before its first one.
    var group: Int
    /// The sums of differences of this piece, minus those of the other.
    var offset: SIMD4<Int32>
  }

  /// The result of looking for a common end of a group.
  enum Meeting {
    /// A common end after this group of the piece, with the sums there. The groups up to it are left out.
    case found(group: Int, predictions: SIMD4<Int32>)
    /// None here; there may be one a row later.
    case notYet
    case never
  }

  /// The offset in the file at which it begins.
  let mark: Int
  /// The row of groups in the planes at which it begins.
  let row: Int
  /// The row of the picture at which it begins, if it follows a restart marker.
  let pictureRow: Int?
  /// The ends of its first groups, when they are known.
  var ends: [ScanBoundaries.Boundary] = []
  /// Whether it is decoded. All that follows is known then.
  var isOver = false
  var groupCount = 0
  /// Where it reached the piece behind it, after its last group. `nil` for a piece up to the end of the data, or of the planes.
  var link: Link?
  /// Whether it reached the end of the data.
  var hasEnd = false
  /// Whether data were missing at their end.
  var missesData = false

  init(mark: Int, row: Int, pictureRow: Int? = nil) {
    self.mark = mark
    self.row = row
    self.pictureRow = pictureRow
  }

  /// Looks for a group that ended at a number of bits after the mark.
  func meet(at bits: Int) -> Meeting {
    guard let last = ends.last else { return isOver ? .never : .notYet }
    guard bits <= last.bits else { return .never }
    guard let group = ends.firstIndex(where: { $0.bits == bits }) else { return .notYet }
    return .found(group: group, predictions: ends[group].predictions)
  }
}

/// The groups that other pieces of a scan have after the place at which its first thread met one of them.
struct ScanRest {
  /// Groups that follow each other in the planes of the pieces.
  struct Run {
    var groups: Range<Int>
    /// The amount that is added to the sums of differences of each component.
    var offset: SIMD4<Int32>
  }

  private(set) var runs: [Run] = []
  private(set) var groupCount = 0
  /// Whether data were missing up to the last group of the picture.
  private(set) var isShort = false

  /// Follows the links from piece to piece; `nil` if the planes ended before the picture.
  ///
  /// - Parameters:
  ///   - pieces: the pieces in the order in which they were taken: the last ones of the scan first.
  ///   - columns: the groups in a row.
  ///   - index: the piece that was met.
  ///   - group: its group after which that was.
  ///   - offset: the amount that is added to its sums of differences.
  ///   - wanted: how many groups of the picture are left.
  init?(
    of pieces: [ScanPiece], columns: Int, from index: Int, behind group: Int, offset: SIMD4<Int32>,
    wanted: Int
  ) {
    var (index, group, offset) = (index, group, offset)
    while true {
      let piece = pieces[index]
      let left = piece.groupCount - group - 1
      let count = min(wanted - groupCount, left)
      let first = piece.row * columns + group + 1
      runs.append(Run(groups: first..<first + count, offset: offset))
      groupCount += count
      guard let link = piece.link, groupCount < wanted else {
        guard piece.hasEnd || groupCount == wanted else { return nil }
        // It may have read beyond the picture. If a group lacked bits, it is the last one.
        isShort = piece.missesData && left == count
        return
      }
      group = link.group
      offset &+= link.offset
      index -= 1
    }
  }

  /// Calls the closure for the runs of some groups, which are counted from the first on.
  func forEachRun(of groups: Range<Int>, _ body: (Run) -> Void) {
    var start = 0
    for run in runs {
      let part = groups.clamped(to: start..<start + run.groups.count)
      if !part.isEmpty {
        let first = run.groups.lowerBound + part.lowerBound - start
        body(Run(groups: first..<first + part.count, offset: run.offset))
      }
      start += run.groups.count
    }
  }
}
