/// An instant as the scheduler counts them: nanoseconds since the first that the process has counted.
///
/// The layout of `ContinuousClock.Instant` is known at run time only, which makes everything slow that holds one.
package struct JobInstant: Comparable, Hashable, Sendable {
  private let nanoseconds: Int64

  private static let origin = ContinuousClock.now

  package init(_ instant: ContinuousClock.Instant) {
    nanoseconds = Self.origin.duration(to: instant).nanoseconds
  }

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (a: JobInstant, b: JobInstant) -> Bool { a.nanoseconds < b.nanoseconds }

  package func advanced(by duration: Duration) -> JobInstant {
    let (sum, isOver) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return JobInstant(nanoseconds: isOver ? .max : sum)
  }

  package func duration(to other: JobInstant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }
}

extension Duration {
  /// Rounded down; longer ones than 140 years are that long.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let limit: Int64 = 1 << 32
    return max(-limit, min(limit, seconds)) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
