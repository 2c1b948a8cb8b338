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
