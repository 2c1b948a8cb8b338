/// How old the entries of a disk cache may become, in nanoseconds.
struct AgeLimits: Sendable {
  /// A date so far in the future counts as now: another machine's clock, or a clock that was set back a little. The age
  /// of an entry from beyond is not known, and such an entry counts as expired; else it could stay for ever.
  static let tolerance: Int64 = 86_400_000_000_000

  private let common: Int64?
  /// The limits of partitions; nil where there is none.
  private let own: [Partition: Int64?]
  /// The shortest of all limits; nil if entries may have any age.
  let shortest: Int64?

  init(maximumAge: Double?, partitionMaximumAges: [Partition: Double]) {
    common = maximumAge.flatMap(Self.nanoseconds)
    own = partitionMaximumAges.mapValues(Self.nanoseconds)
    shortest = (own.values + [common]).compactMap { $0 }.min()
  }

  /// Nil for what is no limit: infinite, or not a number.
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

  /// Whether an entry that was stored then has expired.
  func isExpired(storedAt stored: Int64, in partition: Partition, at now: Int64) -> Bool {
    guard let limit = limit(of: partition) else { return false }
    let (age, isBeyondNumbers) = now.subtractingReportingOverflow(stored)
    return isBeyondNumbers || age < -Self.tolerance || max(0, age) >= limit
  }
}
