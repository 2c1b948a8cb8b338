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
    /// None here or later.
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
  /// The number of its groups.
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
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].bits < bits { low = middle + 1 } else { high = middle }
    }
    guard ends[low].bits == bits else { return .notYet }
    return .found(group: low, predictions: ends[low].predictions)
  }
}
