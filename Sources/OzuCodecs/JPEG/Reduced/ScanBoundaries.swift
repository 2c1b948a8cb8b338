/// Where the first groups of blocks of a scan ended, that was begun in the middle, and how many groups there were.
///
/// Whoever decodes the scan from its beginning finds out by it whether both stand at the same bit between two groups: then
/// they would read the same from there on.
final class ScanBoundaries {
  struct Boundary {
    /// The bits behind the mark.
    var bits: Int
    /// The sums of differences there.
    var predictions: SIMD4<Int32>
  }

  /// How many ends are written down.
  let capacity: Int
  /// The ends of groups 0, 1, 2, …: their bits rise.
  private(set) var ends: [Boundary] = []
  /// How many groups were decoded.
  private(set) var groupCount = 0

  init(capacity: Int) {
    self.capacity = capacity
    ends.reserveCapacity(capacity)
  }

  @inline(__always)
  func note(_ bits: Int, predictions: () -> SIMD4<Int32>) {
    groupCount &+= 1
    if ends.count < capacity { ends.append(Boundary(bits: bits, predictions: predictions())) }
  }
}
