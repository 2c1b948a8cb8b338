/// The ends of the first groups of blocks of a scan that was decoded from the middle, and the number of all its groups.
///
/// The decoder of the scan's beginning uses it to find out whether both are at the same bit between two groups: then they
/// would read the same groups from there on.
struct ScanBoundaries {
  struct Boundary {
    /// The number of bits from the beginning on.
    var bits: Int
    /// The sums of differences there.
    var predictions: SIMD4<Int32>
  }

  /// The most ends that are recorded.
  let capacity: Int
  /// The ends of groups 0, 1, 2, …, in ascending order of their bits.
  private(set) var ends: [Boundary] = []
  /// The number of decoded groups.
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
