/// How old the entries of a disk cache may become, in nanoseconds.
struct AgeLimits: Sendable {
  /// How far in the future the date of an entry may be and still count as now, for entries that a machine with
  /// another clock stored, or whose clock was set back a little. The age of an entry from later is unknown. Such an
  /// entry counts as expired; otherwise it could stay for ever.
  static let tolerance: Int64 = 86_400_000_000_000

  private let common: Int64?
  /// The limits of single partitions; nil for no limit.
  private let own: [Partition: Int64?]
  /// The shortest of all limits; nil if entries may have any age.
  let shortest: Int64?

  init(maximumAge: Double?, partitionMaximumAges: [Partition: Double]) {
    common = maximumAge.flatMap(Self.nanoseconds)
    own = partitionMaximumAges.mapValues(Self.nanoseconds)
    shortest = (own.values + [common]).compactMap { $0 }.min()
  }

  /// The date of storing by which the later one of two entries is found. A date from later than now, beyond the
  /// tolerance, comes from a clock that was wrong: such an entry is the older one.
  static func order(storedAt stored: Int64, at now: Int64) -> Int64 {
    stored > now &+ tolerance ? .min : stored
  }

  /// The limit in nanoseconds; nil if the value is infinite or not a number, which means no limit.
  private static func nanoseconds(_ seconds: Double) -> Int64? {
    seconds.isFinite ? Int64(max(0, min(9e18, seconds * 1e9))) : nil
  }

  /// Whether the entries of a partition expire.
  func apply(to partition: Partition) -> Bool {
    limit(of: partition) != nil
  }

  private func limit(of partition: Partition) -> Int64? {
    guard shortest != nil else { return nil }
    return own[partition] ?? common
  }

  /// Whether an entry that was stored at this time has expired.
  func isExpired(storedAt stored: Int64, in partition: Partition, at now: Int64) -> Bool {
    guard let limit = limit(of: partition) else { return false }
    let (age, overflows) = now.subtractingReportingOverflow(stored)
    return overflows || age < -Self.tolerance || max(0, age) >= limit
  }
}
